#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "gas/base/types.hpp"
#include "gas/program/row.hpp"

namespace gas {

/// All edges of the visited vertex, with what their other ends publish: rows of Element or, for
/// gas::EdgesView<Edge, gas::ListOf<T>>, lists of T. For a program that scatters all edges of a
/// vertex in one call. Valid during that call only.
template <class Edge, class Element>
class EdgesView {
  static constexpr bool of_lists = is_list<Element>;
  using T =
      typename std::conditional_t<of_lists, ElementOf<Element>, std::type_identity<Element>>::type;
  using Stored = std::conditional_t<of_lists, std::vector<T>, T>;

 public:
  /// `order` is null if the edges lie side by side. `following`: how many edges after the last one
  /// (those of the next vertices) may be fetched, too. `stored`: all lists, or the elements of all
  /// rows.
  EdgesView(Edge* edges, const std::uint32_t* order, const LocalId* neighbours, std::size_t count,
            std::size_t following, const Stored* stored, std::size_t width = 0,
            std::size_t stride = 1)
      : edges_(edges),
        order_(order),
        neighbours_(neighbours),
        count_(count),
        readable_(count + following),
        stored_(stored),
        width_(width),
        stride_(stride) {}

  std::size_t size() const { return count_; }
  /// Edge i, in a fixed order: by the row of the other end.
  Edge& operator[](std::size_t i) const { return edges_[order_ == nullptr ? i : order_[i]]; }
  /// The row or list that the other end of edge i publishes.
  std::span<const T> published(std::size_t i) const {
    if constexpr (of_lists)
      return *row(i);
    else
      return {row(i), width_};
  }
  const Stored* row(std::size_t i) const {
    return stored_ + std::size_t{neighbours_[i]} * (of_lists ? 1 : stride_);
  }

  /// Prefetches the start of the row of edge i, at most 8 cache lines; of a list where it is
  /// stored, not its elements. `i` may lie behind the last edge.
  void fetch(std::size_t i) const {
    if (i >= readable_) return;
    const auto* at = reinterpret_cast<const char*>(row(i));
    const std::size_t bytes = of_lists ? 1 : std::min<std::size_t>(width_ * sizeof(T), 512);
    for (std::size_t b = 0; b < bytes; b += 64) __builtin_prefetch(at + b);
  }

 private:
  Edge* edges_;
  const std::uint32_t* order_;
  const LocalId* neighbours_;
  std::size_t count_, readable_;
  const Stored* stored_;
  std::size_t width_, stride_;  // of rows
};

/// The view that such a program gets, by what the other ends publish.
template <class Edge, class Published>
using EdgesViewOf =
    EdgesView<Edge, typename std::conditional_t<is_list<Published>, std::type_identity<Published>,
                                                ElementOf<Published>>::type>;

}  // namespace gas
