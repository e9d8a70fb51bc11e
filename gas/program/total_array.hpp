#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <type_traits>
#include <vector>

#include "gas/program/totals.hpp"

namespace gas {

/// An array of totals: values of a small total, or rows of one run-time width of a row total.
/// `operator[]` is a reference to the one, a view of the other.
template <class Total>
class TotalArray {
 public:
  using Ref = Total&;
  void resize(std::size_t count, std::size_t /*width*/) { totals_.assign(count, Total{}); }
  std::size_t size() const { return totals_.size(); }
  Total& operator[](std::size_t i) { return totals_[i]; }
  Total* data() { return totals_.data(); }
  void clear(std::size_t i) { totals_[i] = Total{}; }
  void clear() { std::fill(totals_.begin(), totals_.end(), Total{}); }
  void add(std::size_t i, const Total& from) { totals_[i] += from; }
  /// Known to be empty.
  bool zero(std::size_t i) const {
    if constexpr (std::equality_comparable<Total>)
      return totals_[i] == Total{};
    else
      return false;
  }

 private:
  std::vector<Total> totals_;
};

template <RowTotal Total>
class TotalArray<Total> {
 public:
  using Element = typename Total::Element;
  using Ref = Total;
  void resize(std::size_t count, std::size_t width) {
    width_ = width;
    // Padded by a cache line at both ends: per-thread arrays must not share lines.
    elements_.assign(count * width + 2 * pad, Element{});
    count_ = count;
  }
  std::size_t size() const { return count_; }
  std::size_t width() const { return width_; }
  Total operator[](std::size_t i) { return Total(row(i)); }
  std::span<Element> row(std::size_t i) { return {elements_.data() + pad + i * width_, width_}; }
  void clear(std::size_t i) { std::ranges::fill(row(i), Element{}); }
  void clear() { std::fill(elements_.begin(), elements_.end(), Element{}); }
  void add(std::size_t i, std::span<const Element> from) {
    const std::span<Element> into = row(i);
    for (std::size_t j = 0; j < width_; ++j) Total::combine(into[j], from[j]);
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
template <class Total>
void put(TotalArray<Total>& into, std::size_t i, const Total& total) {
  if constexpr (RowTotal<Total>) {
    std::ranges::copy(total.elements(), into.row(i).begin());
  } else {
    into[i] = total;
  }
}

/// into += from, both of one kind of total.
template <class Total>
void combine(Total& into, const Total& from) {
  if constexpr (RowTotal<Total>) {
    const auto to = into.elements();
    const auto by = from.elements();
    for (std::size_t i = 0; i < to.size(); ++i) Total::combine(to[i], by[i]);
  } else {
    into += from;
  }
}

/// into[i] combined with from[j].
template <class Total>
void combine(TotalArray<Total>& into, std::size_t i, TotalArray<Total>& from, std::size_t j) {
  if constexpr (RowTotal<Total>) {
    into.add(i, from.row(j));
  } else {
    into.add(i, from[j]);
  }
}

}  // namespace gas
