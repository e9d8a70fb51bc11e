#include "partition/expansion/expansion.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "partition/keyed_hash.hpp"
#include "partition/measure/balance.hpp"

namespace gas::partition {
namespace {

constexpr std::uint32_t core = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint32_t none = core;

/// A vertex, or a hub.
struct State {
  std::uint32_t joined = 0;   // a bit for each part of this group of 32 parts
  std::uint32_t outside = 0;  // listed neighbours not in the part; core: all are; hubs: see below
};

/// The border vertices of a part by `outside`, first come first served, lazily:
/// what no longer holds is skipped.
class Border {
 public:
  void clear(std::uint32_t limit) {
    for (Queue& queue : queues_) queue.clear();
    limit_ = limit;
    if (queues_.size() < limit) queues_.resize(limit);
    lowest_ = 0;
    refused_ = false;
  }
  std::uint32_t limit() const { return limit_; }
  /// Has put() refused a vertex since the border was cleared?
  bool refused() const { return refused_; }
  void put(std::uint32_t v, std::uint32_t outside) {
    if (outside >= limit_) {
      refused_ = true;
      return;
    }
    queues_[outside].vertex.push_back(v);
    lowest_ = std::min(lowest_, outside);
  }
  /// Takes a vertex of the lowest `outside` below the limit for which holds(v,
  /// outside), or none.
  template <class Holds>
  std::uint32_t take(Holds holds) {
    for (; lowest_ < limit_; ++lowest_) {
      Queue& queue = queues_[lowest_];
      while (queue.next < queue.vertex.size()) {
        const std::uint32_t v = queue.vertex[queue.next++];
        if (holds(v, lowest_)) return v;
      }
      queue.clear();
    }
    return none;
  }

 private:
  struct Queue {
    std::vector<std::uint32_t> vertex;
    std::size_t next = 0;

    void clear() {
      vertex.clear();
      next = 0;
    }
  };
  std::vector<Queue> queues_;
  std::uint32_t limit_ = 0;
  std::uint32_t lowest_ = 0;
  bool refused_ = false;
};

class Expansion {
 public:
  Expansion(Neighbours& graph, Part parts, double imbalance_percent, std::uint64_t seed)
      : graph_(graph),
        parts_(parts),
        arcs_per_edge_(graph.arcs_per_edge),
        arcs_(graph.arcs()),
        promised_(promised_share(arcs_, parts, imbalance_percent)),
        vertices_(graph.length.size()),
        hubs_(graph.hubs.size()),
        start_(vertices_.empty() ? 0 : keyed_hash(0, seed) % vertices_.size()) {}

  Members run() {
    for (Part p = 0; p + 1 < parts_; ++p) {
      if (p % 32 == 0 && p > 0) forget_joined();
      grow(p);
      members_.begin.push_back(members_.vertex.size());
    }
    leave_rest();
    members_.begin.push_back(members_.vertex.size());
    return std::move(members_);
  }

 private:
  void grow(Part p) {
    const std::uint64_t left = arcs_ - done_;
    const std::uint64_t target = (left + parts_ - p - 1) / (parts_ - p);
    most_ = std::max(promised_, target);
    load_ = 0;
    shift_ = p % 32;
    border_.clear(usual_limit);
    for (State& hub : hubs_) hub.outside = 0;
    while (load_ < target) {
      const std::uint32_t v = next();
      if (v == none || !make_core(v)) break;
    }
    done_ += load_;
  }

  bool joined(const State& state) const { return (state.joined >> shift_ & 1U) != 0; }

  /// The border vertex with the fewest neighbours outside; without a border, a
  /// vertex that has an edge left; none if there is no such vertex, or no room
  /// for it.
  std::uint32_t next() {
    do {
      const std::uint32_t v = border_.take([&](std::uint32_t found, std::uint32_t outside) {
        return vertices_[found].outside == outside;
      });
      if (v != none) return v;
    } while (refill());
    const std::uint32_t first = load_ == 0 ? start() : none;
    if (first != none) return join(first) ? first : none;
    for (; passed_ < vertices_.size(); ++passed_) {
      const auto v = static_cast<std::uint32_t>((start_ + passed_) % vertices_.size());
      drop_taken(v);
      if (graph_.length[v] > 0) return join(v) ? v : none;
    }
    return none;
  }

  /// Where a part begins: the first at the vertex with most neighbours, the
  /// others at the vertex of the part before that has the fewest outside, if
  /// any.
  std::uint32_t start() const {
    std::uint32_t best = none;
    if (members_.begin.size() == 1) {
      for (std::uint64_t i = 0; i < vertices_.size(); ++i) {
        const auto v = static_cast<std::uint32_t>((start_ + i) % vertices_.size());
        if (graph_.length[v] > (best == none ? 0 : graph_.length[best])) best = v;
      }
      return best;
    }
    for (std::size_t i = members_.begin[members_.begin.size() - 2]; i < members_.begin.back();
         ++i) {
      const std::uint32_t v = members_.vertex[i];
      const std::uint32_t outside = graph_.is_hub(v) ? core : vertices_[v].outside;
      if (outside != 0 && outside != core && (best == none || outside < vertices_[best].outside))
        best = v;
    }
    return best;
  }

  /// Puts the border vertices into the emptied border again, those below a
  /// higher limit; false if there are none.
  bool refill() {
    if (!border_.refused()) return false;
    std::uint32_t lowest = core;
    const auto for_each = [&](auto f) {
      for (std::size_t i = members_.begin.back(); i < members_.vertex.size(); ++i) {
        const std::uint32_t v = members_.vertex[i];
        if (!graph_.is_hub(v) && vertices_[v].outside != core) f(v, vertices_[v].outside);
      }
    };
    for_each([&](std::uint32_t, std::uint32_t outside) { lowest = std::min(lowest, outside); });
    if (lowest == core) return border_.clear(border_.limit()), false;
    border_.clear(2 * lowest + usual_limit);
    for_each([&](std::uint32_t v, std::uint32_t outside) { border_.put(v, outside); });
    return true;
  }

  /// All neighbours of v join; false if the part has no room for one.
  bool make_core(std::uint32_t v) {
    const std::uint32_t* const list = graph_.first(v);
    std::uint32_t outside = vertices_[v].outside;
    vertices_[v].outside = core;
    std::array<std::uint32_t, 8> soon;  // the first that are going to join: the cache is told
    const std::size_t most = std::min<std::size_t>(outside, soon.size());
    std::size_t count = 0;
    for (std::uint32_t i = 0; i < graph_.length[v] && count < most; ++i)
      if ((list[i] & Neighbours::hub_bit) == 0 && !joined(vertices_[list[i]])) {
        soon[count++] = list[i];
        __builtin_prefetch(&graph_.begin[list[i]]);
        __builtin_prefetch(&graph_.length[list[i]]);
      }
    for (std::size_t i = 0; i < count; ++i) __builtin_prefetch(graph_.first(soon[i]));
    for (std::uint32_t i = 0; i < graph_.length[v]; ++i) {
      const std::uint32_t other = list[i];
      if ((other & Neighbours::hub_bit) != 0) {
        const std::uint32_t hub = other & ~Neighbours::hub_bit;
        if (!joined(hubs_[hub]) && !join_hub(hub)) return vertices_[v].outside = outside, false;
      } else {
        if (outside == 0) break;
        if (joined(vertices_[other])) continue;
        --outside;
        if (!join(other)) return vertices_[v].outside = outside, false;
      }
    }
    graph_.length[v] = 0;
    return true;
  }

  /// A hub counts the edges to vertices that have joined (`outside`), which it
  /// takes when it joins.
  bool join_hub(std::uint32_t number) {
    State& hub = hubs_[number];
    const std::uint64_t taken = arcs_per_edge_ * hub.outside;
    if (load_ + taken > most_) return false;
    load_ += taken;
    hub.joined |= std::uint32_t{1} << shift_;
    members_.vertex.push_back(graph_.hubs[number]);
    return true;
  }

  /// Drops the neighbours of v whose edge belongs to an earlier part, and takes
  /// the edges to those that have joined; false, and nothing done, if the part
  /// has no room for these.
  bool join(std::uint32_t v) {
    std::uint32_t* const list = graph_.first(v);
    const std::uint32_t length = graph_.length[v];
    const std::uint32_t loops = graph_.loops.empty() ? 0 : graph_.loops[v];
    if (load_ + loops + arcs_per_edge_ * length > most_ &&
        load_ + loops + arcs_per_edge_ * count_taken(v) > most_)
      return false;
    if (loops > 0) {  // to the first part that it joins
      load_ += loops;
      graph_.loops[v] = 0;
    }
    const std::uint32_t before = vertices_[v].joined;
    vertices_[v].joined |= std::uint32_t{1} << shift_;
    members_.vertex.push_back(v);
    std::uint32_t kept = 0, taken = 0, i = 0;
    for (; i < length && (list[i] & Neighbours::hub_bit) != 0; ++i) {
      State& hub = hubs_[list[i] & ~Neighbours::hub_bit];
      if ((hub.joined & before) != 0) continue;
      list[kept++] = list[i];
      joined(hub) ? ++taken : ++hub.outside;
    }
    std::uint32_t inside = kept;
    for (; i < length; ++i) {
      if (i + ahead < length) __builtin_prefetch(&vertices_[list[i + ahead]]);
      const std::uint32_t other = list[i];
      State& state = vertices_[other];
      const std::uint32_t keep = (state.joined & before) == 0 ? 1 : 0;
      list[kept] = other;
      kept += keep;
      if ((keep & state.joined >> shift_) == 0) continue;
      ++inside;
      ++taken;
      if (state.outside != core) border_.put(other, --state.outside);
    }
    graph_.length[v] = kept;
    load_ += arcs_per_edge_ * taken;
    vertices_[v].outside = kept - inside;
    border_.put(v, kept - inside);
    return true;
  }

  const State& state_of(std::uint32_t listed) const {
    return (listed & Neighbours::hub_bit) != 0 ? hubs_[listed & ~Neighbours::hub_bit]
                                               : vertices_[listed];
  }

  std::uint64_t count_taken(std::uint32_t v) {
    const std::uint32_t before = vertices_[v].joined;
    const std::uint32_t* const list = graph_.first(v);
    return static_cast<std::uint64_t>(
        std::count_if(list, list + graph_.length[v], [&](std::uint32_t other) {
          const State& state = state_of(other);
          return (state.joined & before) == 0 && joined(state);
        }));
  }

  /// Drops the neighbours of v whose edge has a part of this group.
  void drop_taken(std::uint32_t v) {
    if (graph_.length[v] == 0) return;
    std::uint32_t* const list = graph_.first(v);
    const auto taken = [&](std::uint32_t other) {
      return (state_of(other).joined & vertices_[v].joined) != 0;
    };
    graph_.length[v] =
        static_cast<std::uint32_t>(std::remove_if(list, list + graph_.length[v], taken) - list);
  }
  void drop_taken() {
    for (std::uint32_t v = 0; v < vertices_.size(); ++v) drop_taken(v);
  }

  void forget_joined() {
    drop_taken();
    for (State& state : vertices_) state.joined = 0;
    for (State& hub : hubs_) hub.joined = 0;
  }

  /// The ends of the edges without a part join the last one.
  void leave_rest() {
    drop_taken();
    std::vector<bool> in(vertices_.size(), false);
    for (std::uint32_t v = 0; v < vertices_.size(); ++v) {
      if (graph_.length[v] == 0) continue;
      in[v] = true;
      for (std::uint32_t i = 0; i < graph_.length[v]; ++i) {
        const std::uint32_t other = graph_.first(v)[i];
        in[(other & Neighbours::hub_bit) != 0 ? graph_.hubs[other & ~Neighbours::hub_bit] : other] =
            true;
      }
    }
    for (std::uint32_t v = 0; v < in.size(); ++v)
      if (in[v]) members_.vertex.push_back(v);
  }

  static constexpr std::uint32_t usual_limit = 32;
  static constexpr std::uint32_t ahead = 16;  // look-ups that the cache is told of beforehand

  Neighbours& graph_;
  Part parts_;
  std::uint64_t arcs_per_edge_;
  std::uint64_t arcs_;  // that are to be shared out
  std::uint64_t promised_;
  std::vector<State> vertices_;
  std::vector<State> hubs_;
  std::uint64_t start_;
  std::uint64_t passed_ = 0;  // vertices from start_ on that need not be looked at again
  Members members_;
  Border border_;
  std::uint64_t done_ = 0;  // arcs of earlier parts
  std::uint64_t load_ = 0;  // arcs of this part
  std::uint64_t most_ = 0;
  unsigned shift_ = 0;
};

}  // namespace

Members expand(Neighbours graph, Part parts, double imbalance_percent, std::uint64_t seed) {
  return Expansion(graph, parts, imbalance_percent, seed).run();
}

}  // namespace gas::partition
