#pragma once

#include <algorithm>
#include <limits>
#include <span>

#include "gas/engine/engine.hpp"
#include "programs/logistic_regression/dual_ascent.hpp"

namespace gas {

/// Runs the ascent at any staleness, to its tolerance or for options.iterations rounds of steps,
/// also from a checkpoint on (collective). It goes in phases, each followed by one or two rounds at
/// rest, at staleness 0, which measure D of one w: `last()` afterwards tells its objective and gap.
/// The first takes 64 rounds, or an eighth of the limit, but at least 8, if that is less; each next
/// one twice as many, until one has not raised D. Every such one halves the length, down to 8, and
/// doubles `caution`, up to what makes any rounds rise in sum: 1 at staleness 0, where a phase
/// lasts to the end, else 1 + 2τ (see DualAscent), where no rank is further ahead than the bound,
/// nor, in async, than a phase is long. So it comes to the optimum however late what arrives. A
/// phase after which P − D is more than twice the least so far is taken back; so is what comes
/// after that least, at the end. The report counts rounds of steps.
template <class OnRound>
gas::RunReport ascend_dual(gas::Engine<DualAscent>& engine, gas::RunOptions options,
                           OnRound on_round) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  struct Progress {
    double before = -infinity;        // D before the phase
    std::uint64_t rounds = 0, phase;  // rounds before it; its own
    bool fell = false;                // a phase did not raise D
    double least = infinity, kept;    // P − D of what the examples keep, and its D
  } now{.phase = std::clamp<std::uint64_t>(options.iterations / 8, 8, 64), .kept = 0};
  DualAscent& program = engine.program();
  const std::uint64_t limit = options.iterations, bound = options.staleness.bound;
  const double asked = program.tolerance;
  options.checkpoint.beside = std::as_writable_bytes(std::span(&now, 1));
  options.checkpoint.waits = false;
  std::uint64_t ran = 0;  // rounds of the phase
  if (!options.checkpoint.folder.empty()) ran = engine.resume(options).rounds - now.rounds;
  if (bound > 0 && !program.warm && ran + now.rounds == 0) {
    engine.run_at_rest(1);
    now.least = program.objective(engine.last());  // without weights D is 0
  }
  gas::RunReport report;
  for (bool goes_on = true; goes_on;) {
    const std::uint64_t left = limit - std::min(limit, now.rounds);
    const std::uint64_t ahead = std::min(bound, now.phase);
    const double enough = ahead == 0 ? 1 : 4 * static_cast<double>(ahead) + 3;
    const bool to_the_end =
        (ahead == bound && program.caution >= enough) || (!now.fell && left < 2 * now.phase);
    const std::uint64_t planned = to_the_end ? left : std::min(now.phase, left);
    options.iterations = planned - std::min(planned, ran);
    const std::uint64_t before_run = now.rounds + ran;
    report =
        engine.run(options, [&](const auto& round) { on_round(round, before_run + round.round); });
    report.rounds = now.rounds = before_run + report.rounds;
    ran = 0;
    engine.run_at_rest(bound > 0 ? 2 : 1);  // weights must catch up
    const double gap = program.gap(engine.last()), primal = program.objective(engine.last());
    const double dual = (1 - gap) * primal, apart = gap * primal;
    if (report.converged) program.tolerance /= 2;
    if (dual <= now.before) {
      now.fell = true;
      now.phase = std::max<std::uint64_t>(now.phase / 2, 8);
      program.caution = std::min(2 * program.caution, enough);
    } else if (!now.fell) {
      now.phase *= 2;
    }
    now.before = dual;
    report.converged = asked > 0 && gap <= asked;
    goes_on = !report.converged && !report.interrupted && report.rounds < limit;
    if (apart <= now.least) {
      now.least = apart;
      now.kept = dual;
      engine.template local_for_each<DualAscent::Example>(
          [](VertexId, auto& example) { example.kept = example.logit; });
    } else if (apart > (goes_on ? 2 : 1) * now.least) {
      now.before = now.kept;
      program.goes_back = true;
      engine.run({.iterations = 1});
      program.goes_back = false;
      engine.run_at_rest(1);
    }
  }
  engine.finish_checkpoints();
  return report;
}

}  // namespace gas
