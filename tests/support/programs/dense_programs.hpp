#pragma once

#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "tests/support/two_adic.hpp"

/// Two-adic programs on the complete bipartite topology: every left has an edge to every right, of
/// a weight that follows from the left's input.
namespace gas_test {

/// Σ of rows that is kept; of integers, or of floating-point numbers that hold integers.
template <class T>
struct KeptRow : gas::VectorSum<T> {
  static constexpr bool running = true;
  using gas::VectorSum<T>::VectorSum;
};

/// `kept`: lefts keep what they have gathered, and meet only rights that changed. Number: of the
/// rights' accumulators.
template <bool kept, class Number>
struct DenseProgram : TwoAdic {
  static constexpr bool dense = true;
  struct Met : TwoAdicAccumulator<0> {
    static constexpr bool running = kept;
  };
  struct Left : TwoAdicState<0, gas::Active::every_round> {
    using Input = gas::RowOf<float>;
    using Published = std::uint32_t;
    using Accumulator = Met;
    std::vector<std::uint32_t> counted = {};  // of each right, where kept
    template <class Archive>
    void serialize(Archive& archive, unsigned) {
      archive& visits& x& counted;
    }
  };
  struct Right : TwoAdicState<1, gas::Active::every_round> {
    using Published = gas::RowOf<double>;
    using Accumulator = KeptRow<Number>;
  };
  using Data = Left;
  using Parameter = Right;
  std::size_t width(gas::PublishedOf<Right>) const { return 1; }
  std::size_t width(gas::AccumulatorOf<Right>) const { return 2; }

  /// 1 … 4, of a left whose input that is and a right.
  static float weight(float input, std::uint64_t right) {
    return static_cast<float>(1 + (static_cast<std::uint64_t>(input) + right) % 4);
  }
  /// What lefts publish must not be gas::none.
  std::uint32_t constant(std::uint32_t kind, std::uint64_t id, std::uint32_t i) const {
    return TwoAdic::constant(kind, id, i) & ~1U;
  }
  /// Up to 40 visits, so that runs come to the rounds in which floating-point sums begin anew.
  std::uint32_t visits_wanted(std::uint32_t kind, std::uint64_t id) const {
    return TwoAdic::visits_wanted(kind, id) * (asks_again ? 7 : 1);
  }

  void gather_block(gas::RowsView<float> points, const gas::ParameterBlock<double>& rights,
                    std::span<Met> totals, auto&, std::span<Left> lefts) const {
    for (std::size_t i = 0; i < points.size(); ++i)
      for (std::size_t k = 0; k < rights.rows.size(); ++k) {
        const std::uint32_t name = rights.names[k];
        const auto x = static_cast<std::uint32_t>(rights.rows[k][0]);
        std::vector<std::uint32_t>& counted = lefts[i].counted;
        if (kept && counted.size() <= name) counted.resize(name + 1);
        totals[i].sum += product(kept ? x - counted[name] : x, weight(points[i][0], name));
        if (kept) counted[name] = x;
      }
  }
  std::uint32_t apply(Left& left, const Met& total, auto& v) const {
    left.visit(*this, {total.sum, 0}, v);
    return left.x[0];
  }
  /// Adds by how much a left changed to all rights; to the second element the number of lefts.
  void push(auto& to, gas::RowView<const float> input, std::uint32_t before,
            std::uint32_t now) const {
    for (std::size_t right = 0; right < static_cast<std::size_t>(input[1]); ++right) {
      auto&& total = to[right];
      const float w = weight(input[0], right);
      if (before != gas::none) {
        total.values[0] -= static_cast<Number>(product(before, w));
        total.values[1] -= 1;
      }
      total.values[0] += static_cast<Number>(product(now, w));
      total.values[1] += 1;
    }
  }
  void apply(Right& right, const KeptRow<Number>& total, gas::RowView<double> out, auto& v) const {
    const auto sum = static_cast<std::uint32_t>(static_cast<std::int64_t>(total.values[0]));
    const bool all = total.values[1] == static_cast<Number>(v.template count<Left>());
    right.visit(*this, {all ? sum : sum + 1, 0}, v);
    out[0] = static_cast<double>(right.x[0]);
  }
};

}  // namespace gas_test
