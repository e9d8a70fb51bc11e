#include "partition/streaming/relieve.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "gas/base/rank_sums.hpp"
#include "partition/measure/balance.hpp"
#include "partition/streaming/pair.hpp"

namespace gas::partition {
namespace {

enum class Going { where_both_are, where_one_is, anywhere };

constexpr int passes_of_each = 4;

/// Where a pair may go, drawn by room.
class Targets {
 public:
  Targets(const CopySets& copies, const std::vector<std::uint64_t>& loads, std::uint64_t most,
          Going going, std::uint64_t key)
      : copies_(copies), going_(going), key_(key), all_(loads.size()) {
    for (const std::uint64_t load : loads) room_.push_back(load < most ? most - load : 0);
    std::iota(all_.begin(), all_.end(), Part{0});
  }

  /// A part with room, or no_part.
  Part draw(Pair pair) {
    if (going_ == Going::where_both_are)
      copies_.common(pair.low, pair.high, some_);
    else if (going_ == Going::where_one_is)
      copies_.either(pair.low, pair.high, some_);
    const std::vector<Part>& among = going_ == Going::anywhere ? all_ : some_;
    std::uint64_t sum = 0;
    for (const Part part : among) sum += room_[part];
    double left = hash_share(pair.key(), key_) * static_cast<double>(sum);
    for (const Part part : among)
      if (room_[part] > 0 && (left -= static_cast<double>(room_[part])) < 0) return part;
    return no_part;
  }

  std::uint64_t room(Part part) const { return room_[part]; }

 private:
  const CopySets& copies_;
  Going going_;
  std::uint64_t key_;
  std::vector<std::uint64_t> room_;
  std::vector<Part> all_, some_;
};

}  // namespace

std::uint64_t most_arcs(const std::vector<std::uint64_t>& per_part, const Options& options) {
  const auto all = std::accumulate(per_part.begin(), per_part.end(), std::uint64_t{0});
  return std::max(promised_share(all, options.parts, options.imbalance_percent),
                  (all + options.parts - 1) / options.parts);
}

void relieve(Communicator& comm, const EdgeList& edges, const GraphShape& shape,
             const Options& options, const CopySets& copies, std::vector<Part>& part) {
  const auto arcs_per_part = [&] {
    std::vector<std::uint64_t> loads(options.parts, 0);
    for (std::size_t e = 0; e < part.size(); ++e)
      loads[part[e]] += arcs_of(edges, pair_of(edges, shape, e));
    add_ranks(comm, loads);
    return loads;
  };
  std::vector<std::uint64_t> loads = arcs_per_part();
  const std::uint64_t most = most_arcs(loads, options);
  const auto too_many = [&] { return *std::max_element(loads.begin(), loads.end()) > most; };

  std::uint64_t key = ~options.seed;
  for (const Going going : {Going::where_both_are, Going::where_one_is, Going::anywhere})
    for (int pass = 0; pass < passes_of_each && too_many(); ++pass, loads = arcs_per_part()) {
      key += 0x9E3779B97F4A7C15U;  // other draws in each pass
      Targets targets(copies, loads, most, going, key);
      // Calls f(edge, pair, where it may go) for what is on a part with too many.
      const auto each = [&](auto f) {
        for (std::size_t e = 0; e < part.size(); ++e) {
          if (loads[part[e]] <= most) continue;
          const Pair pair = pair_of(edges, shape, e);
          if (const Part target = targets.draw(pair); target != no_part) f(e, pair, target);
        }
      };
      const auto share = [](std::uint64_t wanted, std::uint64_t of) {
        return of == 0 ? 0 : static_cast<double>(wanted) / static_cast<double>(of);
      };
      const auto spread = [](std::uint64_t count) {  // of a number that is drawn
        return static_cast<std::uint64_t>(std::sqrt(static_cast<double>(count)));
      };

      std::vector<std::uint64_t> able(options.parts, 0), coming(options.parts, 0);
      each([&](std::size_t e, Pair pair, Part) { able[part[e]] += arcs_of(edges, pair); });
      add_ranks(comm, able);
      const auto leaves = [&](Part from, Pair pair) {
        const std::uint64_t excess = loads[from] - most;
        return hash_share(pair.key(), key + 1) < share(excess + spread(excess) + 1, able[from]);
      };
      each([&](std::size_t e, Pair pair, Part target) {
        if (leaves(part[e], pair)) coming[target] += arcs_of(edges, pair);
      });
      add_ranks(comm, coming);
      each([&](std::size_t e, Pair pair, Part target) {
        const std::uint64_t room = targets.room(target);
        const bool fits = coming[target] <= room;
        if (leaves(part[e], pair) &&
            (fits || hash_share(pair.key(), key + 2) < share(room - spread(room), coming[target])))
          part[e] = target;
      });
    }
}

}  // namespace gas::partition
