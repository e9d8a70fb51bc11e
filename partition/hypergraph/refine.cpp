#include "partition/hypergraph/refine.hpp"

#include <cmath>
#include <queue>
#include <tuple>
#include <utility>

#include "partition/hypergraph/random.hpp"

namespace gas::partition {
namespace {

using Index = Hypergraph::Index;

constexpr std::size_t seeds_per_search = 25;
constexpr int most_rounds = 12;

/// One pass in which vertices move where that gains, or where it costs nothing and evens the loads.
std::int64_t greedy_pass(Moves& moves, Draws& random) {
  std::int64_t gained = 0;
  for (const Index v : random_order(moves.graph().vertices(), random)) {
    const Moves::Best best = moves.best(v);
    if (!best.found || best.gain < 0) continue;
    const std::int64_t evener = moves.load(moves.part(v)) - moves.load(best.to);
    if (best.gain == 0 && evener <= moves.graph().vertex_weight[v]) continue;
    gained += best.gain;
    moves.move(v, best.to);
  }
  return gained;
}

/// Whether a search that gained nothing for `steps` moves, with these gains, will not any more.
/// Osipov, Sanders: n-level graph partitioning, ESA 2010.
class Patience {
 public:
  explicit Patience(Index vertices) : least_(std::log(static_cast<double>(vertices) + 1)) {}
  void reset() { steps_ = 0, mean_ = 0, squares_ = 0; }
  void add(double gain) {
    ++steps_;
    const double off = gain - mean_;
    mean_ += off / steps_;
    squares_ += off * (gain - mean_);
  }
  bool ended() const {
    if (steps_ < least_) return false;
    if (mean_ > 0) return false;
    const double variance = steps_ > 1 ? squares_ / (steps_ - 1) : 0;
    return (steps_ >= 2 && steps_ * mean_ * mean_ >= variance * 0.25 + 1e-9) || steps_ > 200;
  }

 private:
  double least_;
  double steps_ = 0, mean_ = 0, squares_ = 0;
};

class Searches {
 public:
  Searches(Moves& moves, Draws& random)
      : moves_(moves),
        random_(random),
        moved_(moves.graph().vertices(), false),
        seen_(moves.graph().vertices(), 0) {}

  std::int64_t round() {
    std::fill(moved_.begin(), moved_.end(), false);
    std::vector<Index> border;
    for (const Index v : random_order(moves_.graph().vertices(), random_))
      if (moves_.on_border(v)) border.push_back(v);
    std::int64_t gained = 0;
    for (std::size_t i = 0; i < border.size();) {
      for (std::size_t seeds = 0; seeds < seeds_per_search && i < border.size(); ++i)
        if (!moved_[border[i]]) {
          push(border[i]);
          ++seeds;
        }
      gained += search();
    }
    return gained;
  }

 private:
  using Entry = std::tuple<std::int32_t, std::uint32_t, Index>;  // gain, tie, vertex

  void push(Index v) {
    const Moves::Best best = moves_.best(v);
    if (best.found) queue_.emplace(best.gain, static_cast<std::uint32_t>(random_.bits()), v);
  }

  std::int64_t search() {
    struct Step {
      Index vertex;
      Part from;
    };
    std::vector<Step> steps;
    std::size_t best_steps = 0;
    std::int64_t gained = 0, most = 0;
    Patience patience(moves_.graph().vertices());
    while (!queue_.empty() && !patience.ended()) {
      const auto [gain, tie, v] = queue_.top();
      queue_.pop();
      if (moved_[v]) continue;
      const Moves::Best best = moves_.best(v);
      if (!best.found) continue;
      if (best.gain < gain) {
        queue_.emplace(best.gain, tie, v);
        continue;
      }
      steps.push_back({v, moves_.part(v)});
      moved_[v] = true;
      ++stamp_;
      moves_.move(v, best.to, [&](Index u) {
        if (!moved_[u] && std::exchange(seen_[u], stamp_) != stamp_) near_.push_back(u);
      });
      for (const Index u : near_) push(u);
      near_.clear();
      gained += best.gain;
      patience.add(best.gain);
      if (gained > most) {
        most = gained;
        best_steps = steps.size();
        patience.reset();
      }
    }
    while (!queue_.empty()) queue_.pop();
    while (steps.size() > best_steps) {
      moves_.move(steps.back().vertex, steps.back().from);
      steps.pop_back();
    }
    return most;
  }

  Moves& moves_;
  Draws& random_;
  std::vector<bool> moved_;
  std::vector<std::uint64_t> seen_;
  std::uint64_t stamp_ = 0;
  std::vector<Index> near_;
  std::priority_queue<Entry> queue_;
};

}  // namespace

void rebalance(Moves& moves) {
  const Hypergraph& graph = moves.graph();
  for (Part p = 0; p < moves.parts(); ++p) {
    if (moves.load(p) <= moves.most(p)) continue;
    using Entry = std::pair<double, Index>;  // loss per weight
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
    const auto loss = [&](Index v, const Moves::Best& best) {
      const auto weight = static_cast<double>(std::max<std::int64_t>(graph.vertex_weight[v], 1));
      return best.gain > 0 ? -best.gain * weight : -best.gain / weight;
    };
    for (Index v = 0; v < graph.vertices(); ++v)
      if (moves.part(v) == p && graph.vertex_weight[v] > 0)
        if (const Moves::Best best = moves.best(v); best.found) queue.emplace(loss(v, best), v);
    while (moves.load(p) > moves.most(p) && !queue.empty()) {
      const auto [expected, v] = queue.top();
      queue.pop();
      const Moves::Best best = moves.best(v);
      if (!best.found) continue;
      if (const double now = loss(v, best); now > expected)
        queue.emplace(now, v);
      else
        moves.move(v, best.to);
    }
  }
}

void refine(Moves& moves, Draws& random) {
  for (int pass = 0; pass < 3; ++pass)
    if (greedy_pass(moves, random) == 0) break;
  Searches searches(moves, random);
  for (int round = 0; round < most_rounds; ++round)
    if (static_cast<double>(searches.round()) <= 0.001 * static_cast<double>(moves.cost())) break;
}

}  // namespace gas::partition
