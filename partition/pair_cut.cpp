#include "partition/pair_cut.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <numeric>

#include "partition/home.hpp"
#include "partition/pair.hpp"
#include "partition/vertex_cut.hpp"

namespace gas::partition {
namespace {

constexpr int most_rounds = 64;
constexpr std::size_t ahead = 16;  // edges whose copies the cache is told of beforehand
// Pairs to adjust by, of all ranks together; up to twice as many are taken.
constexpr std::uint64_t sampled_per_part = 4096;
constexpr std::uint64_t least_sampled = std::uint64_t{1} << 18U;
constexpr std::uint64_t most_sampled = std::uint64_t{1} << 22U;

/// One of some parts, each as likely as its weight.
class Drawing {
 public:
  Drawing(const CopySets& copies, Part parts, std::uint64_t seed)
      : copies_(copies), seed_(seed), weight_(parts, 1), all_(parts) {
    std::iota(all_.begin(), all_.end(), Part{0});
    sum_bytes();
  }

  Part draw(Pair pair) {
    const double drawn = static_cast<double>(keyed_hash(pair.key(), seed_) >> 11U) * 0x1p-53;
    if (copies_.has_words()) {
      const std::uint64_t u = copies_.word(pair.low), v = copies_.word(pair.high);
      if ((u & v) != 0) return of_word(u & v, drawn);
      return (u | v) != 0 ? of_word(u | v, drawn) : of_list(all_, drawn);
    }
    copies_.common(pair.low, pair.high, some_);
    if (some_.empty()) copies_.either(pair.low, pair.high, some_);
    return of_list(some_.empty() ? all_ : some_, drawn);
  }

  /// Towards no part drawing more arcs than its room. A part that cannot be filled must not get an
  /// ever larger weight, so weights end at 1.
  void adjust(const std::vector<std::uint64_t>& arcs, const std::vector<double>& room) {
    for (std::size_t p = 0; p < weight_.size(); ++p) {
      const double factor = (room[p] + 1) / (static_cast<double>(arcs[p]) + 1);
      weight_[p] *= factor < 1 ? std::max(factor * factor, 1.0 / 16) : std::min(factor, 1.5);
      weight_[p] = std::clamp(weight_[p], 1e-100, 1.0);
    }
    sum_bytes();
  }

 private:
  Part of_list(const std::vector<Part>& parts, double drawn) const {
    double sum = 0;
    for (const Part part : parts) sum += weight_[part];
    double left = drawn * sum;
    for (const Part part : parts)
      if ((left -= weight_[part]) < 0) return part;
    return parts.back();
  }

  Part of_word(std::uint64_t parts, double drawn) const {
    if ((parts & (parts - 1)) == 0) return static_cast<Part>(std::countr_zero(parts));
    double sum = 0;
    for (std::size_t i = 0; i < byte_sum_.size(); ++i) sum += byte_sum_[i][parts >> 8 * i & 0xFF];
    double left = drawn * sum;
    for (std::size_t i = 0; i < byte_sum_.size(); ++i) {
      const std::uint64_t byte = parts >> 8 * i & 0xFF;
      if (left >= byte_sum_[i][byte]) {
        left -= byte_sum_[i][byte];
        continue;
      }
      for (std::uint64_t rest = byte; rest != 0; rest &= rest - 1) {
        const auto part = static_cast<Part>(8 * i + static_cast<Part>(std::countr_zero(rest)));
        if ((left -= weight_[part]) < 0) return part;
      }
    }
    return static_cast<Part>(std::bit_width(parts) - 1);
  }

  /// The weight of any eight parts that follow each other, so that a word has few to add.
  void sum_bytes() {
    if (!copies_.has_words()) return;
    byte_sum_.assign((weight_.size() + 7) / 8, {});
    for (std::size_t i = 0; i < byte_sum_.size(); ++i)
      for (std::size_t byte = 1; byte < 256; ++byte) {
        const std::size_t part = 8 * i + static_cast<std::size_t>(std::countr_zero(byte));
        byte_sum_[i][byte] =
            byte_sum_[i][byte & (byte - 1)] + (part < weight_.size() ? weight_[part] : 0);
      }
  }

  const CopySets& copies_;
  std::uint64_t seed_;
  std::vector<double> weight_;
  std::vector<std::array<double, 256>> byte_sum_;  // by byte of a word of parts, then its value
  std::vector<Part> all_;
  std::vector<Part> some_;  // scratch
};

/// By how many arcs a part has drawn too many, at most.
double excess(const std::vector<std::uint64_t>& drawn, const std::vector<double>& room) {
  double most = 0;
  for (std::size_t p = 0; p < room.size(); ++p)
    most = std::max(most, static_cast<double>(drawn[p]) - room[p]);
  return most;
}

/// Adjusts the weights by a sample of the pairs that are to be drawn: those of which drawn(pair).
/// Collective.
template <class Drawn>
void balance_draws(Team& team, const EdgeList& edges, const GraphShape& shape,
                   const Options& options, const CopySets& copies, Drawn drawn, Drawing& drawing) {
  std::uint64_t to_draw = 0;
  for (std::size_t e = 0; e < edges.size(); ++e)
    if (drawn(pair_of(edges, shape, e))) ++to_draw;
  to_draw = all_sum(team, to_draw);
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
  fixed = sum_each(team, fixed);
  const double mean = static_cast<double>(all_sum(team, arcs)) / options.parts;
  std::vector<double> room;
  for (const std::uint64_t taken : fixed)
    room.push_back(std::max(0.0, mean - static_cast<double>(taken)) / static_cast<double>(one_in));
  const double tolerated = 0.01 * mean / static_cast<double>(one_in);
  double least = std::numeric_limits<double>::max();
  int in_vain = 0;  // rounds
  for (int round = 0; round < most_rounds; ++round) {
    std::vector<std::uint64_t> arcs_drawn(options.parts, 0);
    for (const Pair pair : sampled) arcs_drawn[drawing.draw(pair)] += arcs_of(edges, pair);
    arcs_drawn = sum_each(team, arcs_drawn);
    const double found = excess(arcs_drawn, room);
    if (found <= tolerated) break;
    if (found < 0.98 * least) {
      least = found;
      in_vain = 0;
    } else if (++in_vain == 4) {
      break;
    }
    drawing.adjust(arcs_drawn, room);
  }
}

}  // namespace

Partition pair_cut(Team& team, const EdgeList& edges, const GraphShape& shape,
                   const Options& options, const CopySets& copies,
                   const std::vector<bool>& flexible) {
  const auto drawn = [&](Pair pair) {
    return pair.loop() || (flexible[pair.low] && flexible[pair.high]);
  };
  Drawing drawing(copies, options.parts, options.seed);
  balance_draws(team, edges, shape, options, copies, drawn, drawing);
  return vertex_cut(team, edges, shape, options, [&](std::size_t first, std::span<Part> parts) {
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if (first + i + ahead < edges.size()) {
        const Pair next = pair_of(edges, shape, first + i + ahead);
        __builtin_prefetch(copies.address(next.low));
        __builtin_prefetch(copies.address(next.high));
      }
      const Pair pair = pair_of(edges, shape, first + i);
      parts[i] = drawn(pair) ? drawing.draw(pair) : copies.first_common(pair.low, pair.high);
    }
  });
}

}  // namespace gas::partition
