#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "gas/program/accumulators.hpp"

namespace gas {

// List accumulators. Each worker gathers into one list, which keeps its memory from vertex to
// vertex. So once it has grown there is no allocation per edge or visit.

/// The gathered elements in sequence: in the order of the edges on each rank, rank after rank.
template <class T>
class List {
  static_assert(std::is_trivially_copyable_v<T>,
                "gas::List<T>: T must be trivially copyable, as a number is: for a std::pair or "
                "std::tuple use a struct");

 public:
  using Element = T;
  void push_back(const T& element) { elements_.push_back(element); }
  void add(std::span<const T> more) { elements_.insert(elements_.end(), more.begin(), more.end()); }
  void clear() { elements_.clear(); }
  std::size_t size() const { return elements_.size(); }
  bool empty() const { return elements_.empty(); }
  std::span<T> elements() { return elements_; }
  std::span<const T> elements() const { return elements_; }

 private:
  std::vector<T> elements_;
};

/// For each gathered item, how often it occurred, or the sum of its weights. Items are integers, in
/// the order in which they first occurred. Memory: 16 to 24 bytes in addition to each element.
template <class T, class Number = std::uint64_t>
class Counts {
  static_assert(std::is_integral_v<T>, "gas::Counts<T>: T must be an integer, such as an id");

 public:
  struct Element {
    T item;
    Number count;
  };

  void add(T item, Number count = 1) {
    if (2 * elements_.size() >= places_.size()) grow();
    std::size_t at = first_place(item);
    for (; places_[at] != 0; at = (at + 1) & (places_.size() - 1)) {
      Element& element = elements_[places_[at] - 1];
      if (element.item != item) continue;
      element.count += count;
      return;
    }
    elements_.push_back({item, count});
    places_[at] = static_cast<std::uint32_t>(elements_.size());
    taken_.push_back(at);
  }
  void add(std::span<const Element> more) {
    for (const Element& element : more) add(element.item, element.count);
  }
  void clear() {
    for (const std::size_t at : taken_) places_[at] = 0;
    taken_.clear();
    elements_.clear();
  }
  std::size_t size() const { return elements_.size(); }
  bool empty() const { return elements_.empty(); }
  std::span<const Element> elements() const { return elements_; }

 private:
  std::size_t first_place(T item) const {
    const auto mixed = static_cast<std::uint64_t>(item) * 0x9E3779B97F4A7C15U;
    return static_cast<std::size_t>(mixed >> 32U) & (places_.size() - 1);
  }
  void grow() {
    places_.assign(std::max<std::size_t>(2 * places_.size(), 16), 0);
    const std::vector<Element> before = std::exchange(elements_, {});
    elements_.reserve(before.size() + 1);
    taken_.clear();
    add(before);
  }

  std::vector<Element> elements_;
  std::vector<std::uint32_t> places_;  // a hash table of a power of two: 0, or an element and 1
  std::vector<std::size_t> taken_;     // by element: its place
};

}  // namespace gas
