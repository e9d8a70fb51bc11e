#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <vector>

#include "gas/program/accumulators.hpp"

namespace gas {

/// An array of totals: values of a small total, rows of one run-time width of a row total, or the
/// elements of list totals. `operator[]` is a reference to a value, or a view of a row.
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
  Accumulator operator[](std::size_t i) { return Accumulator(row(i)); }
  std::span<Element> row(std::size_t i) { return {elements_.data() + pad + i * width_, width_}; }
  void clear(std::size_t i) { std::ranges::fill(row(i), Element{}); }
  void clear() { std::fill(elements_.begin(), elements_.end(), Element{}); }
  bool zero(std::size_t i) {
    return std::ranges::all_of(row(i), [](const Element& e) { return e == Element{}; });
  }

 private:
  static constexpr std::size_t pad = 128 / sizeof(Element);
  std::vector<Element> elements_;
  std::size_t width_ = 0;
  std::size_t count_ = 0;
};

/// Lists keep their memory when they are cleared.
template <ListAccumulator Accumulator>
class AccumulatorArray<Accumulator> {
 public:
  using Element = typename Accumulator::Element;
  void resize(std::size_t count, std::size_t /*width*/) { lists_.assign(count, {}); }
  std::size_t size() const { return lists_.size(); }
  std::vector<Element>& row(std::size_t i) { return lists_[i]; }
  bool zero(std::size_t i) const { return lists_[i].empty(); }
  void clear() {
    for (std::vector<Element>& list : lists_) list.clear();
  }

 private:
  std::vector<std::vector<Element>> lists_;
};

/// into[i] = total.
template <class Accumulator>
void put(AccumulatorArray<Accumulator>& into, std::size_t i, const Accumulator& total) {
  if constexpr (RowAccumulator<Accumulator>) {
    std::ranges::copy(total.elements(), into.row(i).begin());
  } else if constexpr (ListAccumulator<Accumulator>) {
    const std::span<const typename Accumulator::Element> elements = total.elements();
    into.row(i).assign(elements.begin(), elements.end());
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

/// into += from[i].
template <class Accumulator>
void combine(Accumulator& into, AccumulatorArray<Accumulator>& from, std::size_t i) {
  if constexpr (ListAccumulator<Accumulator>)
    into.add(from.row(i));
  else
    combine<Accumulator>(into, from[i]);
}

/// One total to work on: a worker's own, which keeps its memory.
template <class Accumulator>
class WorkingAccumulator {
 public:
  using Ref = typename AccumulatorArray<Accumulator>::Ref;
  void resize(std::size_t width) { total_.resize(1, width); }
  void clear() { total_.clear(0); }
  Ref get() { return total_[0]; }

 private:
  AccumulatorArray<Accumulator> total_;
};

template <ListAccumulator Accumulator>
class alignas(128) WorkingAccumulator<Accumulator> {
 public:
  using Ref = Accumulator&;
  void resize(std::size_t /*width*/) {}
  void clear() { total_.clear(); }
  Accumulator& get() { return total_; }

 private:
  Accumulator total_;
};

}  // namespace gas
