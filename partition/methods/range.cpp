#include <algorithm>
#include <numeric>
#include <span>

#include "gas/base/rank_sums.hpp"
#include "partition/by_block.hpp"
#include "partition/edge_cut.hpp"
#include "partition/measure/balance.hpp"
#include "partition/methods/method.hpp"

namespace gas::partition {
namespace {

/// Where part `part` begins on a line of length `total` that `parts` parts share equally.
std::uint64_t part_begin(std::uint64_t total, Part part, Part parts) {
  return total / parts * part + total % parts * part / parts;
}

/// Fills part after part with rows in order, none beyond `most`, and writes the parts of this
/// rank's rows; whether `parts` suffice. No row weighs more than `most`. The ranks take turns.
bool fill(Communicator& comm, const std::vector<std::uint64_t>& weights, std::uint64_t most,
          Part parts, std::vector<Part>& part) {
  struct {
    std::uint64_t load = 0, part = 0;
  } last;
  for (int rank = 0; rank < comm.size(); ++rank) {
    if (comm.rank() == rank)
      for (std::size_t i = 0; i < weights.size(); ++i) {
        if (last.load + weights[i] > most) last = {0, last.part + 1};
        last.load += weights[i];
        part[i] = static_cast<Part>(std::min<std::uint64_t>(last.part, parts - 1));
      }
    comm.broadcast_bytes(std::as_writable_bytes(std::span(&last, 1)), rank);
  }
  return last.part < parts;
}

/// The runs of rows whose largest weighs least, by bisection between bounds.
void even_out(Communicator& comm, const std::vector<std::uint64_t>& weights,
              std::uint64_t too_little, std::uint64_t enough, Part parts, std::vector<Part>& part) {
  while (enough - too_little > 1) {
    const std::uint64_t middle = too_little + (enough - too_little) / 2;
    (fill(comm, weights, middle, parts, part) ? enough : too_little) = middle;
  }
  fill(comm, weights, enough, parts, part);
}

}  // namespace

// Rows lie one after the other on a line, each as long as it weighs and a little
// more (1 % in all), so that rows without weight are spread too. A row belongs to the part in which
// its middle lies. Where that leaves a part larger than promised, the runs of rows are taken whose
// largest weighs least.
Partition range_cut(Communicator& comm, const EdgeList& edges, const GraphShape& shape,
                    const Options& options) {
  const BlockDistribution blocks = source_blocks(comm, shape);
  const std::vector<std::uint64_t> weights = weigh_vertices(comm, edges, shape, options);
  const std::uint64_t all =
      all_sum(comm, std::accumulate(weights.begin(), weights.end(), std::uint64_t{0}));
  const std::uint64_t scale = all == 0 ? 1 : 100 * (blocks.ids / all + 1);
  std::vector<std::uint64_t> length = weights;
  for (std::uint64_t& l : length) l = l * scale + 1;

  const std::uint64_t total = all * scale + blocks.ids;
  std::uint64_t begin =
      sum_before(comm, std::accumulate(length.begin(), length.end(), std::uint64_t{0}));
  std::vector<Part> parts;
  parts.reserve(length.size());
  Part part = 0;
  for (const std::uint64_t l : length) {
    const std::uint64_t middle = begin + l / 2;
    while (part + 1 < options.parts && part_begin(total, part + 1, options.parts) <= middle) ++part;
    parts.push_back(part);
    begin += l;
  }

  std::vector<std::uint64_t> load(options.parts, 0);
  for (std::size_t i = 0; i < weights.size(); ++i) load[parts[i]] += weights[i];
  add_ranks(comm, load);
  const std::uint64_t largest = std::ranges::max(load);
  if (largest > promised_share(all, options.parts, options.imbalance_percent)) {
    const std::uint64_t mine = weights.empty() ? 0 : std::ranges::max(weights);
    const std::uint64_t least = std::max(all_max(comm, mine), (all - 1) / options.parts + 1);
    even_out(comm, weights, least - 1, largest, options.parts, parts);
  }
  const std::size_t parameters =
      shape.bipartite ? target_blocks(comm, shape).count(comm.rank()) : std::size_t{0};
  return edge_cut(comm, edges, shape, options, std::move(parts),
                  std::vector<Part>(parameters, no_part));
}

}  // namespace gas::partition
