#include "partition/pair_parts.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

#include "partition/pair.hpp"

namespace gas::partition {
namespace {

constexpr int rounds = 16;
constexpr std::uint64_t sampled_pairs = std::uint64_t{1} << 18U;  // at least, to adjust by

class Drawing {
 public:
  Drawing(const CopySets& copies, Part parts, std::uint64_t seed)
      : copies_(copies), seed_(seed), weight_(parts, 1), all_(parts) {
    std::iota(all_.begin(), all_.end(), Part{0});
  }

  Part draw(Pair pair) {
    copies_.common(pair.low, pair.high, some_);
    if (some_.size() == 1) return some_[0];
    if (some_.empty()) copies_.either(pair.low, pair.high, some_);
    const std::vector<Part>& parts = some_.empty() ? all_ : some_;
    double sum = 0;
    for (const Part part : parts) sum += weight_[part];
    const std::uint64_t hash = keyed_hash(pair.key(), seed_);
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
  std::vector<Part> parts(edges.size());  // no_part: to be drawn
  std::vector<std::uint64_t> fixed(options.parts, 0);
  std::uint64_t to_draw = 0;
  for (std::size_t e = 0; e < edges.size(); ++e) {
    const Pair pair = pair_of(edges, shape, e);
    if (pair.loop() || (flexible[pair.low] && flexible[pair.high])) {
      parts[e] = no_part;
      ++to_draw;
    } else {
      parts[e] = copies.first_common(pair.low, pair.high);
      fixed[parts[e]] += arcs_of(edges, pair);
    }
  }
  to_draw = all_sum(team, to_draw);
  if (to_draw == 0) return parts;

  const std::uint64_t sample = std::max(sampled_pairs, std::uint64_t{options.parts} * 4096);
  const std::uint64_t one_in = std::bit_floor(std::max(std::uint64_t{1}, to_draw / sample));
  std::vector<Pair> sampled;
  for (std::size_t e = 0; e < edges.size(); ++e)
    if (const Pair pair = pair_of(edges, shape, e);
        parts[e] == no_part && keyed_hash(pair.key(), ~options.seed) % one_in == 0)
      sampled.push_back(pair);
  fixed = sum(team, fixed);
  const double mean =
      static_cast<double>(all_sum(team, static_cast<std::uint64_t>(edges.arcs()))) / options.parts;
  std::vector<double> room;
  for (const std::uint64_t arcs : fixed)
    room.push_back(std::max(0.0, mean - static_cast<double>(arcs)) / static_cast<double>(one_in));
  Drawing drawing(copies, options.parts, options.seed);
  for (int round = 0; round < rounds; ++round) {
    std::vector<std::uint64_t> drawn(options.parts, 0);
    for (const Pair pair : sampled) drawn[drawing.draw(pair)] += arcs_of(edges, pair);
    drawing.adjust(sum(team, drawn), room);
  }
  for (std::size_t e = 0; e < edges.size(); ++e)
    if (parts[e] == no_part) parts[e] = drawing.draw(pair_of(edges, shape, e));
  return parts;
}

}  // namespace gas::partition
