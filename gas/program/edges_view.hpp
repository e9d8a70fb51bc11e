#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "gas/base/types.hpp"
#include "gas/program/row.hpp"

namespace gas {

/// All edges of the visited vertex, with the rows that their other ends publish. For a program that
/// scatters all edges of a vertex in one call. Valid during that call only.
template <class Edge, class Element>
class EdgesView {
 public:
  /// `order` is null if the edges lie side by side. `following`: how many edges after the last one
  /// (those of the next vertices) may be fetched, too.
  EdgesView(Edge* edges, const std::uint32_t* order, const LocalId* neighbours, std::size_t count,
            std::size_t following, const Element* rows, std::size_t width, std::size_t stride)
      : edges_(edges),
        order_(order),
        neighbours_(neighbours),
        count_(count),
        readable_(count + following),
        rows_(rows),
        width_(width),
        stride_(stride) {}

  std::size_t size() const { return count_; }
  /// Edge i, in a fixed order: by the row of the other end.
  Edge& operator[](std::size_t i) const { return edges_[order_ == nullptr ? i : order_[i]]; }
  /// The row that the other end of edge i publishes.
  RowView<const Element> published(std::size_t i) const { return {row(i), width_}; }
  const Element* row(std::size_t i) const { return rows_ + std::size_t{neighbours_[i]} * stride_; }

  /// Prefetches the start of the row of edge i, at most 8 cache lines. `i` may lie behind the last
  /// edge.
  void fetch(std::size_t i) const {
    if (i >= readable_) return;
    const auto* at = reinterpret_cast<const char*>(row(i));
    const std::size_t bytes = std::min<std::size_t>(width_ * sizeof(Element), 512);
    for (std::size_t b = 0; b < bytes; b += 64) __builtin_prefetch(at + b);
  }

 private:
  Edge* edges_;
  const std::uint32_t* order_;
  const LocalId* neighbours_;
  std::size_t count_, readable_;
  const Element* rows_;
  std::size_t width_, stride_;
};

/// The same where the other ends publish lists of T: gas::EdgesView<Edge, gas::ListOf<T>>.
template <class Edge, class T>
class EdgesView<Edge, ListOf<T>> {
 public:
  EdgesView(Edge* edges, const std::uint32_t* order, const LocalId* neighbours, std::size_t count,
            std::size_t following, const std::vector<T>* lists)
      : edges_(edges),
        order_(order),
        neighbours_(neighbours),
        count_(count),
        readable_(count + following),
        lists_(lists) {}

  std::size_t size() const { return count_; }
  Edge& operator[](std::size_t i) const { return edges_[order_ == nullptr ? i : order_[i]]; }
  std::span<const T> published(std::size_t i) const { return lists_[neighbours_[i]]; }
  /// Prefetches where the list of edge i is stored, not its elements.
  void fetch(std::size_t i) const {
    if (i < readable_) __builtin_prefetch(lists_ + neighbours_[i]);
  }

 private:
  Edge* edges_;
  const std::uint32_t* order_;
  const LocalId* neighbours_;
  std::size_t count_, readable_;
  const std::vector<T>* lists_;
};

/// The view that such a program gets, by what the other ends publish.
template <class Edge, class Published>
using EdgesViewOf =
    EdgesView<Edge, typename std::conditional_t<is_list<Published>, std::type_identity<Published>,
                                                ElementOf<Published>>::type>;

}  // namespace gas
