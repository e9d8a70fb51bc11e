#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <memory>
#include <vector>

#include "partition/measure/balance.hpp"
#include "partition/streaming/copy_sets.hpp"
#include "partition/streaming/edge_stream.hpp"
#include "partition/streaming/pair_cut.hpp"
#include "partition/vertex_cut.hpp"

namespace gas::partition {

/// What a streaming method knows at rank 0 of the edges it has seen: a bit per vertex and part, how
/// many each vertex has, and the arcs on each part. Serial.
class StreamState {
 public:
  StreamState(std::uint64_t vertices, Part parts, std::uint64_t most)
      : copies_(vertices, parts), seen_(vertices, 0), load_(parts, 0), most_(most) {}

  /// The lightest part for an edge in each class of parts that have room (fewer arcs than `most`);
  /// no_part where there is none. Among equally light ones the lowest.
  struct Choice {
    Part both = no_part;    // with a copy of both ends
    Part only_u = no_part;  // of u, not of v
    Part only_v = no_part;
    Part any = no_part;  // the lightest of all parts: there always is one
  };
  /// `both_suffices`: where there is a part of `both`, the others are not asked for.
  Choice choices(std::uint32_t u, std::uint32_t v, bool both_suffices) const {
    Choice choice;
    choice.any = lightest_;
    const std::uint64_t* const of_u = copies_.of(u);
    const std::uint64_t* const of_v = copies_.of(v);
    for (std::size_t word = 0; word < copies_.words; ++word)
      lightest(of_u[word] & of_v[word], static_cast<Part>(word * 64), choice.both);
    if (both_suffices && choice.both != no_part) return choice;
    for (std::size_t word = 0; word < copies_.words; ++word) {
      const auto first = static_cast<Part>(word * 64);
      lightest(of_u[word] & ~of_v[word], first, choice.only_u);
      lightest(of_v[word] & ~of_u[word], first, choice.only_v);
    }
    return choice;
  }

  /// Edges of a vertex so far, with the one that is to be put now.
  std::uint32_t seen(std::uint32_t v) const { return seen_[v]; }

  std::uint64_t load(Part part) const { return load_[part]; }
  std::uint64_t least_load() const { return load_[lightest_]; }
  std::uint64_t largest_load() const { return largest_; }

  std::array<const void*, 2> reads(std::uint32_t v) const { return {copies_.of(v), &seen_[v]}; }
  void see(std::uint32_t u, std::uint32_t v) {
    ++seen_[u];
    ++seen_[v];
  }
  void put(std::uint32_t u, std::uint32_t v, Part part, std::uint32_t arcs) {
    copies_.add(u, part);
    copies_.add(v, part);
    load_[part] += arcs;
    largest_ = std::max(largest_, load_[part]);
    if (part == lightest_)
      lightest_ = static_cast<Part>(std::min_element(load_.begin(), load_.end()) - load_.begin());
  }

  CopyBits take_copies() { return std::move(copies_); }

 private:
  void lightest(std::uint64_t bits, Part first, Part& best) const {
    for (; bits != 0; bits &= bits - 1) {
      const Part part = first + static_cast<Part>(std::countr_zero(bits));
      if (load_[part] < most_ && (best == no_part || load_[part] < load_[best])) best = part;
    }
  }

  CopyBits copies_;
  std::vector<std::uint32_t> seen_;
  std::vector<std::uint64_t> load_;
  std::uint64_t most_;
  std::uint64_t largest_ = 0;
  Part lightest_ = 0;
};

/// A vertex-cut by one pass over the edges in their order at rank 0, which holds none of them:
/// choose(state, u, v) is the part that u – v is to go to. Then every pair goes to one of the parts
/// in which both of its ends have copies now (pair_cut.hpp), so that repeats stay together and
/// copies that later edges made superfluous vanish. Collective; vertices × parts / 8 bytes on
/// each rank.
template <class Choose>
Partition stream_cut(Communicator& comm, const EdgeList& edges, const GraphShape& shape,
                     const Options& options, Choose choose) {
  const std::uint64_t vertices = stream_vertices(shape);
  const std::uint64_t arcs = all_sum(comm, static_cast<std::uint64_t>(edges.arcs()));
  std::unique_ptr<StreamState> state;
  together(comm, [&] {
    if (comm.rank() == 0)
      state = std::make_unique<StreamState>(
          vertices, options.parts,
          promised_share(arcs, options.parts, options.imbalance_percent / 2));
  });
  stream_edges(
      comm, edges, shape,
      [&](std::uint32_t u, std::uint32_t v) {
        state->see(u, v);
        state->put(u, v, choose(std::as_const(*state), u, v), edges.both_ways && u != v ? 2 : 1);
      },
      [&](std::uint32_t w) { return state->reads(w); });
  CopyBits bits;
  together(comm, [&] { bits = state ? state->take_copies() : CopyBits(vertices, options.parts); });
  state.reset();
  const CopySets copies(comm, std::move(bits));
  return pair_cut(comm, edges, shape, options, copies, std::vector<bool>(vertices, true));
}

}  // namespace gas::partition
