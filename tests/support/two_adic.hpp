#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "gas/engine/engine.hpp"

/// Programs of which every vertex v is to hold
///
///   x_v = c_v + 16 Σ w x_u   over its edges, modulo 2³²,
///
/// or with x_u + x_v in place of x_u where gather reads its own value, and where c is drawn for
/// each vertex. Whatever the cycles of the graph, exactly one x does: when all have read what their
/// neighbours hold, 4 more low bits are right. So a run that ends at rest has it or is wrong: a
/// contribution that is missing, old or counted twice shows.
namespace gas_test {

/// Where vertices of a program may be split over ranks: of one kind or lefts at staleness 0 only,
/// of both kinds at staleness 0 only, or nowhere.
enum class Splits { anywhere, at_0, both_at_0, never };

template <class P>
constexpr Splits splits_of = [] {
  if constexpr (requires { P::splits; }) return P::splits;
  return Splits::anywhere;
}();

struct TwoAdic {
  static constexpr gas::Stands stands = gas::any_staleness;
  std::uint64_t seed = 1;
  bool asks_again = false;  // vertices ask for visits of which they publish nothing
  bool sleepers =
      false;  // most constants are 0, and with initially_active() their vertices not active

  static std::uint64_t mixed(std::uint64_t a, std::uint64_t b) {
    std::uint64_t x = (a ^ (b * 0x9E3779B97F4A7C15U)) + 0xD1B54A32D192ED03U;
    x = (x ^ (x >> 32U)) * 0xDABA0B6EB09322E3U;
    x = (x ^ (x >> 29U)) * 0xDABA0B6EB09322E3U;
    return x ^ (x >> 32U);
  }
  std::uint32_t drawn(std::uint32_t kind, std::uint64_t id, std::uint64_t what) const {
    return static_cast<std::uint32_t>(mixed(mixed(mixed(seed, kind), id), what));
  }
  bool awake(std::uint32_t kind, std::uint64_t id) const {
    return !sleepers || drawn(kind, id, 0) % 4 == 0;
  }
  std::uint32_t constant(std::uint32_t kind, std::uint64_t id, std::uint32_t i) const {
    return awake(kind, id) ? drawn(kind, id, 1 + i) : 0;
  }
  std::uint32_t visits_wanted(std::uint32_t kind, std::uint64_t id) const {
    if (!awake(kind, id)) return 0;
    return asks_again ? 1 + drawn(kind, id, 3) % 6 : 1;
  }
  static std::uint32_t product(std::uint32_t x, float weight, std::uint32_t own = 0) {
    x += own;
    return 16 * static_cast<std::uint32_t>(weight) * x;
  }
};

/// `active`: when a vertex is visited. In every round only where converged() ends the run.
template <std::uint32_t number, gas::Active active>
struct TwoAdicState {
  static constexpr gas::Active activity = active;
  static constexpr std::uint32_t kind = number;
  std::uint32_t visits = 0;
  std::array<std::uint32_t, 2> x{};

  void visit(const auto& program, std::array<std::uint32_t, 2> sums, auto& v) {
    const std::array<std::uint32_t, 2> before = x;
    const bool done = ++visits >= program.visits_wanted(kind, v.id());
    for (std::uint32_t i = 0; i < 2; ++i)
      x[i] = done ? program.constant(kind, v.id(), i) + sums[i] : 0;
    if (!done) v.again();
    if constexpr (requires { v.summary() += std::int64_t{1}; })
      v.summary() += std::int64_t{!done || x != before ? 1 : 0};
  }
};

/// A total of its own for each kind: by it the hooks tell which end they gather for.
template <std::uint32_t kind>
struct TwoAdicAccumulator {
  std::uint32_t sum = 0;
  TwoAdicAccumulator& operator+=(const TwoAdicAccumulator& other) {
    return sum += other.sum, *this;
  }
};

/// With a Summary, of which converged() ends the run.
template <class P>
struct Summed : P {
  using Summary = gas::Sum<std::int64_t>;  // vertices that changed, or ask again
  bool converged(const auto& last) const {
    std::int64_t changed = 0;
    if constexpr (gas::TwoKinds<P>)
      changed = last.data().value + last.parameter().value;
    else
      changed = last.vertex().value;
    return changed == 0;
  }
};

/// Those that sleep are not active in round 1.
template <class P>
struct Sleeping : P {
  bool initially_active(const auto& state, auto& v) const {
    return this->awake(state.kind, v.id());
  }
};

/// Says itself what is a change, so that every value is compared and kept.
template <class P>
struct Choosing : P {
  bool publishes(const auto& before, const auto& now) const {
    if constexpr (requires { before.begin(); })
      return !std::ranges::equal(before, now);
    else
      return before != now;
  }
};

}  // namespace gas_test
