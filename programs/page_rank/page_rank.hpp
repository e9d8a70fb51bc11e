#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "programs/calls/call.hpp"
#include "programs/calls/graph.hpp"
#include "programs/calls/piece_sizes.hpp"

namespace gas {

/// What becomes of the rank of pages without links.
enum class Dangling { spread, ignore };

/// How wide shares of ranks are while they are computed. automatic: float where that leaves an
/// error well below the tolerance.
enum class Precision { automatic, single, twice };

struct PageRankOptions {
  double damping = 0.85;  // share of its rank that a page gives to those it links to, 0 to 1
  Dangling dangling = Dangling::spread;
  /// The rounds end when one changes the ranks by at most this (L1); 0: never.
  double tolerance = 1e-6;
  Precision precision = Precision::automatic;
  bool unweighted = false;  // links count alike, whatever the values of the edges
  /// Where a reader begins anew, by vertex id, of all vertices and alike on all ranks: at least 0,
  /// of sum 1. Empty: everywhere alike.
  std::vector<double> teleport = {};
  RunOptions run = {.iterations = 100};  // any staleness; by priority with a tolerance above 0
  OnRound on_round = {};                 // the objective is the change of the round
  std::function<void()> on_close = {};   // called when the rounds are over, before what measures
};

struct PageRanks {
  /// By vertex id, of this rank's block of ids; of sum 1 over all ranks, below it with
  /// Dangling::ignore.
  std::vector<double> ranks;
  double delta = 0;  // by how much one more round of all pages would change them, or the last did
  double dangling = 0;        // what pages without links have, of all ranks
  bool wide = false;          // shares were double
  bool weighted = false;      // the values of edges weighed the links
  std::uint64_t applied = 0;  // visits over all ranks, by priority; else 0
  Outcome outcome;
};

/// PageRank (Brin, Page 1998) with teleport: r = (1−d)/n + d (Σ r_u w_uv / W_u + dangling / n),
/// where W_u is the sum of the weights of u's links. Values of edges are weights of at least 0,
/// rounded to floats unless page_rank_wide. By Order::priority pages wait until others' changes are
/// worth a visit. UsageError for options that contradict each other; InputError for a negative
/// weight, and for doubles so small or large that shares by them are none. Collective.
PageRanks page_rank(const Context& context, const Graph& graph,
                    const PageRankOptions& options = {});

/// Whether shares are double whatever the weights are; then a weight is as it was given.
bool page_rank_wide(const PageRankOptions& options);

/// UsageError for RunOptions that it does not take, with the reason. Local.
void check_page_rank(const RunOptions& options);

/// What it takes; see PieceSizes.
double page_rank_bytes(const PieceSizes& piece, const PageRankOptions& options);

}  // namespace gas
