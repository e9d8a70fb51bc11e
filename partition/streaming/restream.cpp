#include "partition/streaming/restream.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "gas/base/rank_sums.hpp"
#include "partition/edge_cut.hpp"

namespace gas::partition {
namespace {

/// What a net adds to a part that has a share (0 … 1] of its owners: share^(1/4), share^(1/8), or
/// 1. The last is what counts in the end, but the first ones gather owners where most are already.
enum class Pull { root4, root8, any };

constexpr std::array passes{Pull::root4, Pull::root4, Pull::root4, Pull::root4,
                            Pull::root8, Pull::root8, Pull::any,   Pull::any};
constexpr double pressure = 0.8;  // of load on a score, of what it was in the pass before

/// What the stream knows: all of it moves from rank to rank.
struct State {
  std::vector<std::uint32_t> owners;  // by net, then part
  std::vector<std::uint64_t> load;    // by part, then group
};

class Stream {
 public:
  Stream(std::vector<Pin> pins, std::vector<GroupWeight> weights, VertexId first,
         std::uint64_t rows, Part groups, Part parts, std::uint64_t most)
      : pins_(std::move(pins)),
        weights_(std::move(weights)),
        first_(first),
        groups_(groups),
        parts_(parts),
        most_(most),
        part_(rows, no_part),
        score_(parts) {}

  /// Every row of the block once more. `scale`: 1 / √√ of each net's owners.
  void pass(State& state, Pull pull, double weight, std::span<const float> scale) {
    std::span<const GroupWeight> weights(weights_);
    for (std::span<const Pin> pins(pins_); !pins.empty();)
      place(state, take_owner(pins), take_owner(weights), pull, weight, scale);
  }

  std::vector<Part> take_parts() { return std::move(part_); }

 private:
  /// The first owner's items, and these taken away.
  template <class Item>
  static std::span<const Item> take_owner(std::span<const Item>& items) {
    std::size_t count = 0;
    while (count < items.size() && items[count].owner == items[0].owner) ++count;
    const auto first = items.first(count);
    items = items.subspan(count);
    return first;
  }

  void place(State& state, std::span<const Pin> nets, std::span<const GroupWeight> own, Pull pull,
             double weight, std::span<const float> scale) {
    Part& part = part_[nets[0].owner - first_];
    const auto change = [&](std::uint32_t by) {
      for (const Pin pin : nets) state.owners[std::size_t{pin.net} * parts_ + part] += by;
    };
    if (part != no_part) {
      change(~std::uint32_t{0});  // − 1
      for (const GroupWeight& each : own) load(state, part, each.group) -= each.weight;
    }
    rate(state, nets, pull, scale);
    part = choose(state, own, weight * static_cast<double>(nets.size()));
    change(1);
    for (const GroupWeight& each : own) load(state, part, each.group) += each.weight;
  }

  std::uint64_t& load(State& state, Part part, Part group) const {
    return state.load[std::size_t{part} * groups_ + group];
  }

  void rate(const State& state, std::span<const Pin> nets, Pull pull,
            std::span<const float> scale) {
    std::fill(score_.begin(), score_.end(), 0.0F);
    float* const score = score_.data();
    for (const Pin pin : nets) {
      const std::uint32_t* const owners = &state.owners[std::size_t{pin.net} * parts_];
      const float one = scale[pin.net];
      const auto root = [&](Part p) {
        return std::sqrt(std::sqrt(static_cast<float>(static_cast<std::int32_t>(owners[p]))));
      };
      if (pull == Pull::root4)
        for (Part p = 0; p < parts_; ++p) score[p] += one * root(p);
      else if (pull == Pull::root8)
        for (Part p = 0; p < parts_; ++p) score[p] += std::sqrt(one * root(p));
      else
        for (Part p = 0; p < parts_; ++p) score[p] += owners[p] > 0 ? 1.0F : 0.0F;
    }
  }

  /// Of the parts with room the best, or else the one that is then least overfull; among equals the
  /// lightest.
  Part choose(const State& state, std::span<const GroupWeight> own, double weight) const {
    std::uint64_t all = 0;
    for (const GroupWeight& each : own) all += each.weight;
    struct Choice {
      std::uint64_t excess;  // of its largest load
      double score, load;
      bool better_than(const Choice& other) const {
        if (excess != other.excess) return excess < other.excess;
        return score != other.score ? score > other.score : load < other.load;
      }
    };
    Part best = 0;
    Choice found{};
    for (Part p = 0; p < parts_; ++p) {
      const std::uint64_t* const loads = &state.load[std::size_t{p} * groups_];
      Choice choice{0, 0, 0};
      for (const GroupWeight& each : own) {
        const std::uint64_t then = loads[each.group] + each.weight;
        if (then > most_) choice.excess = std::max(choice.excess, then - most_);
        choice.load += static_cast<double>(loads[each.group]) * static_cast<double>(each.weight);
      }
      if (all > 0) choice.load /= static_cast<double>(all) * static_cast<double>(most_);
      choice.score = score_[p] - weight * choice.load;
      if (p > 0 && !choice.better_than(found)) continue;
      best = p;
      found = choice;
    }
    return best;
  }

  std::vector<Pin> pins_;
  std::vector<GroupWeight> weights_;
  VertexId first_;
  Part groups_, parts_;
  std::uint64_t most_;
  std::vector<Part> part_;
  std::vector<float> score_;
};

/// Moves the state of rank `from` to the next rank. Collective.
void hand_on(Communicator& comm, int from, State& state) {
  const int to = (from + 1) % comm.size();
  if (to == from) return;
  const auto move = [&]<class T>(std::vector<T>& values) {
    std::vector<std::vector<T>> out(static_cast<std::size_t>(comm.size()));
    if (comm.rank() == from) out[static_cast<std::size_t>(to)] = std::move(values);
    auto in = all_to_all(comm, std::move(out));
    if (comm.rank() == from) values.clear();
    if (comm.rank() == to) values = std::move(in[static_cast<std::size_t>(from)]);
  };
  move(state.owners);
  move(state.load);
}

/// 1 / √√ of the owners of every net, on every rank.
std::vector<float> net_scale(Communicator& comm, std::span<const Pin> pins, std::uint64_t nets) {
  std::vector<std::uint32_t> owners(nets, 0);
  for (const Pin pin : pins) ++owners[pin.net];
  add_ranks(comm, owners);
  std::vector<float> scale(nets);
  std::transform(owners.begin(), owners.end(), scale.begin(), [](std::uint32_t count) {
    return count == 0 ? 0.0F : 1 / std::sqrt(std::sqrt(static_cast<float>(count)));
  });
  return scale;
}

}  // namespace

std::vector<GroupWeight> one_group(std::span<const Pin> pins, VertexId first,
                                   const std::vector<std::uint64_t>& weights) {
  std::vector<GroupWeight> found;
  for (const Pin& pin : pins)
    if (found.empty() || found.back().owner != pin.owner)
      found.push_back({pin.owner, 0, weights[pin.owner - first]});
  return found;
}

std::vector<Part> restream(Communicator& comm, BlockDistribution owners, std::uint64_t nets,
                           std::vector<Pin> pins, std::vector<GroupWeight> weights, Part groups,
                           Part parts, std::uint64_t most) {
  const std::vector<float> scale = net_scale(comm, pins, nets);
  Stream stream(std::move(pins), std::move(weights),
                static_cast<VertexId>(owners.first(comm.rank())), owners.count(comm.rank()), groups,
                parts, most);
  State state;
  together(comm, [&] {
    if (comm.rank() != 0) return;
    state.owners.assign(nets * parts, 0);
    state.load.assign(std::size_t{parts} * groups, 0);
  });
  double weight = 1;
  for (const Pull pull : passes) {
    for (int rank = 0; rank < comm.size(); ++rank) {
      if (comm.rank() == rank) stream.pass(state, pull, weight, scale);
      hand_on(comm, rank, state);
    }
    weight *= pressure;
  }
  return stream.take_parts();
}

}  // namespace gas::partition
