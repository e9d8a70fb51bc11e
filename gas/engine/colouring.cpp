#include "gas/engine/colouring.hpp"

#include <fmt/format.h>

#include <array>
#include <bit>

#include "gas/engine/engine.hpp"

namespace gas {
namespace {

/// A vertex that has a neighbour's colour takes, by a coin, one of the least that none of them has;
/// until nobody has. (Trial colouring, Luby 1993.) It does not see the colours of those who gather
/// from it alone. In a dense graph of arcs in one direction the two least would nearly always be
/// one of theirs, and conflicts would wander for ever: every 8 rounds there is one more to choose.
struct Colouring {
  static constexpr std::uint32_t colours = 1024;

  struct Chosen {
    std::uint32_t colour = 0;
    VertexId row = 0;
    bool operator==(const Chosen&) const = default;
  };
  /// Which colours neighbours have; a vertex is not its own neighbour.
  struct Used {
    std::array<std::uint64_t, colours / 64> bits{};

    bool has(std::uint32_t colour) const { return (bits[colour / 64] >> (colour % 64) & 1U) != 0; }
    std::uint64_t free() const {
      std::uint64_t count = 0;
      for (const std::uint64_t word : bits)
        count += static_cast<std::uint64_t>(std::popcount(~word));
      return count;
    }
    void operator+=(const Used& other) {
      for (std::size_t i = 0; i < bits.size(); ++i) bits[i] |= other.bits[i];
    }
  };
  struct Vertex {
    std::uint32_t colour = 0;
    using Published = Chosen;
    using Accumulator = Used;
  };

  Chosen init(Vertex& at, const auto& v) const {
    const std::uint64_t some = 1 + std::min<std::uint64_t>(v.in_degree(), 31);
    at.colour = static_cast<std::uint32_t>(v.random().bits(0) % some);
    return {at.colour, v.id()};
  }
  void gather(Used& used, Chosen neighbour, Own<Chosen> own) const {
    if (neighbour.row != own.value.row)
      used.bits[neighbour.colour / 64] |= std::uint64_t{1} << (neighbour.colour % 64);
  }
  Chosen apply(Vertex& at, const Used& used, auto& v) const {
    if (!used.has(at.colour)) return {at.colour, v.id()};
    const std::uint64_t coins = v.random().bits(0);
    if ((coins & 1U) != 0) {
      v.again();
      return {at.colour, v.id()};
    }
    const std::uint64_t choices =
        std::min(2 + v.round() / 8, std::max<std::uint64_t>(1, used.free()));
    std::uint64_t skip = (coins >> 1U) % choices;
    for (std::uint32_t colour = 0; colour < colours; ++colour)
      if (!used.has(colour) && skip-- == 0) return {at.colour = colour, v.id()};
    throw RunError(fmt::format("vertex {} has no free colour among {}", v.id(), colours));
  }
};

}  // namespace

Colours colour_vertices(Transport& transport, Executor& executor,
                        std::shared_ptr<const LocalGraph> graph, std::uint64_t seed) {
  Engine<Colouring> engine(transport, executor, graph, {}, seed);
  // A run that asks for colours sets itself up: no rank is in a round of it.
  const bool sets_up = transport.running().exchange(false);
  engine.run();
  transport.running() = sets_up;
  Colours colours{std::vector<std::uint32_t>(graph->owner.locals()), 0};
  std::uint32_t last = 0;
  for (LocalId v = 0; v < graph->owner.locals(); ++v)
    last = std::max(last, colours.of[v] = engine.local_published<Colouring::Vertex>(v).colour);
  colours.count = all_max(transport, last) + 1;
  return colours;
}

}  // namespace gas
