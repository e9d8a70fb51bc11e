#include <utility>

#include "loaders/generate/parts.hpp"
#include "loaders/generate/random.hpp"

namespace gas::loaders::detail {
namespace {

void draw_centroid(std::uint64_t seed, std::uint64_t centroid, std::span<double> out) {
  Draws draws(seed, Use::centroid, centroid);
  // A float holds it, so that the file of the truth is what the points were drawn around.
  for (double& x : out) x = static_cast<float>(20.0 * draws.uniform() - 10.0);
}

}  // namespace

Generated generate_blobs(Communicator& comm, const GeneratorSpec& spec) {
  const std::uint64_t n = spec.whole("n"), d = spec.whole("d"), k = spec.whole("k");
  const double spread = spec.real("spread");
  const auto width = static_cast<std::size_t>(d);
  std::vector<double> centroids(static_cast<std::size_t>(k) * width);
  for (std::size_t c = 0; c < k; ++c)
    draw_centroid(spec.seed, c, std::span(centroids).subspan(c * width, width));

  const BlockDistribution points{n, comm.size()}, blocks{k, comm.size()};
  TruthArray planted{"centroids", NpyType::f4, {k, d}, {}};
  TruthArray assignments{"assignments", NpyType::i4, {n}, {}};

  Generated generated;
  generated.points = LoadedPoints{Format::npy, n, d, {}};
  const std::uint64_t first = points.first(comm.rank());
  assignments.values.reserve(points.count(comm.rank()));
  generated.points->values.reserve(points.count(comm.rank()) * width);
  for (std::uint64_t point = first; point < first + points.count(comm.rank()); ++point) {
    Draws draws(spec.seed, Use::point, point);
    const std::uint64_t centroid = draws.below(k);
    assignments.values.push_back(static_cast<double>(centroid));
    for (std::size_t i = 0; i < width; ++i) {
      const double center = centroids[static_cast<std::size_t>(centroid) * width + i];
      generated.points->values.push_back(static_cast<float>(center + spread * draws.normal()));
    }
  }
  const auto begin = centroids.begin() + static_cast<std::ptrdiff_t>(blocks.first(comm.rank()) * d);
  centroids.erase(centroids.begin(), begin);
  centroids.resize(blocks.count(comm.rank()) * width);
  planted.values = std::move(centroids);
  generated.truth.push_back(std::move(planted));
  generated.truth.push_back(std::move(assignments));
  return generated;
}

}  // namespace gas::loaders::detail
