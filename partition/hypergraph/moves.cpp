#include "partition/hypergraph/moves.hpp"

#include <limits>

namespace gas::partition {

Moves::Moves(const Hypergraph& graph, std::vector<Part> part, std::vector<std::int64_t> most)
    : graph_(graph),
      parts_(static_cast<Part>(most.size())),
      part_(std::move(part)),
      load_(most.size(), 0),
      most_(std::move(most)),
      count_(std::size_t{graph.nets()} * parts_, 0),
      looks_(graph.nets(), 0),
      reached_(std::size_t{graph.vertices()} * parts_, 0),
      alone_(graph.vertices(), 0),
      all_(graph.vertices(), 0) {
  for (Index v = 0; v < graph.vertices(); ++v) load_[part_[v]] += graph.vertex_weight[v];
  for (Index n = 0; n < graph.nets(); ++n)
    for (const Index v : graph.pins(n)) ++count_[std::size_t{n} * parts_ + part_[v]];
  for (Index v = 0; v < graph.vertices(); ++v) {
    std::int32_t* const reached = &reached_[std::size_t{v} * parts_];
    for (const Index n : graph.nets_of(v)) {
      const std::int32_t weight = graph.net_weight[n];
      const std::uint32_t* const count = &count_[std::size_t{n} * parts_];
      for (Part p = 0; p < parts_; ++p) reached[p] += count[p] > 0 ? weight : 0;
      if (count[part_[v]] == 1) alone_[v] += weight;
      all_[v] += weight;
    }
  }
}

void Moves::leave_out(Index net) {
  const std::int32_t weight = graph_.net_weight[net];
  const std::uint32_t* const count = &count_[std::size_t{net} * parts_];
  for (const Index v : graph_.pins(net)) {
    for (Part p = 0; p < parts_; ++p)
      if (count[p] > 0) reached_[std::size_t{v} * parts_ + p] -= weight;
    if (count[part_[v]] == 1) alone_[v] -= weight;
    all_[v] -= weight;
  }
}

std::int64_t Moves::cost() const {
  std::int64_t cost = 0;
  for (Index n = 0; n < graph_.nets(); ++n) {
    const auto count = std::span(count_).subspan(std::size_t{n} * parts_, parts_);
    cost += graph_.net_weight[n] *
            (std::count_if(count.begin(), count.end(), [](auto pins) { return pins > 0; }) - 1);
  }
  return cost;
}

bool Moves::on_border(Index v) const {
  const std::int32_t* const reached = &reached_[std::size_t{v} * parts_];
  for (Part p = 0; p < parts_; ++p)
    if (p != part_[v] && reached[p] > 0) return true;
  return false;
}

Moves::Best Moves::best(Index v) const {
  const std::int32_t* const reached = &reached_[std::size_t{v} * parts_];
  Best best;
  std::int32_t most = std::numeric_limits<std::int32_t>::min();
  for (Part p = 0; p < parts_; ++p) {
    if (reached[p] < most || p == part_[v] || !fits(v, p)) continue;
    if (reached[p] == most && load_[p] >= load_[best.to]) continue;
    most = reached[p];
    best.to = p;
    best.found = true;
  }
  if (best.found) best.gain = gain(v, best.to);
  return best;
}

}  // namespace gas::partition
