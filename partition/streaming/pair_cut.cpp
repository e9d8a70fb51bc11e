#include "partition/streaming/pair_cut.hpp"

#include <algorithm>
#include <limits>

#include "gas/base/rank_sums.hpp"
#include "partition/measure/balance.hpp"
#include "partition/streaming/drawing.hpp"
#include "partition/streaming/pair.hpp"
#include "partition/streaming/relieve.hpp"
#include "partition/vertex_cut.hpp"

namespace gas::partition {
namespace {

constexpr int most_rounds = 64;
constexpr std::size_t ahead = 16;  // edges whose copies the cache is told of beforehand
// Pairs to adjust by, of all ranks together; up to twice as many are taken.
constexpr std::uint64_t sampled_per_part = 4096;
constexpr std::uint64_t least_sampled = std::uint64_t{1} << 18U;
constexpr std::uint64_t most_sampled = std::uint64_t{1} << 22U;

/// By how many arcs a part has drawn too many, at most.
double excess(const std::vector<std::uint64_t>& drawn, const std::vector<double>& room) {
  double most = 0;
  for (std::size_t p = 0; p < room.size(); ++p)
    most = std::max(most, static_cast<double>(drawn[p]) - room[p]);
  return most;
}

/// Adjusts the weights by a sample of the pairs that are to be drawn: those of
/// which drawn(pair). Collective.
template <class Drawn>
void balance_draws(Communicator& comm, const EdgeList& edges, const GraphShape& shape,
                   const Options& options, const CopySets& copies, Drawn drawn, Drawing& drawing) {
  std::uint64_t to_draw = 0;
  for (std::size_t e = 0; e < edges.size(); ++e)
    if (drawn(pair_of(edges, shape, e))) ++to_draw;
  to_draw = all_sum(comm, to_draw);
  if (to_draw == 0) return;

  const std::uint64_t sample =
      std::clamp(options.parts * sampled_per_part, least_sampled, most_sampled);
  const std::uint64_t one_in = std::bit_floor(std::max(std::uint64_t{1}, to_draw / sample));
  std::vector<Pair> sampled;
  std::vector<std::uint64_t> fixed(options.parts, 0);
  std::uint64_t arcs = 0;
  for (std::size_t e = 0; e < edges.size(); ++e) {
    const Pair pair = pair_of(edges, shape, e);
    arcs += arcs_of(edges, pair);
    if (!drawn(pair))
      fixed[copies.first_common(pair.low, pair.high)] += arcs_of(edges, pair);
    else if (keyed_hash(pair.key(), ~options.seed) % one_in == 0)
      sampled.push_back(pair);
  }
  add_ranks(comm, fixed);
  const double mean = static_cast<double>(all_sum(comm, arcs)) / options.parts;
  std::vector<double> room;
  for (const std::uint64_t taken : fixed)
    room.push_back(std::max(0.0, mean - static_cast<double>(taken)) / static_cast<double>(one_in));
  const double tolerated = 0.01 * mean / static_cast<double>(one_in);
  double least = std::numeric_limits<double>::max();
  Drawing best = drawing;
  int in_vain = 0;  // rounds
  for (int round = 0; round < most_rounds; ++round) {
    std::vector<std::uint64_t> arcs_drawn(options.parts, 0);
    for (const Pair pair : sampled) arcs_drawn[drawing.draw(copies, pair)] += arcs_of(edges, pair);
    add_ranks(comm, arcs_drawn);
    const double found = excess(arcs_drawn, room);
    in_vain = found < 0.98 * least ? 0 : in_vain + 1;
    if (found < least) {
      least = found;
      best = drawing;
    }
    if (found <= tolerated || in_vain == 4) break;
    drawing.adjust(arcs_drawn, room);
  }
  drawing = std::move(best);
}

}  // namespace

Partition pair_cut(Communicator& comm, const EdgeList& edges, const GraphShape& shape,
                   const Options& options, const CopySets& copies,
                   const std::vector<bool>& flexible, std::vector<double> weights) {
  const auto drawn = [&](Pair pair) {
    return pair.loop() || (flexible[pair.low] && flexible[pair.high]);
  };
  if (weights.empty()) weights.assign(options.parts, 1);
  Drawing drawing(std::move(weights), options.seed);
  balance_draws(comm, edges, shape, options, copies, drawn, drawing);
  Partition cut =
      vertex_cut(comm, edges, shape, options, [&](std::size_t first, std::span<Part> parts) {
        for (std::size_t i = 0; i < parts.size(); ++i) {
          if (first + i + ahead < edges.size()) {
            const Pair next = pair_of(edges, shape, first + i + ahead);
            __builtin_prefetch(copies.address(next.low));
            __builtin_prefetch(copies.address(next.high));
          }
          const Pair pair = pair_of(edges, shape, first + i);
          parts[i] =
              drawn(pair) ? drawing.draw(copies, pair) : copies.first_common(pair.low, pair.high);
        }
      });
  const std::vector<std::uint64_t> loads = edges_per_part(comm, cut);
  if (*std::max_element(loads.begin(), loads.end()) <= most_arcs(loads, options)) return cut;
  std::vector<Part> part;
  part.reserve(edges.size());
  std::size_t arc = 0;
  for (std::size_t e = 0; e < edges.size(); ++e) {
    part.push_back(cut.edge_part[arc]);
    arc += arcs_of(edges, pair_of(edges, shape, e));
  }
  cut = {};
  relieve(comm, edges, shape, options, copies, part);
  return vertex_cut(comm, edges, shape, options, part);
}

}  // namespace gas::partition
