// Rounds in which few vertices are active, by how many there are in all: the levels
// of a search of a graph that is layers of some vertices, each with arcs to some of the next layer.
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "gas/engine/engine.hpp"
#include "gas/exchange/mpi_transport.hpp"
#include "tools/benchmarks/cases/harness.hpp"

using namespace gas;
using namespace gas::bench;

namespace {

struct Shape {
  VertexId vertices;       // about so many in all
  VertexId width, degree;  // of a layer, of a vertex
  bool crosses;  // on ranks: layers go by turns, else the first half of them is on the first

  VertexId layers() const { return vertices / width; }
  VertexId count() const { return layers() * width + 1; }
  VertexId source() const { return layers() * width; }  // with an arc to each of the first layer
  VertexId layer(VertexId v) const { return v / width; }
  std::uint64_t arcs() const {
    return std::uint64_t{width} * degree * (layers() - 1) + std::uint64_t{width};
  }
  Part part(VertexId v, Part ranks) const {
    if (v == source()) return 0;
    return crosses ? layer(v) % ranks
                   : static_cast<Part>(std::uint64_t{layer(v)} * ranks / layers());
  }
};

std::shared_ptr<const LocalGraph> make_layers(Communicator& comm, const Shape& shape) {
  const auto ranks = static_cast<Part>(comm.size());
  EdgeList edges;
  Partition cut;
  cut.parts = ranks;
  const auto add = [&](VertexId from, VertexId to) {
    edges.source.push_back(from);
    edges.target.push_back(to);
    cut.edge_part.push_back(shape.part(to, ranks));
  };
  if (comm.rank() == 0) {
    for (VertexId v = 0; v < shape.width; ++v) add(shape.source(), v);
    for (VertexId v = 0; v + shape.width < shape.source(); ++v)
      for (VertexId i = 0; i < shape.degree; ++i) {
        const VertexId next = (shape.layer(v) + 1) * shape.width;
        add(v, next + (v + i * (shape.width / shape.degree)) % shape.width);
      }
  }
  const BlockDistribution blocks{shape.count(), comm.size()};
  const std::uint64_t first = blocks.first(comm.rank());
  for (std::uint64_t v = first; v < first + blocks.count(comm.rank()); ++v)
    cut.source_master.push_back(shape.part(static_cast<VertexId>(v), ranks));
  return std::make_shared<const LocalGraph>(build_graph(comm, {shape.count(), shape.count(), false},
                                                        std::move(edges), std::move(cut),
                                                        Repeats::keep));
}

/// How many arcs vertices are from one. They are pushed what changed, or gather from all their
/// neighbours when one of these did.
template <bool pushed>
struct Hops {
  static constexpr Stands stands = any_staleness;
  static constexpr std::uint32_t unreached = std::numeric_limits<std::uint32_t>::max();
  VertexId source = 0;

  struct Vertex {
    std::uint32_t hops = unreached;
    using Published = std::uint32_t;
    using Accumulator = Min<std::uint32_t>;
    static constexpr bool gathers_changes = pushed;
  };

  std::uint32_t init(Vertex&, const auto&) const { return unreached; }
  bool initially_active(const Vertex&, const auto& v) const { return v.id() == source; }
  void gather(Min<std::uint32_t>& least, std::uint32_t hops) const { least += hops; }
  std::uint32_t apply(Vertex& at, const Min<std::uint32_t>& least, const auto& v) const {
    if (v.id() == source) return at.hops = 0;
    if (least.value == unreached) return at.hops;
    return at.hops = std::min(at.hops, least.value + 1);
  }
  std::uint32_t priority(std::uint32_t, std::uint32_t now) const { return now; }
};

/// Rounds that are not timed, in which all vertices are looked at and what later ones need is made.
constexpr VertexId before = 12;
VertexId timed(const Shape& shape, VertexId most) {
  return std::min(shape.layers() - before - 4, most);
}

/// At staleness 0, some rounds are timed. Above, ranks do not change together: all levels that are
/// left are timed.
template <class Program>
void compare(Transport& transport, const Options& options, const std::string& how,
             const Shape& shape, Staleness staleness, bool beside_loop) {
  const auto graph = make_layers(transport, shape);
  const auto executor = make_tbb_executor(1);
  const bool to_end = staleness.bound > 0;
  const VertexId rounds =
      to_end ? shape.layers() + 1 - before : timed(shape, options.pick<VertexId>(50, 1000, 1000));
  std::uint64_t wrong = 0;
  Contest contest("activity",
                  fmt::format("{} of {}, {} {}{}", shape.width, shape.vertices, shape.degree,
                              shape.degree == 1 ? "arc" : "arcs",
                              transport.size() == 1 ? ""
                              : shape.crosses       ? ", to and fro"
                                                    : "") +
                      ": " + how,
                  1, static_cast<double>(rounds), "round", transport.size());
  contest.add("ours", [&] {
    Engine<Program> engine(transport, *executor, graph, {.source = shape.source()});
    engine.run({.iterations = before});
    RunOptions run{.staleness = staleness};
    if (!to_end) run.iterations = rounds;
    const double seconds = engine.run(run).seconds;
    engine.template local_for_each<typename Program::Vertex>([&](VertexId v, const auto& vertex) {
      const VertexId hops = v == shape.source() ? 0 : shape.layer(v) + 1;
      wrong += vertex.hops != (hops < before + rounds ? hops : Program::unreached);
    });
    return seconds;
  });
  Adjacency reversed_arcs;
  if (beside_loop) {
    reversed_arcs = reversed(graph->adjacency, graph->owner.locals(), true);
    const PairGraph out{graph->owner.interior, reversed_arcs.offsets.data(),
                        reversed_arcs.neighbours.data(), nullptr};
    const auto add = [&](const char* who, auto levels) {
      contest.add(who, [&, out, levels] {
        Levels at{0, {shape.source()}, std::vector<std::uint32_t>(out.count, ~0U)};
        at.hops[shape.source()] = 0;
        levels(out, at, before - 1);
        const double seconds = seconds_of([&] { levels(out, at, rounds); });
        for (VertexId v = 0; v < shape.source(); ++v) {
          const VertexId hops = shape.layer(v) + 1;
          wrong += at.hops[v] != (hops < before + rounds ? hops : ~0U);
        }
        return seconds;
      });
    };
    add("loop -O3", portable::levels);
    add("loop -O3 -march=native", native::levels);
  }
  contest.run(options);
  wrong = all_sum(transport, wrong);
  contest.check("ours", static_cast<double>(wrong), 0);
  if (beside_loop) {
    contest.check("loop -O3", 0, 0);
    contest.check("loop -O3 -march=native", 0, 0);
  }
  if (transport.rank() == 0) contest.print();
}

}  // namespace

int main(int argc, char* argv[]) {
  return run_benchmark(
      argc, argv, "Rounds with few active vertices, by the number of vertices; also on ranks",
      [](Options options) {
        MpiTransport transport;
        options.least = 0;  // ranks do as much as each other
        const bool tiny = options.size == "tiny";
        const VertexId most = options.pick<VertexId>(1000, 100'000, 1'000'000);
        std::vector<Shape> shapes;
        for (VertexId vertices = 1000; vertices <= most; vertices *= 10)
          shapes.push_back({vertices, 1, 1, false});
        const auto both = [&](const Shape& shape, const std::string& when, Staleness staleness,
                              bool beside_loop) {
          compare<Hops<true>>(transport, options, "pushed" + when, shape, staleness, beside_loop);
          compare<Hops<false>>(transport, options, "pulled" + when, shape, staleness, beside_loop);
        };
        if (transport.size() > 1) {
          shapes.push_back({most, 1, 1, true});
          for (const Shape& shape : shapes) {
            both(shape, "", {}, false);
            if (shape.vertices > 100'000 && !tiny) continue;
            both(shape, ", at bound 2", {2}, false);
            both(shape, ", async", {Staleness::async}, false);
          }
          return;
        }
        if (tiny)
          shapes.push_back({1000, 10, 4, false});
        else
          for (const VertexId width : {100U, 1000U, 10'000U})
            shapes.push_back({1'000'000, width, 16, false});
        for (const Shape& shape : shapes) {
          both(shape, "", {}, true);
          both(shape, ", async", {Staleness::async}, true);
        }
      });
}
