#pragma once

#include "gas/engine/gather_step.hpp"

namespace gas {

/// Rounds of a plain graph with `edge` consistency, at staleness 0: no vertex is applied while
/// another one gathers from it. Vertices are coloured so that none has the colour of one it gathers
/// from; a round has a step per colour, and what a step publishes the next one reads. So a round
/// equals visiting its vertices one after the other. A step looks at every vertex's colour; memory:
/// 4 bytes per edge and 8 per vertex more.
template <class P, class K>
class EdgeRounds {
 public:
  bool is_set_up() const { return colours_ > 0; }

  /// `colour` by local id, below `colours`.
  void set_up(const KindRun<P, K>& kind, std::vector<std::uint32_t> colour, std::uint32_t colours) {
    colour_ = std::move(colour);
    colours_ = colours;
    readers_ = reversed(*kind.adjacency, kind.layout().locals(), true);
    readers_.edges = {};
  }

  void round(Core<P>& core, KindRun<P, K>& kind) {
    Vertices<P, K>& vertices = kind.vertices;
    vertices.published.keep_all();
    if constexpr (!always_active) {
      for (LocalId v = 0; v < kind.layout().masters(); ++v) vertices.woken[v] |= vertices.again[v];
      std::ranges::fill(vertices.again, std::uint8_t{0});
    }
    for (std::uint32_t colour = 0; colour < colours_; ++colour) step(core, kind, colour);
  }

 private:
  static constexpr bool always_active = KindRun<P, K>::always_active;

  void step(Core<P>& core, KindRun<P, K>& kind, std::uint32_t colour) {
    Vertices<P, K>& vertices = kind.vertices;
    const auto wanted = [&](LocalId v) {
      return colour_[v] == colour && (always_active || vertices.woken[v] != 0);
    };
    const std::uint64_t turn = core.context.step.round * colours_ + colour;
    const auto tag = [&](Channel channel) { return message_tag_of(turn, 0, channel); };
    const auto partial = [&](LocalId v, std::size_t w) {
      const Adjacency& a = *kind.adjacency;
      return pull(core, kind, kind, v, a.offsets[v], a.offsets[v + 1], w);
    };
    const auto visit = [&](LocalId v, auto& total, Visit<P, K>& view, std::size_t w) {
      apply_and_publish(core, kind, v, total, view, w);
    };
    std::ranges::fill(vertices.changed, std::uint8_t{0});
    fill_mirror_entries(core, kind, kind, wanted, partial);
    kind.entries.send(core.mailbox, tag(Channel::totals), wanted);
    if (kind.entries.expects()) {
      fill_own_entries(core, kind, kind, wanted, partial);
      sweep(core, kind, kind, kind.interior, wanted, partial, visit);
      kind.entries.receive(core.mailbox, tag(Channel::totals),
                           [&](LocalId v) { vertices.woken[v] = 1; });
      finish_boundary(core, kind, kind, wanted, visit);
    } else {
      sweep(core, kind, kind, kind.boundary, wanted, partial, visit);
      sweep(core, kind, kind, kind.interior, wanted, partial, visit);
    }
    if constexpr (compares_late<P, K>) vertices.mark_boundary();
    vertices.send_values(core.mailbox, tag(Channel::values));
    vertices.receive_values(core.mailbox, tag(Channel::values));
    show(kind, colour);
  }

  /// What vertices of this colour published is seen from now on, and wakes its readers.
  void show(KindRun<P, K>& kind, std::uint32_t colour) {
    Vertices<P, K>& vertices = kind.vertices;
    for (LocalId v = 0; v < kind.layout().locals(); ++v) {
      if (colour_[v] != colour) continue;
      vertices.published.show(v);
      if constexpr (!always_active) {
        vertices.woken[v] = BeginsAccumulator<P, K> ? vertices.changed[v] : 0;
        if (vertices.changed[v] == 0) continue;
        for (EdgeOffset e = readers_.offsets[v]; e < readers_.offsets[v + 1]; ++e)
          vertices.woken[readers_.neighbours[e]] = 1;
      }
    }
  }

  std::vector<std::uint32_t> colour_;  // by local id
  std::uint32_t colours_ = 0;
  Adjacency readers_;  // who gathers from whom
};

}  // namespace gas
