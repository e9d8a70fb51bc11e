#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>

#include "gas/engine/engine.hpp"
#include "tools/support/run/run_tool.hpp"

namespace gas::tools {

/// A run of rounds that draw, with rounds that measure between them; both programs have both.
template <class Program>
class TopicRounds {
 public:
  TopicRounds(Run& run, Engine<Program>& engine, std::uint64_t tokens,
              std::uint64_t between_measures)
      : run_(run), engine_(engine), tokens_(tokens), between_measures_(between_measures) {}

  /// Until --iterations, --tolerance or an interrupt; leaves the state at rest. Collective.
  void run() {
    const auto& options = run_.options;
    const bool measures = !options.log.empty() || options.tolerance > 0;
    bool interrupted = false;
    std::optional<double> before;
    while (round_ < options.iterations && !interrupted && !converged_) {
      const std::uint64_t until =
          !measures ? options.iterations
                    : std::min<std::uint64_t>(options.iterations,
                                              (round_ / between_measures_ + 1) * between_measures_);
      const std::uint64_t first = round_;
      const RunReport report = engine_.run(run_.engine_options(until - round_), [&](const auto&) {
        if (++round_ < until) run_.round_done(round_, std::nullopt);
      });
      interrupted = report.interrupted;
      converged_ = report.converged;  // there is no vertex
      if (round_ < until) break;
      std::optional<double> now;
      if (measures && !interrupted)
        run_.off_the_clock([&] {
          catch_up();
          now = measure();
        });
      run_.round_done(round_, now);
      if (before && now && options.tolerance > 0)
        converged_ = std::abs(*now - *before) <=
                     options.tolerance * std::abs(*before) * static_cast<double>(round_ - first);
      before = now;
      if (measures && round_ < options.iterations && !converged_)
        interrupted = all_max(run_.transport, run_.interrupted() ? 1 : 0) > 0;
    }
    run_.summary.iterations = round_;
    run_.summary.converged = converged_;
    run_.summary.interrupted = interrupted;
    run_.saw(engine_.local_report());
    catch_up();
  }

  /// Mean over tokens of log Σ_k θ_dk φ_kw, of the state at rest; none without a token. Collective.
  std::optional<double> measure() {
    measure_once(true);
    if (tokens_ == 0) return std::nullopt;
    return Program::log_likelihood(engine_.last().data()) / static_cast<double>(tokens_);
  }

 private:
  /// Words' rows become those of their tokens, which they are anyway where ranks wait for each
  /// other.
  void catch_up() {
    if (run_.options.staleness > 0 && round_ > 0) measure_once(false);
  }

  /// A round that measures. Rows that stay as they are need not be written again, which would take
  /// longer than to measure.
  void measure_once(bool rows_stay) {
    Program& program = engine_.program();
    if constexpr (requires { program.rows_stay; }) program.rows_stay = rows_stay;
    engine_.run_at_rest();
  }

  Run& run_;
  Engine<Program>& engine_;
  std::uint64_t tokens_, between_measures_;
  std::uint64_t round_ = 0;
  bool converged_ = false;
};

}  // namespace gas::tools
