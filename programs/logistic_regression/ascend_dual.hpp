#pragma once

#include <algorithm>
#include <limits>

#include "gas/engine/engine.hpp"
#include "programs/logistic_regression/dual_ascent.hpp"

namespace gas {

/// Runs the ascent at any staleness, to its tolerance or for options.iterations rounds of steps
/// (collective). It goes in phases, each followed by one or two rounds at rest, at staleness 0,
/// which measure D of one w: `last()` afterwards tells its objective and gap. Phases take 64, 128,
/// … rounds until one has not raised D; every such one halves their length, down to 8, and doubles
/// `caution`, up to what makes any rounds rise in sum: 1 at staleness 0, where a phase lasts to the
/// end, else 1 + 2τ (see DualAscent), where no rank is further ahead than the bound, nor, in async,
/// than a phase is long. So it comes to the optimum however late what arrives. The report counts
/// rounds of steps.
template <class OnRound>
gas::RunReport ascend_dual(gas::Engine<DualAscent>& engine, gas::RunOptions options,
                           OnRound on_round) {
  DualAscent& program = engine.program();
  const std::uint64_t limit = options.iterations, bound = options.staleness.bound;
  const double asked = program.tolerance;
  double before = -std::numeric_limits<double>::infinity();
  std::uint64_t rounds = 0, phase = 64;
  bool fell = false;  // a phase did not raise D
  gas::RunReport report;
  for (bool goes_on = true; goes_on;) {
    const std::uint64_t left = limit - report.rounds, ahead = std::min(bound, phase);
    const double enough = ahead == 0 ? 1 : 4 * static_cast<double>(ahead) + 3;
    const bool to_the_end =
        (ahead == bound && program.caution >= enough) || (!fell && left < 2 * phase);
    options.iterations = to_the_end ? left : std::min(phase, left);
    const std::uint64_t before_phase = rounds;
    report = engine.run(options,
                        [&](const auto& round) { on_round(round, before_phase + round.round); });
    report.rounds = rounds += report.rounds;
    engine.run_at_rest(bound > 0 ? 2 : 1);  // weights must catch up
    const double gap = program.gap(engine.last());
    const double dual = (1 - gap) * program.objective(engine.last());
    if (report.converged) program.tolerance /= 2;
    if (dual <= before) {
      fell = true;
      phase = std::max<std::uint64_t>(phase / 2, 8);
      program.caution = std::min(2 * program.caution, enough);
    } else if (!fell) {
      phase *= 2;
    }
    before = dual;
    report.converged = asked > 0 && gap <= asked;
    goes_on = !report.converged && !report.interrupted && report.rounds < limit;
  }
  return report;
}

}  // namespace gas
