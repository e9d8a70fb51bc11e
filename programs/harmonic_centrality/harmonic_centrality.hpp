#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "programs/calls/call.hpp"
#include "programs/calls/graph.hpp"
#include "programs/calls/piece_sizes.hpp"

namespace gas {

struct HarmonicOptions {
  /// The number of registers, of a byte each, in each vertex's counter: a power of two from 16 to
  /// 65536. harmonic_error(registers) is the relative standard error of the results.
  std::uint64_t registers = 256;
  std::uint64_t seed = 1;  // of the counters' hashes; each gives other errors
  RunOptions run = {};     // staleness 0
  OnRound on_round = {};
  std::function<void()> on_close = {};  // called when the rounds are over, before results are laid
                                        // out
};

/// By vertex id, of this rank's block of ids.
struct HarmonicCentralities {
  /// Σ 1/d(u, v) over the other vertices u that lead to v, where d counts arcs: at most n − 1.
  std::vector<double> centrality;
  std::vector<double> reached_by;  // how many vertices lead to v, v included
  std::uint64_t farthest = 0;      // the longest shortest path has at least so many arcs
  Outcome outcome;
};

/// Harmonic centrality (Marchiori, Latora 2000) of all vertices at once, by HyperBall (Boldi, Vigna
/// 2013): estimates, bit for bit the same on any number of ranks and threads. Values of edges are
/// not read. A round costs `registers` bytes per arc to a vertex that has a neighbour whose ball
/// grew. There is one round more than the longest shortest path has arcs. UsageError for a number
/// of registers that is not allowed. Collective.
HarmonicCentralities harmonic_centrality(const Context& context, const Graph& graph,
                                         const HarmonicOptions& options = {});

/// The approximate relative standard error of each value. Local.
double harmonic_error(std::uint64_t registers);

/// Throws UsageError, with the reason, for RunOptions that harmonic_centrality does not allow.
/// Local.
void check_harmonic_centrality(const RunOptions& options);

/// The memory that it needs; see PieceSizes.
double harmonic_centrality_bytes(const PieceSizes& piece, const HarmonicOptions& options);

}  // namespace gas
