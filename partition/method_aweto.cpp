#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "partition/balance.hpp"
#include "partition/edge_cut.hpp"
#include "partition/home.hpp"
#include "partition/method.hpp"
#include "partition/pins.hpp"

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
  std::vector<std::uint64_t> load;    // edges, by part
};

class Stream {
 public:
  /// `owned`: edges that follow each of the home rows from `first` on; `pins` of these, by owner.
  Stream(std::vector<Pin> pins, std::vector<std::uint64_t> owned, Row first, Part parts,
         std::uint64_t most)
      : pins_(std::move(pins)),
        owned_(std::move(owned)),
        first_(first),
        parts_(parts),
        most_(most),
        part_(owned_.size(), no_part),
        score_(parts) {}

  /// Every home row once more. `scale`: 1 / √√ of each net's owners.
  void pass(State& state, Pull pull, double weight, std::span<const float> scale) {
    for (std::span<const Pin> rest(pins_); !rest.empty();) {
      std::size_t count = 0;
      while (count < rest.size() && rest[count].owner == rest[0].owner) ++count;
      place(state, rest.first(count), pull, weight, scale);
      rest = rest.subspan(count);
    }
  }

  std::vector<Part> take_parts() { return std::move(part_); }

 private:
  void place(State& state, std::span<const Pin> nets, Pull pull, double weight,
             std::span<const float> scale) {
    Part& part = part_[nets[0].owner - first_];
    const std::uint64_t edges = owned_[nets[0].owner - first_];
    const auto change = [&](std::uint32_t by) {
      for (const Pin pin : nets) state.owners[std::size_t{pin.net} * parts_ + part] += by;
    };
    if (part != no_part) {
      change(~std::uint32_t{0});  // − 1
      state.load[part] -= edges;
    }
    rate(state, nets, pull, scale);
    part = choose(state, edges, weight * static_cast<double>(nets.size()));
    change(1);
    state.load[part] += edges;
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

  /// Of the parts with room the best, or else the lightest; among equals the lightest.
  Part choose(const State& state, std::uint64_t edges, double weight) const {
    const auto lightest = std::min_element(state.load.begin(), state.load.end());
    auto best = static_cast<Part>(lightest - state.load.begin());
    if (*lightest + edges > most_) return best;
    const auto value = [&](Part p) {
      return score_[p] - weight * static_cast<double>(state.load[p]) / static_cast<double>(most_);
    };
    double highest = value(best);
    for (Part p = 0; p < parts_; ++p) {
      if (state.load[p] + edges > most_) continue;
      const double found = value(p);
      if (found < highest || (found == highest && state.load[p] >= state.load[best])) continue;
      highest = found;
      best = p;
    }
    return best;
  }

  std::vector<Pin> pins_;
  std::vector<std::uint64_t> owned_;
  Row first_;
  Part parts_;
  std::uint64_t most_;
  std::vector<Part> part_;
  std::vector<float> score_;
};

/// Moves the state of rank `from` to the next rank. Collective.
void hand_on(Team& team, int from, State& state) {
  const int to = (from + 1) % team.size();
  if (to == from) return;
  const auto move = [&]<class T>(std::vector<T>& values) {
    std::vector<std::vector<T>> out(static_cast<std::size_t>(team.size()));
    if (team.rank() == from) out[static_cast<std::size_t>(to)] = std::move(values);
    auto in = all_to_all(team, std::move(out));
    if (team.rank() == from) values.clear();
    if (team.rank() == to) values = std::move(in[static_cast<std::size_t>(from)]);
  };
  move(state.owners);
  move(state.load);
}

/// 1 / √√ of the owners of every net, on every rank.
std::vector<float> net_scale(Team& team, std::span<const Pin> pins, std::uint64_t nets) {
  std::vector<std::uint32_t> owners(nets, 0);
  for (const Pin pin : pins) ++owners[pin.net];
  std::vector<float> scale(nets);
  std::vector<std::uint32_t> all(nets, 0);
  for (const auto& block : all_gather(team, std::span<const std::uint32_t>(owners)))
    std::transform(block.begin(), block.end(), all.begin(), all.begin(), std::plus<>());
  std::transform(all.begin(), all.end(), scale.begin(), [](std::uint32_t count) {
    return count == 0 ? 0.0F : 1 / std::sqrt(std::sqrt(static_cast<float>(count)));
  });
  return scale;
}

}  // namespace

Partition aweto_cut(Team& team, const EdgeList& edges, const GraphShape& shape,
                    const Options& options) {
  auto pins = home_pins(team, edges, shape, PinsBy::owner);
  auto owned = count_owned(team, edges, shape);
  const auto edge_count = all_sum(team, static_cast<std::uint64_t>(edges.arcs()));
  const std::uint64_t most = std::max<std::uint64_t>(
      promised_edges(edge_count, options.parts, options.imbalance_percent), 1);
  const std::vector<float> scale = net_scale(team, pins, shape.targets);
  Stream stream(std::move(pins), std::move(owned),
                static_cast<Row>(source_home(team, shape).first(team.rank())), options.parts, most);
  State state;
  together(team, [&] {
    if (team.rank() != 0) return;
    state.owners.assign(shape.targets * options.parts, 0);
    state.load.assign(options.parts, 0);
  });
  double weight = 1;
  for (const Pull pull : passes) {
    for (int rank = 0; rank < team.size(); ++rank) {
      if (team.rank() == rank) stream.pass(state, pull, weight, scale);
      hand_on(team, rank, state);
    }
    weight *= pressure;
  }
  const std::size_t parameters = shape.bipartite ? target_home(team, shape).count(team.rank()) : 0;
  return edge_cut(team, edges, shape, options, stream.take_parts(),
                  std::vector<Part>(parameters, no_part));
}

}  // namespace gas::partition
