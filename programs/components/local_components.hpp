#pragma once

#include <algorithm>
#include <atomic>
#include <vector>

#include "gas/base/threads/executor.hpp"
#include "gas/graph/local_graph.hpp"

namespace gas {

/// The connected components of a piece of a graph, by unions along its edges on all threads without
/// locks, of which few edges are looked at (Afforest: Sutton, Ben-Nun, Barak 2018). Each vertex is
/// joined with its first neighbour, which needs no union, since it starts from vertices alone. If
/// that does not join nearly all, masters are joined with their second neighbour, too. Then the
/// vertices of the largest component are done, and all others are joined with their neighbours
/// until they are in it. Of every pair both arcs must be in the graph; on this rank, for vertices
/// of which it has all edges. Memory: 4 bytes per vertex. (local)
class LocalComponents {
 public:
  LocalComponents(const gas::LocalGraph& graph, gas::Executor& executor)
      : executor_(executor), adjacency_(graph.adjacency), root_(graph.owner.rows.size()) {
    const auto masters = graph.owner.masters();
    const Id both_ends = graph.symmetric ? graph.owner.locals() : graph.owner.interior;
    each(root_.size(),
         [&](Id v) { root_[v] = adjacency_.degree(v) > 0 ? std::min(v, neighbour(v, 0)) : v; });
    compress();
    Largest largest = find_largest();
    const bool nearly_all = largest.share > 0.9;  // as in grids and chains
    if (!nearly_all) {
      each(masters, [&](Id v) {
        const Offset degree = adjacency_.degree(v);
        if (degree > 0 && neighbour(v, 0) > v) join(v, neighbour(v, 0));
        if (degree > 1) join(v, neighbour(v, 1));
      });
      compress();
      largest = find_largest();
    }
    // A vertex of the largest component needs no further look if the other ends of its edges have
    // them, too.
    const auto done = [&](Id v) { return load(v) == largest.root && v < both_ends; };
    std::atomic<bool> looked = false;
    each(root_.size(), [&](Id v) {
      if (done(v)) return;
      const Offset degree = adjacency_.degree(v);
      Offset i = v < masters && !nearly_all ? sampled : 0;
      if (i >= degree) return;
      for (; i < degree && !done(v); ++i) join(v, neighbour(v, i));
      if (!looked.load(std::memory_order_relaxed)) looked.store(true, std::memory_order_relaxed);
    });
    if (looked) compress();
  }

  /// By local id: the least one of those connected with it here, so a master if one is.
  std::vector<gas::LocalId> take_roots() { return std::move(root_); }

 private:
  using Id = gas::LocalId;
  using Offset = gas::EdgeOffset;
  static constexpr Offset sampled = 2;  // neighbours of a master, if one does not join nearly all

  Id neighbour(Id v, Offset i) const { return adjacency_.neighbours[adjacency_.offsets[v] + i]; }
  std::atomic_ref<Id> at(Id v) { return std::atomic_ref<Id>(root_[v]); }
  Id load(Id v) { return at(v).load(std::memory_order_relaxed); }

  /// Of the first `count` vertices.
  template <class F>
  void each(std::size_t count, F f) {
    constexpr std::size_t block = 4096;
    executor_.run((count + block - 1) / block,
                  [&](std::size_t task, std::size_t) {
                    const std::size_t last = std::min((task + 1) * block, count);
                    for (std::size_t v = task * block; v < last; ++v) f(static_cast<Id>(v));
                  },
                  [] {});
  }

  /// A root points at itself, others at lesser ids: what is joined stays so.
  void join(Id u, Id v) {
    Id a = load(u), b = load(v);
    while (a != b) {
      const Id low = std::min(a, b), high = std::max(a, b);
      Id parent = load(high);
      if (parent == low) return;
      if (parent == high &&
          at(high).compare_exchange_strong(parent, low, std::memory_order_relaxed))
        return;
      a = load(load(high));
      b = load(low);
    }
  }

  void compress() {
    each(root_.size(), [&](Id v) {
      Id root = load(v);
      for (Id next = load(root); next != root; next = load(root)) root = next;
      at(v).store(root, std::memory_order_relaxed);
    });
  }

  struct Largest {
    Id root;
    double share;  // of all vertices
  };
  /// Of a sample, after compress().
  Largest find_largest() const {
    std::vector<Id> sample;
    const std::size_t step = std::max<std::size_t>(root_.size() / 1024, 1);
    for (std::size_t v = 0; v < root_.size(); v += step) sample.push_back(root_[v]);
    std::ranges::sort(sample);
    Id most = 0;
    std::size_t count = 0;
    for (std::size_t i = 0, j = 0; i < sample.size(); i = j) {
      while (j < sample.size() && sample[j] == sample[i]) ++j;
      if (j - i > count) {
        count = j - i;
        most = sample[i];
      }
    }
    return {most,
            sample.empty() ? 0 : static_cast<double>(count) / static_cast<double>(sample.size())};
  }

  gas::Executor& executor_;
  const gas::Adjacency& adjacency_;
  std::vector<Id> root_;
};

}  // namespace gas
