#include "partition/measure/prediction.hpp"

#include <algorithm>
#include <numeric>

#include "gas/base/types.hpp"

namespace gas::partition {
namespace {

std::uint64_t sum(const KindCounts::PerPart& counts) {
  return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
}

std::uint64_t sent(const KindCounts& kind, const Widths::Kind& width) {
  std::uint64_t bytes = 0;
  if (width.published > 0) bytes += sum(kind.value_mirrors) * width.published + kind.value_messages;
  if (width.total > 0) bytes += sum(kind.accumulator_mirrors) * width.total + kind.total_messages;
  return bytes;
}

/// Of one kind on one part: VertexLayout, Store and PartialAccumulators. `arrays`: of published
/// values, two where those of the last round are read while those of this one are written.
std::uint64_t held(const KindCounts& kind, const Widths::Kind& width, std::size_t part,
                   std::uint64_t degrees, std::uint64_t arrays) {
  const std::uint64_t locals = kind.masters[part] + kind.mirrors[part];
  const std::uint64_t listed = kind.value_masters[part] + kind.value_mirrors[part] +
                               kind.accumulator_masters[part] + kind.accumulator_mirrors[part];
  constexpr std::uint64_t flags = 3;  // changed, woken, asked for again
  std::uint64_t bytes = locals * (sizeof(VertexId) + degrees * sizeof(std::uint32_t) + flags) +
                        listed * sizeof(LocalId) + locals * arrays * width.published;
  if (width.total > 0) {
    constexpr std::uint64_t place = 2 * sizeof(std::size_t);  // rank and entry
    bytes +=
        (kind.boundary[part] + kind.accumulator_masters[part] + kind.accumulator_mirrors[part]) *
            width.total +
        (kind.accumulator_masters[part] + kind.mirrors[part]) * place +
        kind.boundary[part] * sizeof(std::size_t);
  }
  return bytes;
}

}  // namespace

Prediction predict(const Measured& quality, bool bipartite, std::size_t value_bytes,
                   const Widths& widths) {
  Prediction predicted;
  predicted.bytes_per_round = sent(quality.data, widths.data);
  if (bipartite) predicted.bytes_per_round += sent(quality.parameter, widths.parameter);
  for (std::size_t part = 0; part < quality.edges.size(); ++part) {
    const std::uint64_t locals = quality.data.masters[part] + quality.data.mirrors[part];
    std::uint64_t bytes =
        quality.edges[part] * (sizeof(LocalId) + value_bytes) + (locals + 1) * sizeof(EdgeOffset) +
        held(quality.data, widths.data, part, bipartite ? 1 : 2, bipartite ? 1 : 2);
    if (bipartite) bytes += held(quality.parameter, widths.parameter, part, 1, 1);
    predicted.memory_per_rank = std::max(predicted.memory_per_rank, bytes);
  }
  return predicted;
}

}  // namespace gas::partition
