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
/// Phases take 64, 128, … rounds until one has not raised D; every such one halves their length,
/// down to 8, and doubles `caution`, up to what makes any rounds rise in sum: 1 at staleness 0,
/// where a phase lasts to the end, else 1 + 2τ (see DualAscent), where no rank is further ahead
/// than the bound, nor, in async, than a phase is long. So it comes to the optimum however late
/// what arrives. The report counts rounds of steps.
template <class OnRound>
gas::RunReport ascend_dual(gas::Engine<DualAscent>& engine, gas::RunOptions options,
                           OnRound on_round) {
  struct Progress {
    double before = -std::numeric_limits<double>::infinity();
    std::uint64_t rounds = 0, phase = 64;  // rounds before the phase
    bool fell = false;                     // a phase did not raise D
  } now;
  DualAscent& program = engine.program();
  const std::uint64_t limit = options.iterations, bound = options.staleness.bound;
  const double asked = program.tolerance;
  options.checkpoint.beside = std::as_writable_bytes(std::span(&now, 1));
  std::uint64_t ran = 0;  // rounds of the phase
  if (!options.checkpoint.folder.empty()) ran = engine.resume(options).rounds - now.rounds;
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
    const double gap = program.gap(engine.last());
    const double dual = (1 - gap) * program.objective(engine.last());
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
  }
  return report;
}

}  // namespace gas
