#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "programs/calls/call.hpp"
#include "programs/calls/graph.hpp"
#include "programs/calls/piece_sizes.hpp"

namespace gas {

struct HarmonicOptions {
  /// Of each vertex's counter, a byte each: a power of two from 16 to 65536. The relative standard
  /// error of what is found is harmonic_error of it.
  std::uint64_t registers = 256;
  std::uint64_t seed = 1;  // of the counters' hashes: others err in other ways
  RunOptions run = {};     // staleness 0
  OnRound on_round = {};
  std::function<void()> on_close = {};  // called when the rounds are over, before results are laid
                                        // out
};

/// By vertex id, of this rank's block of ids.
struct HarmonicCentralities {
  /// Σ 1/d(u, v) over the other vertices u that lead to v, where d counts arcs: at most n − 1.
  std::vector<double> centrality;
  std::vector<double> reached_by;  // how many vertices lead to v, itself among them
  std::uint64_t farthest = 0;      // arcs, over all ranks: a shortest path has so many or more
  Outcome outcome;
};

/// Harmonic centrality (Marchiori, Latora 2000) of all vertices at once, by HyperBall (Boldi, Vigna
/// 2013): estimates, the same on any ranks and threads to the last bit. Values of edges are not
/// read. A round takes the arcs to vertices of which a neighbour's ball grew, `registers` bytes
/// each; there are as many rounds as the longest shortest path has arcs, and one. UsageError for
/// another number of registers. Collective.
HarmonicCentralities harmonic_centrality(const Context& context, const Graph& graph,
                                         const HarmonicOptions& options = {});

/// The relative standard error of each value, about. Local.
double harmonic_error(std::uint64_t registers);

/// UsageError for RunOptions that it does not take, with the reason. Local.
void check_harmonic_centrality(const RunOptions& options);

/// What it takes; see PieceSizes.
double harmonic_centrality_bytes(const PieceSizes& piece, const HarmonicOptions& options);

}  // namespace gas
