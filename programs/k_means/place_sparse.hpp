#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "gas/base/error.hpp"
#include "programs/k_means/distances.hpp"
#include "programs/k_means/frame.hpp"
#include "programs/k_means/placed.hpp"

namespace gas::detail {

/// place() of sparse rows.
inline Placed<SparseReal> place(Communicator& comm, const PointShares& shares,
                                const SparsePoints& share, const std::vector<int>* rank_of) {
  const BlockDistribution blocks{shares.rows(), comm.size()};
  Placed<SparseReal> placed{shares.rows(),
                            shares.columns,
                            {},
                            rank_of == nullptr && are_even_blocks(shares, comm.size()),
                            nullptr};
  const std::uint64_t first = shares.first[static_cast<std::size_t>(comm.rank())];
  if (placed.stay) {
    placed.entries = std::make_shared<const SparseRows>(share);
    placed.rows.resize(share.rows());
    std::iota(placed.rows.begin(), placed.rows.end(), to_vertex_id(first));
    return placed;
  }
  const bool wide = all_max(comm, share.wide() ? 1 : 0) == 1;
  const auto ranks = static_cast<std::size_t>(comm.size());
  std::vector<std::vector<VertexId>> rows(ranks), columns(ranks);
  std::vector<std::vector<std::uint64_t>> counts(ranks);
  std::vector<std::vector<float>> values(ranks);
  std::vector<std::vector<double>> wide_values(ranks);
  const SparseRows given(share);
  for (std::uint64_t i = 0; i < share.rows(); ++i) {
    const auto to = static_cast<std::size_t>(rank_of ? (*rank_of)[i] : blocks.owner(first + i));
    rows[to].push_back(to_vertex_id(first + i));
    counts[to].push_back(share.offsets[i + 1] - share.offsets[i]);
    given.each_of_row(i, [&](VertexId column, double value) {
      columns[to].push_back(column);
      if (wide)
        wide_values[to].push_back(value);
      else
        values[to].push_back(static_cast<float>(value));
    });
  }
  SparseRows here;
  // By rank, so by id: the rows arrive in ascending order.
  const auto take = [&](auto& out, auto& into) {
    for (const auto& block : all_to_all(comm, std::move(out)))
      into.insert(into.end(), block.begin(), block.end());
  };
  take(rows, placed.rows);
  take(columns, here.moved.column);
  take(values, here.moved.values);
  take(wide_values, here.moved.wide_values);
  here.moved.offsets.push_back(0);
  for (const auto& block : all_to_all(comm, std::move(counts)))
    for (const std::uint64_t count : block)
      here.moved.offsets.push_back(here.moved.offsets.back() + count);
  here.see_moved();
  placed.entries = std::make_shared<const SparseRows>(std::move(here));
  return placed;
}

/// to_unit_length() of a sparse row: zeros add nothing.
inline double to_unit_length(const SparseRows& rows, std::size_t i) {
  const std::uint64_t first = rows.offsets[i], count = rows.offsets[i + 1] - first;
  return rows.wide_values.empty() ? to_unit_length(rows.values.subspan(first, count))
                                  : to_unit_length(rows.wide_values.subspan(first, count));
}

/// unit_factors() of sparse rows. Collective.
template <class Id>
std::vector<double> unit_factors(Communicator& comm, const SparseRows& rows,
                                 const std::string& name, Id id) {
  std::vector<double> factors;
  for (std::size_t i = 0; i < rows.size(); ++i) factors.push_back(to_unit_length(rows, i));
  check_directions(comm, factors, name, id);
  return factors;
}

/// The frame of sparse points and of starts: zeros stay zeros. Collective.
inline Frame frame_for(Communicator& comm, const SparseRows& rows, std::span<const double> starts) {
  double largest = rows.largest();
  for (const double x : starts) largest = std::max(largest, std::abs(x));
  Frame frame;
  frame.exponent = Frame::exponent_of(all_max(comm, largest));
  return frame;
}

/// The points in this frame; their entries stay where they are placed. `floats`: centroids are to
/// be numbers that these hold. Local.
inline FramedPoints<SparseReal> sparse_points_in(const Frame& frame,
                                                 const Placed<SparseReal>& placed, bool floats) {
  const Weights& weights = placed.weights;
  FramedPoints<SparseReal> points{placed.count, placed.dimensions, frame,
                                  placed.rows,  nullptr,           weights.given};
  points.weight = weights.given ? weights.sum : static_cast<double>(placed.count);
  points.weight_exponent = weights.exponent;
  points.of.entries = placed.entries;
  points.of.floats = floats;
  points.inputs = std::make_shared<Inputs<float>>(SparseInput::width, placed.rows.size());
  points.largest.assign(placed.dimensions, 0);
  const SparseRows& rows = *placed.entries;
  const double scale = std::ldexp(1.0, -frame.exponent);
  for (std::size_t i = 0; i < placed.rows.size(); ++i) {
    SparseInput input = rows.input(i, placed.factors.empty() ? scale : placed.factors[i]);
    input.weight = static_cast<float>(weights[i]);
    rows.each_of_row(i, [&](VertexId column, double x) {
      const double size = std::abs(x * input.factor);
      input.squares += size * size;
      points.largest[column] = std::max(points.largest[column], size);
    });
    input.write((*points.inputs)[i]);
  }
  return points;
}

}  // namespace gas::detail
