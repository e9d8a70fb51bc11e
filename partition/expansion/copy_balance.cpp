#include "partition/expansion/copy_balance.hpp"

#include <algorithm>
#include <bit>

#include "partition/measure/balance.hpp"
#include "partition/streaming/drawing.hpp"

namespace gas::partition {
namespace {

constexpr double promised = 1.29;  // largest / mean
constexpr std::int64_t highest_cost = 6;

class CopyBalance {
 public:
  CopyBalance(const Neighbours& graph, const Members& members, double imbalance_percent,
              std::uint64_t seed)
      : graph_(graph),
        drawing_(std::vector<double>(members.parts(), 1), seed),
        arcs_(members.parts(), 0),
        most_arcs_(promised_share(graph.arcs(), members.parts(), 0.8 * imbalance_percent)),
        bits_(graph.length.size(), members.parts()),
        load_(members.parts(), 0),
        bound_edges_(members.parts(), 0),
        most_edges_(promised_share(graph.edges, members.parts(), 0.5 * imbalance_percent)),
        having_(members.parts(), 0) {
    for (Part p = 0; p < members.parts(); ++p)
      for (std::uint64_t i = members.begin[p]; i < members.begin[p + 1]; ++i)
        add(members.vertex[i], p);
  }

  BalancedCopies run() {
    for (int pass = 0; pass < 4 && overfull(); ++pass) sweep(0);
    for (std::int64_t cost = 1; cost <= highest_cost; ++cost)
      for (int pass = 0; pass < 2 && overfull(); ++pass) sweep(cost);
    sweep(-1);
    relieve();
    return {members(), drawing_.weights()};
  }

 private:
  void add(std::uint32_t v, Part p) {
    if (bits_.has(v, p)) return;
    bits_.add(v, p);
    ++load_[p];
    ++copies_;
  }
  void drop(std::uint32_t v, Part p) {
    bits_.remove(v, p);
    --load_[p];
    --copies_;
  }
  template <class F>
  void for_each_part(std::uint32_t v, F f) const {
    for (std::size_t word = 0; word < bits_.words; ++word)
      for (std::uint64_t rest = bits_.of(v)[word]; rest != 0; rest &= rest - 1)
        f(static_cast<Part>(word * 64) + static_cast<Part>(std::countr_zero(rest)));
  }
  double most() const {
    return promised * static_cast<double>(copies_) / static_cast<double>(load_.size());
  }
  bool over(Part p) const { return static_cast<double>(load_[p]) > most(); }
  bool overfull() const {
    return static_cast<double>(*std::max_element(load_.begin(), load_.end())) > most();
  }

  template <class F>
  void for_each_neighbour(std::uint32_t v, F f) const {
    for (std::uint32_t i = 0; i < graph_.length[v]; ++i) {
      const std::uint32_t other = graph_.list[graph_.begin[v] + i];
      f((other & Neighbours::hub_bit) != 0 ? graph_.hubs[other & ~Neighbours::hub_bit] : other);
    }
  }

  /// Of the edges that have no choice. Within a sweep the counts are kept up
  /// roughly.
  void count_bound_edges() {
    std::fill(bound_edges_.begin(), bound_edges_.end(), 0);
    for (std::uint32_t v = 0; v < graph_.length.size(); ++v)
      for_each_neighbour(v, [&](std::uint32_t other) {
        if (other < v && !graph_.is_hub(other)) return;
        const Part p = only_common(v, other);
        if (p != no_part) ++bound_edges_[p];
      });
  }

  /// Tries each copy of each vertex that has a list.
  void sweep(std::int64_t most_cost) {
    count_bound_edges();
    for (std::uint32_t v = 0; v < graph_.length.size(); ++v) {
      if (graph_.length[v] == 0) continue;
      parts_.clear();
      for_each_part(v, [&](Part p) { parts_.push_back(p); });
      std::size_t copies = parts_.size();
      for (const Part p : parts_)
        if ((copies > 1 || (over(p) && most_cost >= 0)) && move(v, p, copies, most_cost)) --copies;
    }
  }

  /// Moves v's copy, one of `copies`, out of p if that takes `most_cost` new
  /// copies or fewer, or saves it; true if v has one copy less now.
  bool move(std::uint32_t v, Part p, std::size_t copies, std::int64_t most_cost) {
    bound_.clear();
    left_.clear();
    for_each_neighbour(v, [&](std::uint32_t other) {
      const Part only = only_common(v, other);
      if (only == p) bound_.push_back(other);
      if (only != no_part || !bits_.has(other, p)) return;
      if (const Part rest = only_common(v, other, p); rest != no_part) left_.push_back(rest);
    });
    const auto bound = static_cast<std::int64_t>(bound_.size());
    for (const Part rest : left_) ++bound_edges_[rest];
    const bool room = std::all_of(left_.begin(), left_.end(),
                                  [&](Part rest) { return bound_edges_[rest] <= most_edges_; });
    const auto undo = [&] {
      for (const Part rest : left_) --bound_edges_[rest];
      return false;
    };
    if (!room) return undo();
    if (bound == 0 && copies > 1) return drop(v, p), true;
    for (const std::uint32_t other : bound_) for_each_part(other, [&](Part q) { ++having_[q]; });
    Part best = no_part;
    std::int64_t least = over(p) ? most_cost + 1 : 0;
    for (Part q = 0; q < load_.size(); ++q) {
      const bool there = bits_.has(v, q);
      const std::int64_t cost = bound - having_[q] - (there ? 1 : 0);
      having_[q] = 0;
      if (q == p || cost > least || (best == no_part && cost == least)) continue;
      if (cost >= 0 && static_cast<double>(load_[q]) >= most()) continue;
      if (bound_edges_[q] + bound_.size() > most_edges_) continue;
      if (cost < least || load_[q] < load_[best]) {
        best = q;
        least = cost;
      }
    }
    if (best == no_part) return undo();
    const bool merged = bits_.has(v, best);
    for (const std::uint32_t other : bound_) add(other, best);
    drop(v, p);
    add(v, best);
    bound_edges_[p] -= std::min<std::uint64_t>(bound_edges_[p], bound_.size());
    bound_edges_[best] += bound_.size();
    return merged;
  }

  /// Adds copies until the edges can be drawn such that no part has too many:
  /// each sweep moves out of the parts that have, at a higher price than the
  /// one before it.
  void relieve() {
    for (int sweep = 0; sweep < most_relief_sweeps; ++sweep) {
      draw_arcs();
      if (*std::max_element(arcs_.begin(), arcs_.end()) <= most_arcs_) return;
      for (std::uint32_t v = 0; v < graph_.length.size(); ++v)
        if (graph_.length[v] > 0) relieve_of(v, sweep);
    }
  }

  /// Calls f(u, v, arcs) for the listed pairs, and for vertices with loops.
  template <class F>
  void for_each_pair(F f) const {
    for (std::uint32_t v = 0; v < graph_.length.size(); ++v) {
      if (loops(v) > 0) f(v, v, loops(v));
      for_each_neighbour(v, [&](std::uint32_t other) {
        if (other > v || graph_.is_hub(other)) f(v, other, graph_.arcs_per_edge);
      });
    }
  }

  /// Draws all edges, with weights that have been adjusted by a sample of them.
  void draw_arcs() {
    if (sample_.empty()) take_sample();
    const double mean =
        static_cast<double>(graph_.arcs()) / static_cast<double>(arcs_.size() * one_in_);
    const std::vector<double> room(arcs_.size(), mean);
    for (int round = 0; round < adjusting_rounds; ++round) {
      std::fill(arcs_.begin(), arcs_.end(), 0);
      for (const auto& [pair, arcs] : sample_) arcs_[drawing_.draw(bits_, pair)] += arcs;
      if (one_in_ * *std::max_element(arcs_.begin(), arcs_.end()) <= most_arcs_) break;
      drawing_.adjust(arcs_, room);
    }
    std::fill(arcs_.begin(), arcs_.end(), 0);
    for_each_pair([&](std::uint32_t u, std::uint32_t v, std::uint64_t arcs) {
      arcs_[drawing_.draw(bits_, pair_of_ends(u, v))] += arcs;
    });
  }

  void take_sample() {
    one_in_ = std::bit_floor(std::max(std::uint64_t{1}, graph_.edges / sampled_edges));
    std::uint64_t number = 0;
    for_each_pair([&](std::uint32_t u, std::uint32_t v, std::uint64_t arcs) {
      if (keyed_hash(number++, 0) % one_in_ == 0) sample_.push_back({pair_of_ends(u, v), arcs});
    });
  }

  std::uint32_t loops(std::uint32_t v) const { return graph_.loops.empty() ? 0 : graph_.loops[v]; }
  /// Moves v's edges out of parts with too many arcs, those of a part together.
  void relieve_of(std::uint32_t v, int sweep) {
    parts_.clear();
    for_each_part(v, [&](Part p) {
      if (arcs_[p] > most_arcs_) parts_.push_back(p);
    });
    for (const Part p : parts_) {
      bound_.clear();
      for_each_neighbour(v, [&](std::uint32_t other) {
        if (bits_.has(other, p) && drawing_.draw(bits_, pair_of_ends(v, other)) == p)
          bound_.push_back(other);
      });
      if (bound_.empty() || arcs_[p] <= most_arcs_) continue;
      for (const std::uint32_t other : bound_) for_each_part(other, [&](Part q) { ++having_[q]; });
      const std::uint64_t moved = graph_.arcs_per_edge * bound_.size() + loops(v);
      const auto edges = static_cast<std::int64_t>(bound_.size());
      Part best = no_part;
      std::int64_t least = edges * (sweep < even_sweeps ? sweep : sweep - even_sweeps) / 8;
      for (Part q = 0; q < arcs_.size(); ++q) {
        const std::int64_t cost = edges - having_[q] - (bits_.has(v, q) ? 1 : 0);
        having_[q] = 0;
        if (q == p || cost > least || arcs_[q] + moved > most_arcs_) continue;
        if (sweep < even_sweeps && cost + 1 > 0 && static_cast<double>(load_[q]) >= most())
          continue;
        if (best == no_part || cost < least || load_[q] < load_[best]) {
          best = q;
          least = cost;
        }
      }
      if (best == no_part) continue;
      for (const std::uint32_t other : bound_) add(other, best);
      drop(v, p);
      add(v, best);
      arcs_[p] -= std::min(arcs_[p], moved);
      arcs_[best] += moved;
    }
  }

  /// The part that is the only one beside `but` in which both have a copy, if
  /// there is one.
  Part only_common(std::uint32_t u, std::uint32_t v, Part but = no_part) const {
    Part found = no_part;
    for (std::size_t word = 0; word < bits_.words; ++word) {
      std::uint64_t common = bits_.of(u)[word] & bits_.of(v)[word];
      if (word == but / 64) common &= ~(std::uint64_t{1} << but % 64);
      if (common == 0) continue;
      if (found != no_part || (common & (common - 1)) != 0) return no_part;
      found = static_cast<Part>(word * 64) + static_cast<Part>(std::countr_zero(common));
    }
    return found;
  }

  Members members() const {
    Members members;
    for (const std::uint64_t load : load_) members.begin.push_back(members.begin.back() + load);
    members.vertex.resize(members.begin.back());
    std::vector<std::uint64_t> next(members.begin.begin(), members.begin.end() - 1);
    for (std::uint32_t v = 0; v < graph_.length.size(); ++v)
      for_each_part(v, [&](Part p) { members.vertex[next[p]++] = v; });
    return members;
  }

  static constexpr int most_relief_sweeps = 24;
  static constexpr int even_sweeps = 4;  // so long, parts with too many copies get none
  static constexpr int adjusting_rounds = 32;
  static constexpr std::uint64_t sampled_edges = std::uint64_t{1} << 19U;

  const Neighbours& graph_;
  Drawing drawing_;
  std::vector<std::uint64_t> arcs_;  // drawn by each part
  std::uint64_t most_arcs_;
  std::vector<std::pair<Pair, std::uint64_t>> sample_;  // of pairs, with their arcs
  std::uint64_t one_in_ = 1;
  CopyBits bits_;
  std::vector<std::uint64_t> load_;         // copies on each part
  std::uint64_t copies_ = 0;                // on all of them
  std::vector<std::uint64_t> bound_edges_;  // on each part: of those that can go nowhere else
  std::uint64_t most_edges_;
  std::vector<Part> parts_;           // scratch: those of the vertex that is tried
  std::vector<std::uint32_t> bound_;  // scratch: its neighbours that meet it in one part alone
  std::vector<Part> left_;            // scratch: where those meet it that lose one of two parts
  std::vector<std::int64_t> having_;  // scratch: of these, how many have a copy in each part
};

}  // namespace

BalancedCopies balance_copies(const Neighbours& graph, const Members& members,
                              double imbalance_percent, std::uint64_t seed) {
  return CopyBalance(graph, members, imbalance_percent, seed).run();
}

}  // namespace gas::partition
