#include "tools/support/run_tool.hpp"

#include <fmt/format.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <new>
#include <numeric>
#include <thread>

#include "gas/graph/error.hpp"
#include "tools/support/interrupt.hpp"

namespace gas::tools {
namespace {

void write_out(const std::string& text) {
  if (std::fputs(text.c_str(), stdout) < 0 || std::fflush(stdout) != 0)
    throw RunError("standard output cannot be written");
}

void complain(const std::string& tool, const std::string& text) {
  std::string line = text;
  std::ranges::replace(line, '\n', ' ');
  fmt::print(stderr, "{}: {}\n", tool, line);
  std::fflush(stderr);
}

struct Failure {
  ExitCode code = ExitCode::failed;
  std::string text;
  bool on_all_ranks = false;
};

// Of the exception being handled.
Failure current_failure() {
  try {
    throw;
  } catch (const std::bad_alloc&) {
    return {ExitCode::failed, "out of memory", false};
  } catch (const std::exception& error) {
    ExitCode code = ExitCode::failed;
    if (dynamic_cast<const UsageError*>(&error)) code = ExitCode::wrong_usage;
    if (dynamic_cast<const InputError*>(&error)) code = ExitCode::bad_input;
    return {code, error.what(), dynamic_cast<const ThrownTogether*>(&error) != nullptr};
  } catch (...) {
    return {ExitCode::failed, "an unknown error", false};
  }
}

Slowness slowness_of(const std::string& name) {
  if (name == "transient") return Slowness::transient;
  if (name == "rotating") return Slowness::rotating;
  if (name == "persistent") return Slowness::persistent;
  return name == "cloud" ? Slowness::cloud : Slowness::even;
}

unsigned default_threads(int ranks_on_host) {
  const long cores = sysconf(_SC_NPROCESSORS_ONLN);
  return static_cast<unsigned>(std::max(1L, cores / ranks_on_host));
}

// mpirun binds each rank to a core or a socket; threads beyond that would take turns on it. Where
// this rank is to run more threads than it was given cores, it may use all of them.
void leave_binding(unsigned threads) {
  cpu_set_t cores;
  if (sched_getaffinity(0, sizeof cores, &cores) != 0) return;
  if (static_cast<unsigned>(CPU_COUNT(&cores)) >= threads) return;
  const long online = sysconf(_SC_NPROCESSORS_ONLN);
  for (int core = 0; core < std::min<long>(online, CPU_SETSIZE); ++core) CPU_SET(core, &cores);
  sched_setaffinity(0, sizeof cores, &cores);  // what is not allowed stays as it was
}

// The command line alone decides; MPI has not started.
std::optional<ExitCode> end_before_start(const std::string& name, int argc, const char* const* argv,
                                         Options& options) {
  const bool speaks = launched_rank().value_or(0) == 0;
  try {
    const Options::Parsed parsed = options.parse(argc, argv);
    if (parsed.go_on) return std::nullopt;
    if (speaks) write_out(parsed.text);
    return ExitCode::done;
  } catch (...) {
    const Failure failure = current_failure();
    if (speaks) complain(name, failure.text);
    wait_for_all_ranks();  // mpirun ends a job at the first rank that exits with an error
    return failure.code;
  }
}

}  // namespace

Run::Run(Ranks& ranks, const Options& options_, Timers& timers)
    : transport(ranks.transport()),
      ranks_on_this_host(ranks.on_this_host()),
      options(options_.common),
      timers_(timers) {
  if (transport.rank() == 0) progress_.emplace(options_.name(), options.quiet);
  summary.tool = options_.name();
  summary.ranks = static_cast<std::uint64_t>(transport.size());
  summary.threads = options.threads;
  if (options_.runs_rounds()) summary.staleness_bound = options.staleness;
  if (options_.has_seed()) summary.seed = options.seed;
  if (!options.input.empty() && !options.without_input) summary.input = options.input;
  if (!options.generate.empty()) summary.input = options.generate;
  for (const std::string& key : options_.own_summary_keys())
    summary.own.emplace_back(key, RunSummary::Value());
  if (!options.trace.empty()) trace_.emplace();
  if (options.straggler_round > 0)
    straggler_.emplace(slowness_of(options.straggler), options.straggler_round * 1e-3, options.seed,
                       transport.rank(), transport.size());
  if (!options.output.empty()) output_.emplace(transport, options.output, options.force);
  together(transport, [&] {
    if (transport.rank() == 0 && !options.log.empty()) log_.emplace(options.log);
  });
}

void Run::enter(Phase phase) {
  timers_.enter(phase);
  if (phase <= Phase::partition) return;
  if (!summary.bytes_sent) summary.bytes_sent.emplace();
  if (phase == Phase::compute) {
    sent_while_loading_ = transport.sent();
    messages_while_loading_ = transport.messages_sent();
  }
  on_interrupt(OnInterrupt::note);
}

void Run::off_the_clock(const std::function<void()>& work) {
  struct Pause {
    explicit Pause(Timers& timers) : timers_(timers) { timers_.pause(); }
    ~Pause() { timers_.resume(); }
    Pause(const Pause&) = delete;
    Pause& operator=(const Pause&) = delete;
    Timers& timers_;
  };
  const Pause pause(timers_);
  work();
}

void Run::round_done(std::uint64_t round, std::optional<double> objective) {
  if (transport.rank() != 0) return;
  const double seconds = compute_seconds();
  if (log_) log_->round(round, seconds, objective);
  progress_->round(round, seconds, objective);
}

RunOptions Run::engine_options(std::uint64_t iterations) {
  RunOptions made = options.run_options();
  made.iterations = iterations;
  made.interrupted = interrupted();
  if (trace_) made.trace = &*trace_;
  made.watchdog = {options.watchdog, [this](const std::string& text) {
                     end_progress_line();
                     complain(summary.tool, text);
                   }};
  if (straggler_) made.delay = [this](std::uint64_t round) { return straggler_->seconds(round); };
  return made;
}

void Run::saw(const RankReport& mine) {
  summary.reproducible =
      options.staleness == 0 || (options.staleness != Staleness::async && transport.size() == 1);
  StalenessSeen all;
  for (const RankReport& report : all_gather(transport, mine)) {
    all.most = std::max(all.most, report.staleness.most);
    all.sum += report.staleness.sum;
    all.reads += report.staleness.reads;
    summary.per_rank.push_back({report, 0, 0});
  }
  if (options.staleness == 0) return;
  summary.staleness_most = all.most;
  summary.staleness_mean = all.mean();
}

void Run::note(const std::string& text) {
  if (progress_) progress_->note(text);
}

void Run::warn(const std::string& text) {
  summary.warnings.push_back(text);
  if (progress_) progress_->warn(text);
}

void Run::print(const std::string& text) {
  if (transport.rank() == 0) write_out(text);
}

const std::atomic<bool>* Run::interrupted() const { return &tools::interrupted(); }

void Run::write_files(const std::function<void(const std::filesystem::path&)>& write) {
  if (output_) output_->write(write);
}

void Run::finish() {
  timers_.leave();
  end_progress_line();
  for (std::size_t i = 0; i < summary.seconds.size(); ++i)
    summary.seconds[i] = all_max(transport, timers_.seconds(static_cast<Phase>(i)));
  summary.total_seconds = all_max(transport, timers_.total());
  summary.peak_memory_bytes = all_max(transport, peak_memory_bytes());
  for (std::size_t i = 0; summary.bytes_sent && i < purposes; ++i)
    (*summary.bytes_sent)[i] = all_sum(transport, transport.sent()[i] - sent_while_loading_[i]);
  const auto& sent = transport.sent();
  const auto bytes = all_gather(
      transport, std::accumulate(sent.begin(), sent.end(), 0UL) -
                     std::accumulate(sent_while_loading_.begin(), sent_while_loading_.end(), 0UL));
  const auto messages = all_gather(transport, transport.messages_sent() - messages_while_loading_);
  for (std::size_t rank = 0; rank < summary.per_rank.size(); ++rank) {
    summary.per_rank[rank].messages = messages[rank];
    summary.per_rank[rank].bytes = bytes[rank];
  }
  if (trace_) write_trace(transport, *trace_, options.trace);
  together(transport, [&] {
    if (log_) log_->close();
    if (transport.rank() != 0) return;
    if (options.summary)
      write_out(summary.json() + "\n");
    else if (table)
      write_out(table(summary));
  });
}

void Run::end_progress_line() {
  if (progress_) progress_->end_line();
}

int run_tool(const std::string& name, int argc, const char* const* argv,
             const std::function<void(Options&)>& setup, const std::function<Ending(Run&)>& body) {
  Timers timers;
  Options options(name);
  setup(options);
  if (const auto code = end_before_start(name, argc, argv, options)) return static_cast<int>(*code);

  catch_interrupts();
  try {
    Ranks ranks;
    const Transport& transport = ranks.transport();
    if (options.common.threads == 0) options.common.threads = default_threads(ranks.on_this_host());
    leave_binding(options.common.threads);
    std::optional<Run> run;
    try {
      run.emplace(ranks, options, timers);
      const Ending ending = body(*run);
      run->finish();
      if (ending == Ending::interrupted) return static_cast<int>(ExitCode::interrupted);
      if (options.common.require_convergence && run->summary.converged == false)
        return static_cast<int>(ExitCode::not_converged);
      return static_cast<int>(ExitCode::done);
    } catch (...) {
      const Failure failure = current_failure();
      if (!failure.on_all_ranks && transport.size() > 1) {
        // Should the others fail in the same way, the first of them ends the job and they stay
        // silent.
        std::this_thread::sleep_for(std::chrono::milliseconds(100) *
                                    std::min(transport.rank(), 10));
        complain(name, failure.text);
        ranks.local_abort(static_cast<int>(failure.code));
      }
      if (run) run->end_progress_line();
      if (transport.rank() == 0) complain(name, failure.text);
      return static_cast<int>(failure.code);
    }
  } catch (...) {  // MPI did not start
    const Failure failure = current_failure();
    if (launched_rank().value_or(0) == 0) complain(name, failure.text);
    return static_cast<int>(failure.code);
  }
}

}  // namespace gas::tools
