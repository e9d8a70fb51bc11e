#pragma once

#include <cstddef>

namespace gas {

// The inner loops of argmin_columns, compiled once per instruction level. The files of a level
// include nothing but this header: an inline function of the standard library compiled for AVX-512
// could be linked in everywhere.

/// Centroids lie in panels of this many columns: panel p holds, dimension by dimension, columns 16
/// p … 16 p + 15.
constexpr std::size_t panel_columns = 16;
/// Dimensions summed up before they are added to a score. Short sums keep the rounding error small,
/// and one panel and the tile's points within the first-level cache.
constexpr std::size_t depth_chunk = 128;
/// Distance of two points in a tile's memory (one cache line more, so that they do not fight for
/// cache sets).
constexpr std::size_t tile_stride = depth_chunk + 16;

struct BlockKernel {
  const char* name;
  /// Points of a tile: `points` below is a multiple of it.
  std::size_t tile_points;

  /// out[i] = x[i] − shift[i] in rows of tile_stride from padded rows of `stride` floats, for
  /// `depth` ≤ depth_chunk dimensions; norms[r] += Σ out².
  void (*shift)(const float* x, std::size_t stride, const float* shift, std::size_t points,
                std::size_t depth, float* out, float* norms);

  /// scores[r][k] −= Σ over `depth` dimensions of points[r]·column[k]; where `bias` is given,
  /// scores[r][k] is bias[k] before. `panels` panels that are `panel_stride` floats apart. Every
  /// sum runs over the dimensions in ascending order from zero, wherever the point and the column
  /// lie in the block.
  void (*subtract_products)(const float* points, std::size_t count, const float* panel,
                            std::size_t panel_stride, std::size_t panels, std::size_t depth,
                            const float* bias, float* scores, std::size_t score_stride);

  /// scores[k] −= Σ over the entries of values[e]·panel[columns[e]·size + k], for k below `size`, a
  /// multiple of panel_columns, at most 4 of these. depth_chunk entries are summed up before they
  /// are subtracted.
  void (*subtract_entries)(const float* values, const unsigned* columns, std::size_t entries,
                           const float* panel, std::size_t size, float* scores);

  /// The least of `columns` scores (a multiple of panel_columns), NaN passed over.
  float (*least)(const float* scores, std::size_t columns);

  /// Number of scores that are not above `limit` (so NaN counts), and the sum of their indices: the
  /// index itself if there is one.
  struct Matches {
    std::size_t count;
    std::size_t index_sum;
  };
  Matches (*not_above)(const float* scores, std::size_t columns, float limit);

  /// Σ (x−c)² over `width` dimensions: differences in float, squares and sums in double, in 16
  /// lanes. A square of a float is exact in double: the result is the same at every level, fused or
  /// not. Relative error < 1.3e-7.
  double (*squared_distance)(const float* x, const float* c, std::size_t width);
};

/// The levels that this processor can run, best first; the last is portable.
struct BlockKernels {
  const BlockKernel* levels[3];
  std::size_t count;
};
const BlockKernels& block_kernels();

extern const BlockKernel portable_block_kernel;
#if defined(__x86_64__)
extern const BlockKernel avx2_block_kernel;
extern const BlockKernel avx512_block_kernel;
#endif

}  // namespace gas
