#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "gas/base/communicator.hpp"
#include "gas/graph/local_graph.hpp"

namespace gas {

/// Do a topic's most likely words occur in the same documents? NaN for a topic without two words
/// that occur. D counts documents, of `all` documents, that have a word or both of two; pairs are
/// (v, u) with u the likelier of the two. Pairs of a word that no document has are left out.
struct TopicCoherence {
  /// Mean over the pairs of log(D(v, u) / all · all² / (D(v) D(u))) / −log(D(v, u) / all), from −1,
  /// never together, to 1, always (Bouma 2009); documents are the windows.
  double npmi = 0;
  /// Mean over the pairs of log((D(v, u) / all + 10⁻¹²) / (D(u) / all)), as gensim's u_mass.
  double umass = 0;
  /// Sum over the pairs of log((D(v, u) + 1) / D(u)) (Mimno et al. 2011).
  double mimno = 0;
};

/// Of each topic, by its most likely words: at most 64, the likeliest first, as
/// TopicWords::top_words gives them on rank 0 (the others' are not read). `graph` has the documents
/// whole, edges to the same word one behind the other; `left_out` of them, which have no tokens,
/// are not counted. O(tokens + pairs that occur) time. Alike on all ranks, bit for bit on any.
/// Collective.
std::vector<TopicCoherence> coherences(Communicator& comm, const LocalGraph& graph,
                                       const std::vector<std::vector<VertexId>>& top_words,
                                       std::uint64_t left_out = 0);

}  // namespace gas
