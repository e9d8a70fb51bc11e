#include "partition/metis/repair.hpp"

#include <algorithm>
#include <cstddef>
#include <tuple>

namespace gas::partition {
namespace {

class Repair {
 public:
  Repair(const MetisGraph& graph, std::uint64_t most, Part parts, std::vector<Part>& part)
      : graph_(graph), most_(most), part_(part), load_(parts), joined_(parts) {
    for (std::size_t v = 0; v < graph.vertices(); ++v) load_[part[v]] += graph.weight[v];
  }

  void run() {
    for (Part p = 0; p < load_.size(); ++p)
      if (load_[p] > most_) relieve(p);
  }

 private:
  struct Move {
    std::int64_t gain;
    std::uint64_t weight;
    std::size_t vertex;
  };

  /// Largest gain first; among equals heavy ones, then the lower vertex.
  void relieve(Part p) {
    std::vector<Move> moves;
    for (std::size_t v = 0; v < graph_.vertices(); ++v) {
      if (part_[v] != p || graph_.weight[v] == 0 || graph_.weight[v] > most_) continue;
      const Move move = best_move(v).second;
      moves.push_back(move);
    }
    std::sort(moves.begin(), moves.end(), [](const Move& a, const Move& b) {
      return std::tuple(-a.gain, ~a.weight, a.vertex) < std::tuple(-b.gain, ~b.weight, b.vertex);
    });
    for (const Move& move : moves) {
      if (load_[p] <= most_) return;
      const Part to = best_move(move.vertex).first;
      if (load_[to] + move.weight > most_) continue;
      load_[p] -= move.weight;
      load_[to] += move.weight;
      part_[move.vertex] = to;
    }
  }

  /// Of the parts with room, the one that v is joined to most, if any; else the lightest.
  std::pair<Part, Move> best_move(std::size_t v) {
    const auto begin = static_cast<std::size_t>(graph_.begin[v]);
    const auto end = static_cast<std::size_t>(graph_.begin[v + 1]);
    const auto part_of = [&](std::size_t at) {
      return part_[static_cast<std::size_t>(graph_.neighbour[at])];
    };
    for (std::size_t at = begin; at < end; ++at) joined_[part_of(at)] += graph_.pair_weight[at];
    const std::int64_t stays = joined_[part_[v]];
    auto best = static_cast<Part>(std::min_element(load_.begin(), load_.end()) - load_.begin());
    for (std::size_t at = begin; at < end; ++at) {
      const Part to = part_of(at);
      if (to == part_[v] || load_[to] + graph_.weight[v] > most_) continue;
      if (std::tuple(-joined_[to], to) < std::tuple(-joined_[best], best)) best = to;
    }
    const Move move{joined_[best] - stays, graph_.weight[v], v};
    for (std::size_t at = begin; at < end; ++at) joined_[part_of(at)] = 0;
    return {best, move};
  }

  const MetisGraph& graph_;
  std::uint64_t most_;
  std::vector<Part>& part_;
  std::vector<std::uint64_t> load_;   // what each part weighs
  std::vector<std::int64_t> joined_;  // scratch: how strongly a vertex is joined to each part
};

}  // namespace

void repair_balance(const MetisGraph& graph, std::uint64_t most, Part parts,
                    std::vector<Part>& part) {
  Repair(graph, most, parts, part).run();
}

}  // namespace gas::partition
