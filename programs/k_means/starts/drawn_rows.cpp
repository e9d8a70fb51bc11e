#include "programs/k_means/starts/drawn_rows.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "gas/base/random.hpp"

namespace gas::detail {

std::vector<VertexId> random_rows(std::uint64_t n, std::uint64_t k, std::uint64_t seed) {
  const Random random = Random(seed).stream(0x72616e646f6dU);
  std::set<VertexId> chosen;
  std::vector<VertexId> rows;
  for (std::uint64_t j = n - k; j < n; ++j) {
    const VertexId row = to_vertex_id(random.below(j + 1, j));
    rows.push_back(chosen.insert(row).second ? row : to_vertex_id(j));
    chosen.insert(rows.back());
  }
  return rows;
}

template <class Form>
std::vector<VertexId> weighted_rows(Communicator& comm, const FramedPoints<Form>& points,
                                    std::uint64_t k, std::uint64_t seed) {
  const Random random = Random(seed).stream(0x77656967686564U);
  struct Draw {
    double key;
    VertexId row;
    auto operator<=>(const Draw&) const = default;
  };
  std::vector<Draw> draws;
  for (std::size_t i = 0; i < points.rows.size(); ++i)
    if (const auto weight = static_cast<double>(KMeansOf<Form>::weight((*points.inputs)[i]));
        weight > 0)
      draws.push_back({-std::log1p(-random.uniform(points.rows[i])) / weight, points.rows[i]});
  const auto least = [k](std::vector<Draw>& some) {
    const auto middle = some.begin() + static_cast<std::ptrdiff_t>(std::min(k, some.size()));
    std::ranges::partial_sort(some, middle);
    some.erase(middle, some.end());
  };
  least(draws);
  std::vector<Draw> all = whole(comm, draws);
  least(all);
  std::vector<VertexId> rows;
  for (const Draw& draw : all) rows.push_back(draw.row);
  return rows;
}

template <class Form>
std::vector<typename KMeansOf<Form>::Coordinate> coordinates_of(Communicator& comm,
                                                                const FramedPoints<Form>& points,
                                                                std::span<const VertexId> rows) {
  using Coordinate = typename KMeansOf<Form>::Coordinate;
  std::vector<std::uint64_t> places;
  std::vector<Coordinate> mine;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto at = std::ranges::lower_bound(points.rows, rows[i]);
    if (at == points.rows.end() || *at != rows[i]) continue;
    places.push_back(i);
    mine.resize(places.size() * points.dimensions, 0);
    Coordinate* const to = mine.data() + mine.size() - points.dimensions;
    points.of.each((*points.inputs)[static_cast<std::size_t>(at - points.rows.begin())],
                   points.dimensions,
                   [&](std::size_t d, double x) { to[d] = points.of.rounded(x); });
  }
  std::vector<Coordinate> found(rows.size() * points.dimensions);
  const auto all_places = all_gather(comm, std::span<const std::uint64_t>(places));
  const auto all_values = all_gather(comm, std::span<const Coordinate>(mine));
  for (std::size_t rank = 0; rank < all_places.size(); ++rank)
    for (std::size_t i = 0; i < all_places[rank].size(); ++i)
      std::copy_n(
          all_values[rank].begin() + static_cast<std::ptrdiff_t>(i * points.dimensions),
          points.dimensions,
          found.begin() + static_cast<std::ptrdiff_t>(all_places[rank][i] * points.dimensions));
  return found;
}

#define GAS_FORM(Form)                                                                   \
  template std::vector<VertexId> weighted_rows(Communicator&, const FramedPoints<Form>&, \
                                               std::uint64_t, std::uint64_t);            \
  template std::vector<KMeansOf<Form>::Coordinate> coordinates_of(                       \
      Communicator&, const FramedPoints<Form>&, std::span<const VertexId>);
GAS_FORM(float)
GAS_FORM(double)
GAS_FORM(SparseReal)
#undef GAS_FORM

}  // namespace gas::detail
