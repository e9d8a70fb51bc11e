#include "partition/pair_parts.hpp"

#include <algorithm>
#include <numeric>

#include "partition/edge_stream.hpp"
#include "partition/keyed_hash.hpp"

namespace gas::partition {
namespace {

constexpr int rounds = 8;

struct Pair {
  std::uint32_t u, v;  // u ≤ v
};

class Drawing {
 public:
  Drawing(const CopySets& copies, Part parts, std::uint64_t seed)
      : copies_(copies), seed_(seed), weight_(parts, 1), all_(parts) {
    std::iota(all_.begin(), all_.end(), Part{0});
  }

  Part draw(Pair pair) {
    copies_.common(pair.u, pair.v, some_);
    if (some_.size() == 1) return some_[0];
    if (some_.empty()) copies_.either(pair.u, pair.v, some_);
    const std::vector<Part>& parts = some_.empty() ? all_ : some_;
    double sum = 0;
    for (const Part part : parts) sum += weight_[part];
    const std::uint64_t hash = keyed_hash(std::uint64_t{pair.u} << 32U | pair.v, seed_);
    double left = static_cast<double>(hash >> 11U) * 0x1p-53 * sum;
    for (const Part part : parts)
      if ((left -= weight_[part]) < 0) return part;
    return parts.back();
  }

  /// Towards `arcs` drawn for a part being the room that the other arcs leave there.
  void adjust(const std::vector<std::uint64_t>& arcs, const std::vector<double>& room) {
    double sum = 0;
    for (std::size_t p = 0; p < weight_.size(); ++p)
      sum += weight_[p] *=
          std::clamp((room[p] + 1) / (static_cast<double>(arcs[p]) + 1), 1.0 / 16, 16.0);
    for (double& weight : weight_) weight = std::max(weight / sum, 1e-12);
  }

 private:
  const CopySets& copies_;
  std::uint64_t seed_;
  std::vector<double> weight_;
  std::vector<Part> all_;
  std::vector<Part> some_;  // scratch
};

std::vector<std::uint64_t> sum(Team& team, const std::vector<std::uint64_t>& mine) {
  std::vector<std::uint64_t> total(mine.size(), 0);
  for (const auto& block : all_gather(team, std::span<const std::uint64_t>(mine)))
    for (std::size_t p = 0; p < total.size(); ++p) total[p] += block[p];
  return total;
}

}  // namespace

std::vector<Part> pair_parts(Team& team, const EdgeList& edges, const GraphShape& shape,
                             const Options& options, const CopySets& copies,
                             const std::vector<bool>& flexible) {
  const std::uint32_t shift = shape.bipartite ? to_row(shape.sources) : 0;
  const auto pair_of = [&](std::size_t e) {
    const std::uint32_t u = edges.source[e], v = edges.target[e] + shift;
    return Pair{std::min(u, v), std::max(u, v)};
  };
  const auto arcs_of = [&](Pair pair) { return edges.both_ways && pair.u != pair.v ? 2U : 1U; };
  std::vector<Part> parts(edges.size());
  std::vector<std::uint64_t> fixed_arcs(options.parts, 0);
  std::vector<std::uint64_t> to_draw;
  for (std::size_t e = 0; e < edges.size(); ++e) {
    const Pair pair = pair_of(e);
    if (pair.u == pair.v || (flexible[pair.u] && flexible[pair.v])) {
      to_draw.push_back(e);
      continue;
    }
    parts[e] = copies.first_common(pair.u, pair.v);
    fixed_arcs[parts[e]] += arcs_of(pair);
  }
  const auto fixed = sum(team, fixed_arcs);
  const std::uint64_t fixed_total = std::accumulate(fixed.begin(), fixed.end(), std::uint64_t{0});
  const std::uint64_t total = all_sum(team, static_cast<std::uint64_t>(edges.arcs()));
  if (total == fixed_total) return parts;

  const double mean = static_cast<double>(total) / options.parts;
  std::vector<double> room;
  for (const std::uint64_t arcs : fixed)
    room.push_back(std::max(0.0, mean - static_cast<double>(arcs)));
  Drawing drawing(copies, options.parts, options.seed);
  for (int round = 0; round < rounds; ++round) {
    std::vector<std::uint64_t> drawn(options.parts, 0);
    for (const std::uint64_t e : to_draw) {
      parts[e] = drawing.draw(pair_of(e));
      drawn[parts[e]] += arcs_of(pair_of(e));
    }
    if (round + 1 < rounds) drawing.adjust(sum(team, drawn), room);
  }
  return parts;
}

}  // namespace gas::partition
