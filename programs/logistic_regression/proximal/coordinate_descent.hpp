#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "programs/calls/columns.hpp"

namespace gas {

/// A weight w of Σ kink |w + d| + g·d + ½ d·Hd, the model of P round the weights that is minimised
/// over d one coordinate after the other: its g, its entry of H's diagonal, how far d may go, and
/// d.
struct ModelWeight {
  double w = 0, gradient = 0, bend = 0, reach = 0, d = 0;
  double kink = 1;           // 0: the model is smooth in this weight
  double scale = 1;          // of H's row and column, beside what the columns give
  double more = 0;           // of H's diagonal, beside that
  std::uint32_t column = 0;  // of the columns, or of H

  double at() const { return w + d; }
  /// Sets d to where slope, the model's without the kink, asks for; how far that is.
  double move(double slope);
};

/// How much work the descent does: passes until one moves the weights by at most `share` of what
/// the first did (both bend × step, added up), or `most` entries are touched.
struct DescentLimit {
  double share = 0.1, most = 0;
  bool look_again = false;  // at weights that were passed over
  bool stretch = true;      // after each second pass goes on along what the pass did
};

/// What it did: entries touched, and whether it came to its share.
struct DescentReport {
  double touched = 0;
  bool enough = false;
};

/// What an example adds to H = Σ bend x xᵀ, and Hd along it.
struct ModelRow {
  double bend = 0, moved = 0;  // moved = bend · x·d
};

/// H = Σ_rows bend x xᵀ of these rows of `columns`, times scale_j scale_k. Weights at zero whose
/// slope is well inside ±kink are passed over (shrinking; Yuan, Ho, Lin, JMLR 13, 2012). Sets
/// d, and rows[i].moved. O(entries) per pass, and O(rows) where that is no more.
DescentReport descend(const Columns& columns, std::span<ModelRow> rows,
                      std::span<ModelWeight> weights, const DescentLimit& limit);

/// H as a matrix of weights.size() rows. O(weights) per weight that moves.
DescentReport descend(std::span<const double> hessian, std::span<ModelWeight> weights,
                      const DescentLimit& limit);

}  // namespace gas
