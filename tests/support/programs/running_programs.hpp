#pragma once

#include <cstdint>

#include "tests/support/two_adic.hpp"

/// Two-adic programs of two kinds in which the one tells the other by how much it changed, in one
/// pass over the edges: every difference must be added exactly once. And programs that read in
/// place what was pushed just before.
namespace gas_test {

/// What rights sum up: kept and changed by what is pushed, or anew in each step.
template <bool is_kept>
struct PushedSum : TwoAdicAccumulator<1> {
  static constexpr bool running = is_kept;
  bool operator==(const PushedSum& other) const { return sum == other.sum; }
};

/// `kept`: lefts publish by how much they changed, and rights keep the sum; else the whole.
template <bool kept, gas::Active active>
struct PushingProgram : TwoAdic {
  struct Left : TwoAdicState<0, active> {
    using Published = std::uint32_t;
    using Accumulator = TwoAdicAccumulator<0>;
  };
  struct Right : TwoAdicState<1, active> {
    using Published = std::uint32_t;
    using Accumulator = PushedSum<kept>;
  };
  using Data = Left;
  using Parameter = Right;
  using Edge = float;
  /// Rights ask for visits of their own when all lefts have come to rest.
  std::uint32_t visits_wanted(std::uint32_t kind, std::uint64_t id) const {
    return TwoAdic::visits_wanted(kind, id) + (kind == 1 && asks_again && awake(1, id) ? 6 : 0);
  }
  void gather(PushedSum<kept>& total, std::uint32_t x, float w) const {
    total.sum += product(x, w);
  }
  std::uint32_t apply(Left& left, const TwoAdicAccumulator<0>& total, auto& v) const {
    const std::uint32_t before = left.x[0];
    left.visit(*this, {total.sum, 0}, v);
    return kept ? left.x[0] - before : left.x[0];
  }
  std::uint32_t apply(Right& right, const PushedSum<kept>& total, auto& v) const {
    right.visit(*this, {total.sum, 0}, v);
    return right.x[0];
  }
};

/// Lefts that are split over ranks push one difference again where the next one is late, so above
/// staleness 0 they must be whole.
template <gas::Active active = gas::Active::changed>
struct RunningProgram : PushingProgram<true, active> {
  static constexpr Splits splits = Splits::at_0;
  using PushingProgram<true, active>::gather;
  void gather(TwoAdicAccumulator<0>& total, std::uint32_t x, float w) const {
    total.sum += TwoAdic::product(x, w);
  }
};
static_assert(gas::fused<RunningProgram<>> && !gas::rank_local<RunningProgram<>>);

/// In place: a left reads what others of its shard have told each right in this step on top of what
/// that publishes. That is between the right's value and its next one, so it is right in as many
/// bits as these. Of whole sums it can only see that they are made of whole products.
template <bool kept, gas::Active active = gas::Active::changed>
struct InPlaceProgram : PushingProgram<kept, active> {
  static constexpr Splits splits = Splits::never;
  using PushingProgram<kept, active>::gather;
  void gather(TwoAdicAccumulator<0>& total, std::uint32_t x,
              const gas::OwnPushes<PushedSum<kept>>& own, float w) const {
    total.sum += TwoAdic::product(x, w, kept ? own.total.sum : own.total.sum % 16);
  }
};
static_assert(gas::rank_local<InPlaceProgram<true>> && gas::rank_local<InPlaceProgram<false>>);

}  // namespace gas_test
