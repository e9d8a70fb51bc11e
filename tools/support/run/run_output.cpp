// What a Run writes: results, trace, log and report.
#include <algorithm>
#include <exception>
#include <utility>

#include "gas/base/error.hpp"
#include "tools/support/process/interrupt.hpp"
#include "tools/support/process/standard_error.hpp"
#include "tools/support/run/run_tool.hpp"

namespace gas::tools {

void Run::write_files(const std::function<void(const std::filesystem::path&)>& write) {
  if (!has_output()) return;
  close_side_outputs();
  manifest.interrupted = summary.interrupted;
  manifest.iterations = summary.iterations;
  manifest.converged = summary.converged;
  output_->write(manifest, write);
  wrote_ = true;
  unfinished_written_ = manifest.unfinished;
  tell_interrupt();
}

void Run::amend_manifest() {
  manifest.unfinished = unfinished();
  const bool late = transport.rank() == 0 && manifest.unfinished != unfinished_written_;
  if (!output_ || !wrote_ || all_max(transport, late ? 1 : 0) == 0) return;
  output_->amend(manifest);
}

void Run::take_folders(const std::vector<std::string>& names) {
  if (!has_output()) return;
  for (const std::string& name : names) {
    OutputPlan plan = plan_;
    plan.path = std::filesystem::path(options.output) / name;
    const OutputFolder free(transport, std::move(plan));
  }
}

void Run::write_folder(const std::string& name, const Facts& model, const Outcome& outcome,
                       const std::function<void(const std::filesystem::path&)>& write) {
  if (!has_output()) return;
  OutputPlan plan = plan_;
  plan.path = std::filesystem::path(options.output) / name;
  plan.force = options.force;
  RunManifest of_model = manifest;
  of_model.model = model;
  of_model.interrupted = outcome.interrupted;
  of_model.iterations = outcome.rounds;
  of_model.converged = outcome.converged;
  OutputFolder(transport, std::move(plan)).write(of_model, write);
  wrote_ = true;
}

void Run::measure_and_write(const std::function<void()>& measure,
                            const std::function<void(const std::filesystem::path&)>& write) {
  std::exception_ptr failed;
  const auto measured = [&] {
    enter(Phase::objective);
    try {
      measure();
    } catch (const std::exception& error) {
      if (dynamic_cast<const ThrownTogether*>(&error) == nullptr) throw;
      failed = std::current_exception();  // of all ranks, which can write what they have
      side_failures_.emplace_back("measures", error.what());
    }
  };
  if (!summary.interrupted) measured();
  enter(Phase::output);
  write_files(write);
  if (summary.interrupted) measured();
  if (!failed) return;
  if (wrote_)
    note(what_is_kept());
  else
    close_side_outputs();
  std::rethrow_exception(failed);
}

void Run::write_beside(const std::string& name, FunctionRef<void()> write) {
  try {
    write();
  } catch (const RunError& failed) {
    if (dynamic_cast<const ThrownTogether*>(&failed) == nullptr) throw;
    side_failures_.emplace_back(name, failed.what());
  }
}

void Run::close_side_outputs() {
  if (trace_) {
    write_beside("trace",
                 [&] { write_trace(transport, *trace_, options.trace, trace_file_.release()); });
    trace_.reset();
  }
  if (log_) {
    if (const auto failure = log_->close()) side_failures_.emplace_back("log", *failure);
    log_.reset();
  }
  write_report();
  manifest.unfinished = unfinished();
}

std::vector<std::pair<std::string, std::string>> Run::unfinished() const {
  auto all = side_failures_;
  if (words_lost()) all.emplace_back("standard error", "could not be written");
  if (hung_up()) all.emplace_back("terminal", "was lost (SIGHUP)");
  return all;
}

void Run::write_report() {
  if (!reports() || options.dry_run) return;
  complete_summary();
  if (!report_) return;
  const auto failure = report_->write(summary, manifest);
  if (!failure) return;
  side_failures_.emplace_back("report", *failure);
  report_.reset();
}

}  // namespace gas::tools
