#include "partition/measure/locality.hpp"

#include <algorithm>

#include "gas/graph/row_set.hpp"
#include "partition/by_block.hpp"
#include "partition/degrees.hpp"
#include "partition/shapes.hpp"

namespace gas::partition {
namespace {

constexpr std::uint64_t most_vertices = 1U << 14U, most_edges = 1U << 14U, most_words = 1U << 17U;

/// A row of each block of 2^n successive rows, chosen by a hash of the block: no period in the
/// order of the rows meets that of the sample.
class Sample {
 public:
  Sample(std::uint64_t rows, std::uint64_t most) {
    while (((rows - 1) >> shift_) + 1 > most) ++shift_;
    blocks_ = ((rows - 1) >> shift_) + 1;
  }
  std::uint64_t size() const { return blocks_; }
  std::uint64_t number(VertexId row) const { return std::uint64_t{row} >> shift_; }
  bool has(VertexId row) const {
    const std::uint64_t chosen = (number(row) * 0x9e3779b97f4a7c15U) >> 32U;
    return ((row ^ chosen) & ((std::uint64_t{1} << shift_) - 1)) == 0;
  }

 private:
  unsigned shift_ = 0;
  std::uint64_t blocks_ = 0;
};

/// The first rows of all parts but part 0, told from every so manyth edge of the input. Collective.
std::vector<VertexId> range_begins(Communicator& comm, const EdgeList& edges, Part parts) {
  const std::uint64_t before = sum_before(comm, edges.size());
  const std::uint64_t step = all_sum(comm, std::uint64_t{edges.size()}) / most_edges + 1;
  std::vector<VertexId> mine;
  for (std::uint64_t e = (step - before % step) % step; e < edges.size(); e += step) {
    mine.push_back(edges.target[e]);
    if (edges.both_ways) mine.push_back(edges.source[e]);
  }
  std::vector<VertexId> owners = whole(comm, mine);
  std::ranges::sort(owners);
  std::vector<VertexId> begins;
  for (std::uint64_t part = 1; part < parts && !owners.empty(); ++part)
    begins.push_back(owners[owners.size() * part / parts]);
  return begins;
}

}  // namespace

Locality locality(Communicator& comm, const EdgeList& edges, const GraphShape& shape, Part parts) {
  if (shape.sources == 0) return {};
  const std::vector<VertexId> begins = range_begins(comm, edges, parts);
  const auto part_of = [&](VertexId row) {
    return static_cast<Part>(std::ranges::upper_bound(begins, row) - begins.begin());
  };
  const std::uint64_t words = (std::uint64_t{parts} + 63) / 64;
  const Sample sample(shape.sources,
                      std::clamp<std::uint64_t>(most_words / words, 1, most_vertices));
  std::vector<std::uint32_t> degrees(sample.size());
  std::vector<std::uint64_t> copies(sample.size() * words);  // a bit for each part
  const auto copy = [&](VertexId row, Part part) {
    copies[sample.number(row) * words + part / 64] |= std::uint64_t{1} << part % 64;
  };
  const bool both_ways = edges.both_ways;
  edges.for_each_arc([&](VertexId source, VertexId target, std::size_t) {
    const bool from = sample.has(source), to = sample.has(target);
    if (!from && !to) return;
    const Part part = part_of(target);
    if (from) copy(source, part);
    if (to) copy(target, part);
    degrees[sample.number(source)] += from ? 1 : 0;
    degrees[sample.number(target)] += to && !both_ways ? 1 : 0;
  });

  const BlockDistribution blocks{sample.size(), comm.size()};
  std::vector<std::vector<std::uint64_t>> out;
  for (int rank = 0; rank < comm.size(); ++rank) {
    const auto slice =
        std::span(copies).subspan(blocks.first(rank) * words, blocks.count(rank) * words);
    out.emplace_back(slice.begin(), slice.end());
  }
  std::vector<std::uint64_t> joined(blocks.count(comm.rank()) * words);
  for (const auto& block : all_to_all(comm, std::move(out)))
    for (std::size_t i = 0; i < joined.size(); ++i) joined[i] |= block[i];
  std::uint64_t mirrors = 0;
  for (std::size_t first = 0; first < joined.size(); first += words) {
    std::uint64_t count = 0;
    for (std::size_t i = first; i < first + words; ++i) count += ones(joined[i]);
    mirrors += count > 0 ? count - 1 : 0;
  }
  const DegreeHistogram seen = histogram(comm, add_at_owner(comm, blocks, std::move(degrees)));
  const double each = static_cast<double>(shape.sources) / static_cast<double>(sample.size());
  return {each * static_cast<double>(all_sum(comm, mirrors)), each * expected_mirrors(seen, parts)};
}

}  // namespace gas::partition
