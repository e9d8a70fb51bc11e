#include "tools/support/run/run_tool.hpp"

#include <fmt/format.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <numeric>
#include <thread>

#include "gas/base/error.hpp"
#include "gas/base/open_file.hpp"
#include "gas/base/whole_file.hpp"
#include "gas/exchange/host/cores.hpp"
#include "partition/metis/call.hpp"
#include "tools/support/output/folder_exchange.hpp"
#include "tools/support/process/interrupt.hpp"
#include "tools/support/process/last_words.hpp"
#include "tools/support/process/standard_error.hpp"
#include "tools/support/process/watched.hpp"
#include "tools/support/show/counted.hpp"

namespace gas::tools {
namespace {

void write_out(const std::string& text) {
  if (std::fputs(text.c_str(), stdout) < 0 || std::fflush(stdout) != 0)
    throw RunError("standard output cannot be written");
}

void complain(const std::string& tool, const std::string& text) {
  std::string line = text;
  std::ranges::replace(line, '\n', ' ');
  say(tool + ": " + line + "\n");
}

constexpr const char* out_of_memory = "out of memory";  // as together() ends it

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
    return {ExitCode::failed, out_of_memory, false};
  } catch (const std::exception& error) {
    ExitCode code = ExitCode::failed;
    if (dynamic_cast<const UsageError*>(&error)) code = ExitCode::wrong_usage;
    if (dynamic_cast<const InputError*>(&error)) code = ExitCode::bad_input;
    return {code, error.what(), dynamic_cast<const ThrownTogether*>(&error) != nullptr};
  } catch (...) {
    return {ExitCode::failed, "an exception that is not derived from std::exception", false};
  }
}

Slowness slowness_of(const std::string& name) {
  if (name == "transient") return Slowness::transient;
  if (name == "rotating") return Slowness::rotating;
  if (name == "persistent") return Slowness::persistent;
  return name == "cloud" ? Slowness::cloud : Slowness::even;
}

/// A share of all cores of the host, whatever mpirun has bound the rank to.
unsigned default_threads(int ranks_on_host) {
  if (!launched_rank()) return usable_cores();
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
  together(transport, [&] {
    if (transport.rank() == 0 && reports()) report_.emplace(options.report, options.output);
  });
  if (transport.rank() == 0) progress_.emplace(options_.name(), options.quiet);
  summary.tool = options_.name();
  summary.ranks = static_cast<std::uint64_t>(transport.size());
  summary.threads = options.threads;
  if (options_.runs_rounds()) summary.staleness_bound = options.staleness;
  if (options_.has_seed()) summary.seed = options.seed;
  if (!options.input.empty() && !options.without_input) summary.input = options.input;
  if (!options.generate.empty()) summary.input = options.generate;
  for (const std::string& key : options_.own_summary_keys()) summary.own.emplace_back(key, Value());
  if (!options.trace.empty() && !options.dry_run) trace_.emplace();
  if (options.straggler_round > 0)
    straggler_.emplace(slowness_of(options.straggler), options.straggler_round * 1e-3, options.seed,
                       transport.rank(), transport.size());
  manifest.tool = options_.name();
  manifest.command = options_.command();
  manifest.options = options_.values();
  manifest.ranks = summary.ranks;
  manifest.threads = summary.threads;
  manifest.input = options.input;
  manifest.identity.generated = options.generate;
  const std::vector<std::string> given = options_.given_paths();
  together(transport, [&] {
    if (transport.rank() != 0) return;
    if (!options.dry_run)
      for (const std::string& path : given) finish_exchange_to_read(path);
    if (!options.input.empty() && !options.without_input)
      manifest.identity = partition::local_look_at(options.inputs);
  });
  if (options.dry_run) return;
  plan_ = {options.output, options.force, options_.output_names(), given};
  if (!options.output.empty()) output_.emplace(transport, plan_);
  together(transport, [&] {
    if (transport.rank() != 0) return;
    if (!options.log.empty()) log_.emplace(options.log, options.resume);
    if (options.trace.empty()) return;
    trace_file_.reset(open_to_write(options.trace));
    if (!trace_file_)
      throw RunError(fmt::format("{}: cannot be written: {}", options.trace, std::strerror(errno)));
  });
}

void Run::enter(Phase phase) {
  phase_ = phase;
  timers_.enter(phase);
  tell_watcher_computes(phase == Phase::compute);
  if (progress_) progress_->doing(what_is_done(phase));
  if (phase <= Phase::partition) return;
  if (!summary.bytes_sent) summary.bytes_sent.emplace();
  if (phase == Phase::compute) {
    sent_while_loading_ = transport.sent();
    messages_while_loading_ = transport.messages_sent();
  }
  on_interrupt(OnInterrupt::note);
}

std::string Run::what_is_done(Phase phase) const {
  if (phase == Phase::load) {
    std::error_code unknown;
    const auto bytes = std::filesystem::file_size(options.input, unknown);
    const std::string size =
        unknown ? "" : fmt::format(" ({:.1f} MB)", static_cast<double>(bytes) * 1e-6);
    return "loading " + options.input_name() + size;
  }
  if (phase == Phase::partition) {
    if (options.partition.empty()) return "cutting";
    if (options.partition_is_folder) return "taking the partition " + options.partition;
    if (summary.ranks == 1) return "building the graph";
    return fmt::format("cutting by {} into {} parts", options.partition, summary.ranks);
  }
  if (phase == Phase::compute) return "computing";
  if (phase == Phase::objective) return "measuring";
  return options.output.empty() ? "ending" : "writing " + options.output;
}

std::string Run::explained(const std::string& failure) const {
  return failure.ends_with(out_of_memory) && phase_ ? failure + " while " + what_is_done(*phase_)
                                                    : failure;
}

void Run::off_the_clock(const std::function<void()>& work) {
  struct Pause {
    explicit Pause(Timers& timers) : timers_(timers), computed_(tell_watcher_computes(false)) {
      timers_.pause();
    }
    ~Pause() {
      timers_.resume();
      tell_watcher_computes(computed_);
    }
    Pause(const Pause&) = delete;
    Pause& operator=(const Pause&) = delete;
    Timers& timers_;
    const bool computed_;
  };
  const Pause pause(timers_);
  if (progress_) progress_->doing("evaluating");
  work();
  if (progress_) progress_->doing("computing");
}

void Run::round_done(std::uint64_t round, std::optional<double> objective) {
  tell_watcher_round(round);
  if (transport.rank() != 0) return;
  const double seconds = compute_seconds();
  if (log_) log_->round(round, seconds, objective);
  if (report_) report_->round({round, seconds, objective});
  progress_->round(round, options.iterations, seconds, objective);
}

const std::string& Run::model_sum() {
  if (!model_sum_.empty()) return model_sum_;
  std::string sum;
  together(transport, [&] {
    if (transport.rank() == 0)
      sum = local_sum(std::filesystem::path(options.model) / "manifest.json").checksum;
  });
  return model_sum_ = broadcast_text(transport, sum);
}

CheckpointOptions Run::checkpoint_options() {
  CheckpointOptions made;
  made.folder = options.checkpoint;
  if (made.folder.empty()) return made;
  made.every_rounds = options.checkpoint_rounds;
  made.every_seconds = options.checkpoint_seconds;
  made.gather = options.checkpoint_gather;
  made.resume = options.resume;
  if (!options.model.empty())
    made.settings.emplace_back("start", fmt::format("a model (manifest {})", model_sum()));
  made.leaves = told_to_leave_at_checkpoint;
  made.resumed = [this](std::uint64_t round) {
    note(fmt::format("continues after round {} of the checkpoint", round));
    if (options.iterations > 0 && round > options.iterations)
      warn(fmt::format("the checkpoint is of round {}, beyond --iterations {}: no more rounds run",
                       round, options.iterations));
  };
  made.warn = [this](const std::string& text) { warn(text); };
  made.lost = [this](const std::string& problem) {
    warn("a checkpoint could not be written, the run goes on: " + problem);
    side_failures_.emplace_back("checkpoint", problem);
  };
  return made;
}

RunOptions Run::engine_options(std::uint64_t iterations) {
  RunOptions made = options.run_options();
  made.iterations = iterations;
  made.interrupted = [] { return tools::interrupted().load(); };
  if (trace_) made.trace = &*trace_;
  // gas-run wants to know who waits before it loses patience.
  const double for_watcher = watchers_patience() / 2;
  const bool earlier = for_watcher > 0 && (options.watchdog == 0 || for_watcher < options.watchdog);
  made.watchdog = {earlier ? for_watcher : options.watchdog,
                   [this, earlier](const std::string& text) {
                     tell_watcher_waits(text);
                     if (earlier) return;
                     end_progress_line();
                     complain(summary.tool, text);
                   },
                   tell_watcher_waited};
  made.checkpoint = checkpoint_options();
  if (straggler_) made.delay = [this](std::uint64_t round) { return straggler_->seconds(round); };
  return made;
}

void Run::in_effect(const std::string& option, const std::optional<std::string>& value) {
  const auto at =
      std::ranges::find(manifest.options, option, &std::pair<std::string, std::string>::first);
  if (!value && at != manifest.options.end())
    manifest.options.erase(at);
  else if (value && at != manifest.options.end())
    at->second = *value;
  else if (value)
    manifest.options.emplace_back(option, *value);
}

const Context& Run::context() {
  if (!context_) context_.emplace(transport, options.threads);
  return *context_;
}

OnRound Run::on_round() {
  return [this](const RoundTold& told) {
    round_done(told.round, told.objective);
    return true;
  };
}

void Run::ended(const Outcome& outcome) {
  ended<Outcome>(outcome);
  saw(outcome.did);
}

void Run::ended_exactly(const Outcome& outcome) {
  ended(outcome);
  if (outcome.converged) summary.reproducible = true;
  tell_unfinished(outcome, "the result was exact");
}

void Run::tell_unfinished(const Outcome& outcome, const std::string& goal) {
  if (outcome.converged) return;
  warn(fmt::format("{} ended the run before {}: the result is of {}",
                   outcome.interrupted ? "a signal" : "--iterations", goal,
                   counted(outcome.rounds, "round", "rounds")));
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
  if (std::ranges::find(summary.warnings, text) != summary.warnings.end()) return;
  summary.warnings.push_back(text);
  if (progress_) progress_->warn(text);
}

bool Run::shows() const {
  return options.top_given || (options.output.empty() && !options.summary);
}

void Run::show(const std::function<std::string()>& result) {
  if (!shows()) return;
  table = [text = result()](const RunSummary&) { return text; };
}

void Run::objective_is(const std::string& words) {
  if (report_) report_->objective_is(words);
}

void Run::report(const std::function<std::vector<report::Section>()>& sections) {
  if (!reports()) return;
  std::vector<report::Section> made = sections();
  if (report_) report_->add(std::move(made));
}

void Run::print(const std::string& text) {
  if (transport.rank() == 0) write_out(text);
}

bool Run::interrupted() const { return tools::interrupted(); }

std::string Run::what_is_kept() const {
  return wrote_ ? "the results are in " + options.output : "nothing was written";
}

void Run::tell_interrupt() {
  if (transport.rank() != 0 || !summary.interrupted || told_interrupt_) return;
  told_interrupt_ = true;
  end_progress_line();
  complain(summary.tool, fmt::format("interrupted after round {}: {}",
                                     summary.iterations.value_or(0), what_is_kept()));
}

void Run::tell_ending() {
  tell_interrupt();
  if (transport.rank() != 0) return;
  const std::string kept = what_is_kept();
  for (const auto& [name, failure] : side_failures_)
    complain(summary.tool, fmt::format("{} ({})", failure, kept));
}

void Run::complete_summary() {
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
}

ExitCode Run::finish() {
  timers_.leave();
  progress_.reset();
  complete_summary();
  close_side_outputs();
  together(transport, [&] {
    if (transport.rank() != 0) return;
    if (options.summary)
      write_out(summary.json() + "\n");
    else if (table)
      write_out(table(summary));
  });
  tell_ending();
  amend_manifest();
  const bool failed = all_max(transport, side_failures_.empty() ? 0 : 1) == 1;
  tell_watcher_complete();
  if (summary.interrupted) return ExitCode::interrupted;
  if (failed) return ExitCode::failed;
  const bool short_of = options.require_convergence && summary.converged == false;
  return short_of ? ExitCode::not_converged : ExitCode::done;
}

void Run::end_progress_line() {
  if (progress_) progress_->end_line();
}

namespace {

/// Catches what befalls it once the command line is read.
int run_caught(const std::string& name, int argc, const char* const* argv,
               const std::function<void(Options&)>& setup, const std::function<void(Run&)>& body) {
  Timers timers;
  Options options(name);
  setup(options);
  if (const auto code = end_before_start(name, argc, argv, options)) return static_cast<int>(*code);

  catch_signals(launched_rank().value_or(0) == 0 ? name : "", launched_rank().has_value());
  tell_watcher_listens();
  speak_before_death(name);
  try {
    Ranks ranks;
    const Transport& transport = ranks.transport();
    if (options.common.threads == 0) options.common.threads = default_threads(ranks.on_this_host());
    if (launched_rank()) leave_binding(options.common.threads);
    std::optional<Run> run;
    try {
      run.emplace(ranks, options, timers);
      body(*run);
      return static_cast<int>(run->finish());
    } catch (const LeftAtCheckpoint&) {
      run->note("ended at a checkpoint as asked: continue from it with --resume");
      return static_cast<int>(ExitCode::left);
    } catch (...) {
      Failure failure = current_failure();
      if (run) failure.text = run->explained(failure.text);
      if (!failure.on_all_ranks && transport.size() > 1) {
        // Should the others fail in the same way, the first of them ends the job and they stay
        // silent.
        std::this_thread::sleep_for(std::chrono::milliseconds(100) *
                                    std::min(transport.rank(), 10));
        complain(name, fmt::format("rank {}: {}", transport.rank(), failure.text));
        run.reset();  // which leaves no unfinished files behind
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

}  // namespace

int run_tool(const std::string& name, int argc, const char* const* argv,
             const std::function<void(Options&)>& setup, const std::function<void(Run&)>& body) {
  keep_standard_streams();
  partition::drop_remarks_of_metis();
  try {
    return run_caught(name, argc, argv, setup, body);
  } catch (...) {
    const Failure failure = current_failure();
    if (launched_rank().value_or(0) == 0) complain(name, failure.text);
    return static_cast<int>(failure.code);
  }
}

}  // namespace gas::tools
