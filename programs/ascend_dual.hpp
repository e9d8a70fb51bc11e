#pragma once

#include <algorithm>
#include <limits>

#include "gas/engine/engine.hpp"
#include "programs/dual_ascent.hpp"

/// Runs the ascent at any staleness, to its tolerance or for options.iterations rounds of steps
/// (collective). It goes in phases of 32, 64, … rounds, each followed by one or two at rest,
/// at staleness 0, which measure D of one w: `last()` afterwards tells its objective and gap.
/// A phase after which D is no higher doubles `caution`, up to what makes every sum of steps rise:
/// 1 at staleness 0, where a phase lasts to the end, 1 + 2τ at a bound (see DualAscent). In async
/// no τ is given, but whatever it is, the doubling gets there. The report counts rounds of steps.
template <class OnRound>
gas::RunReport ascend_dual(gas::Engine<DualAscent>& engine, gas::RunOptions options,
                           OnRound on_round) {
  DualAscent& program = engine.program();
  const std::uint64_t limit = options.iterations, bound = options.staleness.bound;
  const std::uint64_t rest = bound > 0 ? 2 : 1;  // weights must catch up
  const double asked = program.tolerance;
  const double most_caution = bound == 0                       ? 1
                              : bound == gas::Staleness::async ? std::numeric_limits<double>::max()
                                                               : 4 * static_cast<double>(bound) + 3;
  gas::RunOptions still = options;
  still.staleness = {};
  still.interrupted = nullptr;
  double highest = -std::numeric_limits<double>::infinity();
  std::uint64_t rested = 0, phase = 32;
  gas::RunReport report;
  for (bool goes_on = true; goes_on; phase *= 2) {
    const std::uint64_t left = limit - report.rounds;
    const bool last = program.caution == most_caution || left < 2 * phase;
    const std::uint64_t count = last ? left : phase, begun = rested + report.rounds;
    options.iterations = begun + std::min(count, std::numeric_limits<std::uint64_t>::max() - begun);
    report = engine.run(options, [&](const auto& round) { on_round(round, round.round - rested); });
    still.iterations = report.rounds + rest;
    program.resting = true;
    engine.run(still);
    program.resting = false;
    report.rounds -= rested;
    rested += rest;
    const double gap = program.gap(engine.last());
    const double dual = (1 - gap) * program.objective(engine.last());
    if (report.converged) program.tolerance /= 2;
    if (dual <= highest) program.caution = std::min(2 * program.caution, most_caution);
    highest = std::max(highest, dual);
    report.converged = asked > 0 && gap <= asked;
    goes_on = !report.converged && !report.interrupted && report.rounds < limit;
  }
  return report;
}
