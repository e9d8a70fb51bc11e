#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "gas/base/function_ref.hpp"
#include "gas/base/open_file.hpp"
#include "gas/engine/run_options.hpp"
#include "gas/observe/rank_report.hpp"
#include "gas/observe/straggler.hpp"
#include "gas/observe/trace.hpp"
#include "programs/calls/call.hpp"
#include "tools/support/command/options.hpp"
#include "tools/support/output/output_folder.hpp"
#include "tools/support/output/run_manifest.hpp"
#include "tools/support/process/exit_code.hpp"
#include "tools/support/process/ranks.hpp"
#include "tools/support/process/timers.hpp"
#include "tools/support/report/report.hpp"
#include "tools/support/show/progress.hpp"
#include "tools/support/show/round_log.hpp"
#include "tools/support/show/summary.hpp"

namespace gas::tools {

/// What a tool has at hand while it works. All ranks hold one and call the same in the same order.
class Run {
 public:
  Run(Ranks& ranks, const Options& options, Timers& timers);

  Transport& transport;
  const int ranks_on_this_host;  // with this one
  const CommonOptions& options;  // threads resolved
  RunSummary summary;
  /// What manifest.json says of the run beside that. The tool sets `model`, and gas-partition
  /// `partition`, before write_files.
  RunManifest manifest;
  /// What standard output gets at the end where --summary is not given; nothing unless set. Rank 0
  /// is asked.
  std::function<std::string(const RunSummary&)> table;
  /// Whether people are to see a result on standard output: neither -o nor --summary is given, or
  /// --top is.
  bool shows() const;
  /// Calls `result` if so, on all ranks; what it returns on rank 0 is printed when all files are
  /// closed.
  void show(const std::function<std::string()>& result);

  /// Whether --report is given.
  bool reports() const { return !options.report.empty(); }
  /// What the objective is, for the report: "Sum of squared distances", say.
  void objective_is(const std::string& words);
  /// Calls `sections` on all ranks if --report is given; what it returns on rank 0 goes into the
  /// report. After write_files, so that no result waits for it.
  void report(const std::function<std::vector<report::Section>()>& sections);

  /// Begins a phase and ends the one before; the seconds of each go into the summary. From compute
  /// on, an interrupt is noted (see `interrupted`) instead of ending the process.
  void enter(Phase phase);
  /// Seconds since computing began, without what ran off_the_clock.
  double compute_seconds() const { return timers_.seconds(Phase::compute); }
  /// Runs `work` outside of the phase's time: evaluating an objective for the log, say.
  void off_the_clock(const std::function<void()>& work);

  /// --staleness and its like, what take_observing takes, and the look-out for interrupts, for so
  /// many rounds in all.
  RunOptions engine_options(std::uint64_t iterations);
  /// What the manifest and the report say of an option that a model or another option decides;
  /// none: it had no effect.
  void in_effect(const std::string& option, const std::optional<std::string>& value);
  /// The ranks and threads of the run.
  const Context& context();
  /// For a call to tell of its rounds: round_done.
  OnRound on_round();
  /// Sets what the summary says of the rounds and of each rank. Collective.
  void ended(const Outcome& outcome);
  /// The same for what is exact at rest, whatever was read when; warns where it did not come to
  /// rest.
  void ended_exactly(const Outcome& outcome);
  /// Warns if the rounds ended before `goal`.
  void tell_unfinished(const Outcome& outcome, const std::string& goal);
  /// Sets what the summary says of the rounds, as a RunReport has it.
  template <class RunReport>
  void ended(const RunReport& rounds) {
    summary.iterations = rounds.rounds;
    summary.interrupted = rounds.interrupted;
    summary.converged = rounds.converged;
  }
  /// Sets what the summary says of each rank, of staleness and of reproducibility, for an engine
  /// that ran with engine_options. Collective.
  void saw(const RankReport& mine);

  /// A round has ended: a line in the log, progress on standard error. Does nothing but on rank 0.
  void round_done(std::uint64_t round, std::optional<double> objective);
  /// Says on standard error what is being done, or how INPUT was understood; rank 0 speaks, unless
  /// --quiet.
  void note(const std::string& text);
  /// Says why the result may be other than expected; rank 0 speaks, --quiet or not, and the summary
  /// lists it. Once for each text.
  void warn(const std::string& text);
  /// Standard output, for what the user asked for; rank 0 prints.
  void print(const std::string& text);

  /// Is the run to end? Ranks may see it at different times. RunOptions::interrupted asks.
  bool interrupted() const;

  /// Whether -o was given; then `write` is called on all ranks with a folder to write into, whose
  /// files appear in DIR all together, with the manifest (see OutputFolder::write). The summary
  /// must say before how the rounds ended. Without -o nothing happens.
  bool has_output() const { return !options.output.empty() && !options.dry_run; }
  void write_files(const std::function<void(const std::filesystem::path& folder)>& write);
  /// Writes a file beside the results, before write_files. Where that fails on all ranks, with a
  /// RunError, the run goes on, its manifest says so by `name`, and it ends with failed.
  /// Collective.
  void write_beside(const std::string& name, FunctionRef<void()> write);
  /// Of a run that makes several models: names folders in DIR, one for each. Before anything is
  /// computed; errors as OutputFolder's. Collective.
  void take_folders(const std::vector<std::string>& names);
  /// Writes one of them, with a manifest that has `model` and how its rounds ended, as write_files
  /// does, which comes last. Collective.
  void write_folder(const std::string& name, const Facts& model, const Outcome& outcome,
                    const std::function<void(const std::filesystem::path& folder)>& write);
  /// Phases objective and output: calls `measure` on all ranks, then write_files. An interrupted
  /// run may not have long to live: it writes first. Files are also written, and then the error is
  /// thrown, if `measure` throws one of all ranks, as where the file of --test is bad.
  void measure_and_write(const std::function<void()>& measure,
                         const std::function<void(const std::filesystem::path& folder)>& write);

  /// For run_tool: closes the log and the trace, completes the summary and prints it where asked
  /// for. Returns how the tool ends, the same on all ranks.
  ExitCode finish();
  /// For run_tool: why the run failed; of memory that ran out, what was being done.
  std::string explained(const std::string& failure) const;
  /// For run_tool: standard error is about to be written to.
  void end_progress_line();

 private:
  CheckpointOptions checkpoint_options();
  /// The checksum of the manifest of --model. Collective.
  const std::string& model_sum();
  std::string what_is_done(Phase phase) const;
  std::string what_is_kept() const;

  void complete_summary();
  void write_report();
  void close_side_outputs();
  void tell_interrupt();
  void tell_ending();
  /// What was asked for besides results and could not be written: its name, and why.
  std::vector<std::pair<std::string, std::string>> unfinished() const;
  /// Writes the manifest again if something failed since it was written. Collective.
  void amend_manifest();

  Timers& timers_;
  std::optional<Phase> phase_;
  std::optional<RoundLog> log_;
  std::optional<report::Report> report_;
  std::optional<Progress> progress_;
  OutputPlan plan_;
  std::optional<OutputFolder> output_;
  bool wrote_ = false, told_interrupt_ = false;
  std::vector<std::pair<std::string, std::string>>
      side_failures_;  // log, trace and report: what befell them
  std::vector<std::pair<std::string, std::string>> unfinished_written_;  // in the manifest
  std::optional<Trace> trace_;
  OwnedFile trace_file_;  // on rank 0, for write_trace, which closes it
  std::optional<Straggler> straggler_;
  std::optional<Context> context_;
  std::string model_sum_;
  std::array<std::uint64_t, purposes> sent_while_loading_{};
  std::uint64_t messages_while_loading_ = 0;
};

/// The main() of every tool. Reads the command line before MPI starts and before any file is read
/// (--help, --version, wrong usage); makes the transport; runs `body`; prints the summary; returns
/// the exit code, the same on all ranks. A UsageError, InputError, RunError or any other exception
/// becomes one message "NAME: text" on standard error: from rank 0 if all ranks threw it together
/// (gas::together), otherwise "NAME: rank R: text" from the rank that failed, which then ends the
/// job for all.
int run_tool(const std::string& name, int argc, const char* const* argv,
             const std::function<void(Options&)>& setup, const std::function<void(Run&)>& body);

}  // namespace gas::tools
