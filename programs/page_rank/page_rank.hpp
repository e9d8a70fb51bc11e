#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "programs/calls/call.hpp"
#include "programs/calls/graph.hpp"
#include "programs/calls/piece_sizes.hpp"

namespace gas {

/// What happens to the rank of pages without links.
enum class Dangling { spread, ignore };

/// The precision in which shares of ranks are computed. automatic: float if the error stays well
/// below the tolerance, otherwise double.
enum class Precision { automatic, single, twice };

struct PageRankOptions {
  double damping = 0.85;  // share of its rank that a page gives to those it links to, 0 to 1
  Dangling dangling = Dangling::spread;
  /// The rounds end when one changes the ranks by at most this (L1); 0: never.
  double tolerance = 1e-6;
  Precision precision = Precision::automatic;
  bool unweighted = false;  // links count alike; values of edges are ignored
  /// The probability of teleporting to each vertex, by vertex id, for all vertices and alike on all
  /// ranks. At least 0; the sum is 1. Empty: uniform.
  std::vector<double> teleport = {};
  RunOptions run = {.iterations = 100};  // any staleness; by priority with a tolerance above 0
  OnRound on_round = {};                 // the objective is the change of the round
  std::function<void()> on_close = {};   // called after the rounds, before measuring
};

struct PageRanks {
  /// By vertex id, of this rank's block of ids. The sum over all ranks is 1, or less with
  /// Dangling::ignore.
  std::vector<double> ranks;
  double delta = 0;  // by how much one more round of all pages would change them, or the last did
  double dangling = 0;        // rank of all pages without links, over all ranks
  bool wide = false;          // shares were double
  bool weighted = false;      // values of edges were used as weights
  std::uint64_t applied = 0;  // visits over all ranks, by priority; else 0
  Outcome outcome;
};

/// PageRank (Brin, Page 1998) with teleport: r = (1−d)/n + d (Σ r_u w_uv / W_u + dangling / n),
/// where W_u is the sum of the weights of u's links. Values of edges are weights of at least 0,
/// rounded to floats unless page_rank_wide. With Order::priority a page is visited only when the
/// changes of others are large enough. UsageError for options that contradict each other.
/// InputError for a negative weight, and for doubles so small or large that shares cannot be
/// computed from them. Collective.
PageRanks page_rank(const Context& context, const Graph& graph,
                    const PageRankOptions& options = {});

/// Whether shares are in double for any weights; weights are then not rounded.
bool page_rank_wide(const PageRankOptions& options);

/// Throws UsageError, with the reason, for RunOptions that page_rank does not allow. Local.
void check_page_rank(const RunOptions& options);

/// The memory that it needs; see PieceSizes.
double page_rank_bytes(const PieceSizes& piece, const PageRankOptions& options);

}  // namespace gas
