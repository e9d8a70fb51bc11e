#include "partition/streaming/pins.hpp"

#include <algorithm>
#include <utility>

#include "partition/edge_cut.hpp"

namespace gas::partition {
namespace {

void sort_distinct(std::vector<std::uint64_t>& words) {
  std::sort(words.begin(), words.end());
  words.erase(std::unique(words.begin(), words.end()), words.end());
}

}  // namespace

std::vector<Pin> home_pins(Communicator& comm, const EdgeList& edges, const GraphShape& shape,
                           PinsBy by) {
  // A pin in one word, which sorts as asked.
  const auto word = [by](VertexId owner, VertexId net) {
    if (by == PinsBy::net) std::swap(owner, net);
    return std::uint64_t{owner} << 32U | net;
  };
  std::vector<std::uint64_t> words;
  words.reserve(edges.size());
  edges.for_each_arc([&](VertexId source, VertexId target, std::size_t) {
    if (shape.bipartite) {
      words.push_back(word(source, target));
    } else {
      words.push_back(word(target, source));
      words.push_back(word(target, target));
    }
  });
  sort_distinct(words);
  const BlockDistribution blocks =
      by == PinsBy::owner ? source_blocks(comm, shape) : target_blocks(comm, shape);
  std::vector<std::vector<std::uint64_t>> out(static_cast<std::size_t>(comm.size()));
  for (const std::uint64_t w : words)
    out[static_cast<std::size_t>(blocks.owner(static_cast<VertexId>(w >> 32U)))].push_back(w);
  words = std::vector<std::uint64_t>();
  for (const auto& block : all_to_all(comm, std::move(out)))
    words.insert(words.end(), block.begin(), block.end());
  sort_distinct(words);
  std::vector<Pin> pins;
  pins.reserve(words.size());
  for (const std::uint64_t w : words) {
    const auto first = static_cast<VertexId>(w >> 32U), second = static_cast<VertexId>(w);
    pins.push_back(by == PinsBy::owner ? Pin{first, second} : Pin{second, first});
  }
  return pins;
}

}  // namespace gas::partition
