#pragma once

#include "programs/k_means/kernels/block_kernel.hpp"

// Compiled once per instruction level, so everything is local to the file that includes this. That
// file has set GAS_LANES (floats per vector register), GAS_TILE_POINTS and GAS_TILE_PANELS (points
// × panels whose sums fit the registers).

namespace gas {
namespace {

constexpr std::size_t lanes = GAS_LANES;
constexpr std::size_t panel_vectors = panel_columns / lanes;

using Vector = float __attribute__((vector_size(lanes * sizeof(float))));
using Indices = unsigned __attribute__((vector_size(lanes * sizeof(unsigned))));
using HalfVector = float __attribute__((vector_size(lanes / 2 * sizeof(float))));
using Doubles = double __attribute__((vector_size(lanes / 2 * sizeof(double))));
using Doubles2 = double __attribute__((vector_size(2 * sizeof(double))));
using Doubles4 = double __attribute__((vector_size(4 * sizeof(double))));
using Doubles8 = double __attribute__((vector_size(8 * sizeof(double))));

template <class V>
inline V load(const void* from) {
  V v;
  __builtin_memcpy(&v, from, sizeof v);
  return v;
}
inline void store(float* to, Vector v) { __builtin_memcpy(to, &v, sizeof v); }

/// The elements of an array of panel_columns combined, halves first.
template <class T, class Combine>
inline T folded(T (&values)[panel_columns], Combine combine) {
  for (std::size_t l = 0; l < 8; ++l) values[l] = combine(values[l], values[l + 8]);
  for (std::size_t l = 0; l < 4; ++l) values[l] = combine(values[l], values[l + 4]);
  return combine(combine(values[0], values[2]), combine(values[1], values[3]));
}

/// The sum of a vector's doubles, halves first.
inline double lanes_sum(const Doubles2& v) { return v[0] + v[1]; }
#if GAS_LANES >= 8
inline double lanes_sum(const Doubles4& v) {
  const double* const from = reinterpret_cast<const double*>(&v);
  const Doubles2 halves = load<Doubles2>(from) + load<Doubles2>(from + 2);
  return lanes_sum(halves);
}
#endif
#if GAS_LANES >= 16
inline double lanes_sum(const Doubles8& v) {
  const double* const from = reinterpret_cast<const double*>(&v);
  const Doubles4 halves = load<Doubles4>(from) + load<Doubles4>(from + 4);
  return lanes_sum(halves);
}
#endif

void shift_points(const float* x, std::size_t stride, const float* shift, std::size_t points,
                  std::size_t depth, float* out, float* norms) {
  for (std::size_t r = 0; r < points; ++r, x += stride, out += tile_stride) {
    float sums[panel_columns] = {};
    std::size_t i = 0;
    for (; i + panel_columns <= depth; i += panel_columns)
      for (std::size_t l = 0; l < panel_columns; ++l) {
        out[i + l] = x[i + l] - shift[i + l];
        sums[l] += out[i + l] * out[i + l];
      }
    for (; i < depth; ++i) {
      out[i] = x[i] - shift[i];
      sums[0] += out[i] * out[i];
    }
    norms[r] += folded(sums, [](float a, float b) { return a + b; });
  }
}

template <std::size_t points, std::size_t panels>
inline void tile(const float* x, const float* panel, std::size_t panel_stride, std::size_t depth,
                 const float* bias, float* scores, std::size_t score_stride) {
  constexpr std::size_t vectors = panels * panel_vectors;
  Vector sums[points][vectors] = {};
  for (std::size_t d = 0; d < depth; ++d) {
    Vector columns[vectors];
#pragma GCC unroll 16
    for (std::size_t v = 0; v < vectors; ++v)
      columns[v] = load<Vector>(panel + v / panel_vectors * panel_stride + d * panel_columns +
                                v % panel_vectors * lanes);
#pragma GCC unroll 16
    for (std::size_t r = 0; r < points; ++r) {
      const float coordinate = x[r * tile_stride + d];
#pragma GCC unroll 16
      for (std::size_t v = 0; v < vectors; ++v) sums[r][v] += coordinate * columns[v];
    }
  }
#pragma GCC unroll 16
  for (std::size_t r = 0; r < points; ++r) {
#pragma GCC unroll 16
    for (std::size_t v = 0; v < vectors; ++v) {
      float* at = scores + r * score_stride + v * lanes;
      store(at, load<Vector>(bias ? bias + v * lanes : at) - sums[r][v]);
    }
  }
}

template <std::size_t panels>
void tiles(const float* x, std::size_t count, const float* panel, std::size_t panel_stride,
           std::size_t depth, const float* bias, float* scores, std::size_t score_stride) {
  for (std::size_t r = 0; r < count; r += GAS_TILE_POINTS)
    tile<GAS_TILE_POINTS, panels>(x + r * tile_stride, panel, panel_stride, depth, bias,
                                  scores + r * score_stride, score_stride);
}

void subtract_products(const float* x, std::size_t count, const float* panel,
                       std::size_t panel_stride, std::size_t panels, std::size_t depth,
                       const float* bias, float* scores, std::size_t score_stride) {
  std::size_t p = 0;
  const auto bias_of = [&](std::size_t q) { return bias ? bias + q * panel_columns : nullptr; };
  for (; p + GAS_TILE_PANELS <= panels; p += GAS_TILE_PANELS)
    tiles<GAS_TILE_PANELS>(x, count, panel + p * panel_stride, panel_stride, depth, bias_of(p),
                           scores + p * panel_columns, score_stride);
  for (; p < panels; ++p)
    tiles<1>(x, count, panel + p * panel_stride, panel_stride, depth, bias_of(p),
             scores + p * panel_columns, score_stride);
}

/// Sums of `chains` entries at a time, so that one need not wait for the other.
template <std::size_t vectors, std::size_t chains>
void subtract_in(const float* values, const unsigned* columns, std::size_t entries,
                 const float* panel, float* scores) {
  constexpr std::size_t size = vectors * lanes;
  for (std::size_t first = 0; first < entries; first += depth_chunk) {
    const std::size_t last = first + depth_chunk < entries ? first + depth_chunk : entries;
    Vector sums[chains][vectors] = {};
    std::size_t e = first;
    for (; e + chains <= last; e += chains)
#pragma GCC unroll 16
      for (std::size_t c = 0; c < chains; ++c) {
        const float* const row = panel + std::size_t{columns[e + c]} * size;
#pragma GCC unroll 16
        for (std::size_t v = 0; v < vectors; ++v)
          sums[c][v] += values[e + c] * load<Vector>(row + v * lanes);
      }
    for (; e < last; ++e) {
      const float* const row = panel + std::size_t{columns[e]} * size;
#pragma GCC unroll 16
      for (std::size_t v = 0; v < vectors; ++v)
        sums[0][v] += values[e] * load<Vector>(row + v * lanes);
    }
#pragma GCC unroll 16
    for (std::size_t v = 0; v < vectors; ++v) {
      Vector sum = sums[0][v];
#pragma GCC unroll 16
      for (std::size_t c = 1; c < chains; ++c) sum += sums[c][v];
      store(scores + v * lanes, load<Vector>(scores + v * lanes) - sum);
    }
  }
}

void subtract_entries(const float* values, const unsigned* columns, std::size_t entries,
                      const float* panel, std::size_t size, float* scores) {
  constexpr std::size_t p = panel_vectors;
  switch (size / panel_columns) {
    case 1:
      return subtract_in<p, 4>(values, columns, entries, panel, scores);
    case 2:
      return subtract_in<2 * p, 2>(values, columns, entries, panel, scores);
    case 3:
      return subtract_in<3 * p, 1>(values, columns, entries, panel, scores);
    default:
      return subtract_in<4 * p, 1>(values, columns, entries, panel, scores);
  }
}

float least(const float* scores, std::size_t columns) {
  Vector least[panel_vectors];
  for (Vector& v : least) v = Vector{} + __builtin_inff();
  for (std::size_t k = 0; k < columns; k += panel_columns)
    for (std::size_t v = 0; v < panel_vectors; ++v) {
      const Vector score = load<Vector>(scores + k + v * lanes);
      least[v] = score < least[v] ? score : least[v];
    }
  float lane[panel_columns];
  __builtin_memcpy(lane, least, sizeof lane);
  return folded(lane, [](float a, float b) { return a < b ? a : b; });
}

BlockKernel::Matches not_above(const float* scores, std::size_t columns, float limit) {
  alignas(64) static constexpr unsigned first[panel_columns] = {0, 1, 2,  3,  4,  5,  6,  7,
                                                                8, 9, 10, 11, 12, 13, 14, 15};
  Indices index[panel_vectors], counts[panel_vectors] = {}, indices[panel_vectors] = {};
  __builtin_memcpy(index, first, sizeof index);
  for (std::size_t k = 0; k < columns; k += panel_columns)
    for (std::size_t v = 0; v < panel_vectors; ++v) {
      const auto match = reinterpret_cast<Indices>(~(load<Vector>(scores + k + v * lanes) > limit));
      counts[v] -= match;
      indices[v] += match & index[v];
      index[v] += static_cast<unsigned>(panel_columns);
    }
  const auto sum = [](const Indices* vectors) {
    unsigned lane[panel_columns];
    __builtin_memcpy(lane, vectors, sizeof lane);
    return folded(lane, [](unsigned a, unsigned b) { return a + b; });
  };
  return {sum(counts), sum(indices)};
}

/// What the compiler makes of a conversion of 8 floats at once is two halves and their union.
inline Doubles widened(HalfVector values) {
#if GAS_LANES == 16 && defined(__GNUC__) && !defined(__clang__)
  return __builtin_ia32_cvtps2pd512_mask(values, Doubles{}, static_cast<unsigned char>(-1), 4);
#else
  return __builtin_convertvector(values, Doubles);
#endif
}

double squared_distance(const float* x, const float* c, std::size_t width) {
  constexpr std::size_t half = lanes / 2;
  Doubles sums[panel_columns / half] = {};
  std::size_t i = 0;
  for (; i + panel_columns <= width; i += panel_columns)
#pragma GCC unroll 16
    for (std::size_t v = 0; v < panel_columns / half; ++v) {
      const HalfVector difference =
          load<HalfVector>(x + i + v * half) - load<HalfVector>(c + i + v * half);
      const Doubles wide = widened(difference);
      sums[v] += wide * wide;
    }
  if (i < width) {
    double lane[panel_columns] = {};
    for (std::size_t l = 0; i + l < width; ++l) {
      const auto difference = static_cast<double>(x[i + l] - c[i + l]);
      lane[l] = difference * difference;
    }
    for (std::size_t v = 0; v < panel_columns / half; ++v)
      sums[v] += load<Doubles>(lane + v * half);
  }
  // In the order of folded(), in registers.
  for (std::size_t n = panel_columns / half / 2; n > 0; n /= 2)
    for (std::size_t v = 0; v < n; ++v) sums[v] += sums[v + n];
  return lanes_sum(sums[0]);
}

}  // namespace
}  // namespace gas

#define GAS_BLOCK_KERNEL(name)                                                               \
  {                                                                                          \
    name, GAS_TILE_POINTS, gas::shift_points, gas::subtract_products, gas::subtract_entries, \
        gas::least, gas::not_above, gas::squared_distance                                    \
  }
