#pragma once

#include <memory>
#include <utility>

#include "gas/checkpoint/keeper.hpp"
#include "gas/context.hpp"
#include "gas/engine/checks/accepted.hpp"
#include "gas/engine/fitting_graph.hpp"
#include "gas/engine/running.hpp"
#include "gas/observe/rank_report.hpp"

namespace gas {

/// Runs a vertex program on one rank's piece of a graph, in rounds of steps of gather, apply and
/// scatter. The run's Staleness says how far ranks wait for each other. Every member without
/// `local_` is collective and must be called by the rank's main thread. Hooks of the program run on
/// the executor's threads.
///
/// Between construction and run(), local_for_each and local_give can set values. After run(),
/// local_for_each reads them back. A second run() goes on where the first ended.
template <class P>
class Engine : private Running<P> {
 public:
  using typename Round<P>::First, typename Round<P>::Second;
  using Round<P>::two;

  /// `graph` must outlive the engine. The seed keys all randomness.
  Engine(Transport& transport, Executor& executor, std::shared_ptr<const LocalGraph> graph,
         P vertex_program, std::uint64_t seed = 1)
      : Running<P>(transport, executor, fitting_graph(transport, std::move(graph), typeid(P), seed),
                   std::move(vertex_program), seed) {}
  /// The same on the ranks and threads of a context, which must outlive the engine.
  Engine(const Context& context, std::shared_ptr<const LocalGraph> graph, P vertex_program,
         std::uint64_t seed = 1)
      : Engine(context.transport(), context.executor(), std::move(graph), std::move(vertex_program),
               seed) {}
  Engine(const Context&&, std::shared_ptr<const LocalGraph>, P, std::uint64_t = 1) = delete;
  /// Refuses a graph or a matrix that is not laid out, at compile time, with a message that says
  /// what to write.
  template <NotLaidOut G>
  Engine(const Context& context, const G&, P vertex_program, std::uint64_t seed = 1)
      : Engine(context, refused_layout<G>(), std::move(vertex_program), seed) {}
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  using RankState<P>::program, RankState<P>::last;
  using RankState<P>::local_for_each, RankState<P>::local_for_each_published;
  using RankState<P>::by_id, RankState<P>::published_by_id, RankState<P>::local_published,
      RankState<P>::local_give, RankState<P>::local_for_each_edge;

  /// Sets the constant rows of the data side (complete bipartite topology), by local id of the
  /// graph's `owner` layout: `Inputs` of the element type of the kind's Input.
  template <class Rows>
  void local_set_inputs(std::shared_ptr<Rows> inputs) {
    dense_.inputs = std::move(inputs);
  }

  /// Runs rounds until nothing is active, converged(last) says stop, `iterations` rounds have run,
  /// or a rank was interrupted. `on_round(RoundReport)` is called on every rank after every
  /// round. If it or a hook throws on any rank, in any round, every rank throws that error as
  /// FailedTogether, and the engine refuses further runs. on_round may call what is collective, but
  /// run no engine on these ranks (UsageError): ranks may be in different rounds, and would wait
  /// for each other for ever.
  ///
  /// With RunOptions::checkpoint the run also writes checkpoints, and the first run() may go on
  /// from one. Then rounds, `iterations` and seconds count from the first start of the run that
  /// wrote it. When run() returns, the last checkpoint is on the disk or was told as lost. All runs
  /// of an engine use one folder. UsageError if a run names another, or if a checkpoint cannot hold
  /// the program's state. InputError if there is none to go on from, or it belongs to another run.
  /// What serialize() throws on any rank while a checkpoint is made or read, every rank throws.
  template <class OnRound>
  RunReport run(const RunOptions& options, OnRound on_round) {
    if (options.checkpoint.folder.empty()) return this->run_rounds(options, on_round);
    RunReport done;
    if (!keeper_) {
      done = resume(options);
      finishes_ = true;
    } else {
      keeper_->go_on(options.checkpoint);
    }
    const RunReport report = run_in_segments(
        options, done, core_.mailbox.transport(), *keeper_, rounds_,
        [&](const RunOptions& rest, const Segment& segment, const RunReport& before) {
          const auto tell = [&](const RoundReport<P>& told) {
            on_round(RoundReport<P>{before.rounds + told.round, before.seconds + told.seconds,
                                    told.summaries});
          };
          return this->run_rounds(rest, tell, segment);
        },
        [&](double seconds) {
          Sections sections;
          together(core_.mailbox.transport(), [&] {  // serialize() may throw
            sections = this->local_save(options.checkpoint.beside);
          });
          keeper_->write(rounds_, seconds, std::move(sections));
        });
    if (finishes_) keeper_->finish();
    return report;
  }
  RunReport run(const RunOptions& options = {}) {
    return run(options, [](const RoundReport<P>&) {});
  }

  /// For callers who make several runs; to be called before the first. If options.checkpoint ask
  /// for it, takes over the newest whole checkpoint, with the memory saved `beside` the state. Runs
  /// then count only their own rounds. Returns the rounds that led to the checkpoint, and their
  /// seconds. UsageError if it is to go on from a checkpoint and a round has run.
  RunReport resume(const RunOptions& options) {
    Transport& transport = core_.mailbox.transport();
    const typename Running<P>::Within within(transport);
    check_options_alike(transport, options, core_.number);
    if (options.checkpoint.resume && this->started_)
      throw UsageError("this engine has run rounds: go on from a checkpoint in a new engine");
    this->require_can_be_saved();
    keeper_ = std::make_unique<CheckpointKeeper>(transport, options.checkpoint, this->identity());
    RunReport done;
    if (auto loaded = keeper_->load()) {
      done.rounds = rounds_ = loaded->round;
      done.seconds = loaded->seconds;
      this->take(std::move(*loaded), options.checkpoint.beside);
      this->resumes_ = true;
    }
    return done;
  }

  /// Runs rounds in which all vertices are active, at staleness 0 and with no message in flight, to
  /// measure what a run left. Hooks recognise them by Step::at_rest. They do not count in any run's
  /// `iterations`, and neither converged() nor an interrupt ends them. After a run above staleness
  /// 0, the first such round lets all ranks see each other's last values.
  void run_at_rest(std::uint64_t rounds = 1) { this->rest(rounds); }

  /// Throws UsageError, with the reason, for settings that the program does not allow. run() does
  /// so, too. (local)
  static void check(const RunOptions& options) { check_options(options, facts_of<P, First>); }
  /// What this rank has done so far.
  RankReport local_report() const {
    const Timeline& timeline = core_.mailbox.timeline();
    RankReport report{timeline.seconds(Activity::computing),
                      timeline.seconds(Activity::waiting),
                      ending_.seconds(),
                      timeline.seconds(Activity::communicating),
                      {},
                      core_.staleness_seen};
    for (const Worker<P>& worker : core_.workers) report.counters += worker.counters;
    return report;
  }
  /// How stale this rank's reads have been so far, at bounds above 0.
  const StalenessSeen& local_staleness_seen() const { return core_.staleness_seen; }
  Counters local_counters() const { return local_report().counters; }

 private:
  using Round<P>::core_, Round<P>::dense_, Running<P>::ending_;

  std::unique_ptr<CheckpointKeeper> keeper_;  // of runs with checkpoints
  bool finishes_ = false;  // run() waits for its last checkpoint; not if the caller called resume()
  std::uint64_t rounds_ = 0;  // of all runs with checkpoints
};

}  // namespace gas
