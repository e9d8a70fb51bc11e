#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <type_traits>
#include <vector>

#include "gas/program/accumulators.hpp"

namespace gas {

/// An array of totals: values of a small total, or rows of one run-time width of a row total.
/// `operator[]` is a reference to the one, a view of the other.
template <class Accumulator>
class AccumulatorArray {
 public:
  using Ref = Accumulator&;
  void resize(std::size_t count, std::size_t /*width*/) { totals_.assign(count, Accumulator{}); }
  std::size_t size() const { return totals_.size(); }
  Accumulator& operator[](std::size_t i) { return totals_[i]; }
  Accumulator* data() { return totals_.data(); }
  void clear(std::size_t i) { totals_[i] = Accumulator{}; }
  void clear() { std::fill(totals_.begin(), totals_.end(), Accumulator{}); }
  void add(std::size_t i, const Accumulator& from) { totals_[i] += from; }
  /// Known to be empty.
  bool zero(std::size_t i) const {
    if constexpr (std::equality_comparable<Accumulator>)
      return totals_[i] == Accumulator{};
    else
      return false;
  }

 private:
  std::vector<Accumulator> totals_;
};

template <RowAccumulator Accumulator>
class AccumulatorArray<Accumulator> {
 public:
  using Element = typename Accumulator::Element;
  using Ref = Accumulator;
  void resize(std::size_t count, std::size_t width) {
    width_ = width;
    // Padded by a cache line at both ends: per-thread arrays must not share lines.
    elements_.assign(count * width + 2 * pad, Element{});
    count_ = count;
  }
  std::size_t size() const { return count_; }
  std::size_t width() const { return width_; }
  Accumulator operator[](std::size_t i) { return Accumulator(row(i)); }
  std::span<Element> row(std::size_t i) { return {elements_.data() + pad + i * width_, width_}; }
  void clear(std::size_t i) { std::ranges::fill(row(i), Element{}); }
  void clear() { std::fill(elements_.begin(), elements_.end(), Element{}); }
  void add(std::size_t i, std::span<const Element> from) {
    const std::span<Element> into = row(i);
    for (std::size_t j = 0; j < width_; ++j) Accumulator::combine(into[j], from[j]);
  }
  bool zero(std::size_t i) {
    return std::ranges::all_of(row(i), [](const Element& e) { return e == Element{}; });
  }

 private:
  static constexpr std::size_t pad = 128 / sizeof(Element);
  std::vector<Element> elements_;
  std::size_t width_ = 0;
  std::size_t count_ = 0;
};

/// into[i] = total.
template <class Accumulator>
void put(AccumulatorArray<Accumulator>& into, std::size_t i, const Accumulator& total) {
  if constexpr (RowAccumulator<Accumulator>) {
    std::ranges::copy(total.elements(), into.row(i).begin());
  } else {
    into[i] = total;
  }
}

/// into += from, both of one kind of total.
template <class Accumulator>
void combine(Accumulator& into, const Accumulator& from) {
  if constexpr (RowAccumulator<Accumulator>) {
    const auto to = into.elements();
    const auto by = from.elements();
    for (std::size_t i = 0; i < to.size(); ++i) Accumulator::combine(to[i], by[i]);
  } else {
    into += from;
  }
}

/// into[i] combined with from[j].
template <class Accumulator>
void combine(AccumulatorArray<Accumulator>& into, std::size_t i,
             AccumulatorArray<Accumulator>& from, std::size_t j) {
  if constexpr (RowAccumulator<Accumulator>) {
    into.add(i, from.row(j));
  } else {
    into.add(i, from[j]);
  }
}

}  // namespace gas
