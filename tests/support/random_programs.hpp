#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "gas/engine/engine.hpp"
#include "gas/exchange/local_transport.hpp"
#include "gas/exchange/simulated_transport.hpp"
#include "gas/program/lists.hpp"
#include "tests/support/executor.hpp"
#include "tests/support/graphs.hpp"
#include "tests/support/naming_program.hpp"

/// Programs, graphs and settings drawn from a seed, and what a run of them must come to. Every
/// vertex v is to hold
///
///   x_v = c_v + 16 Σ w x_u   over its edges, modulo 2³²,
///
/// or with x_u + x_v in place of x_u where gather reads its own value, and where c is drawn for
/// each vertex. Whatever the cycles of the graph, exactly one x does: when all have read what their
/// neighbours hold, 4 more low bits are right. So a run that ends at rest has it or is wrong: a
/// contribution that is missing, old or counted twice shows. Vertices that name others by id are
/// compared step by step instead (naming_program.hpp).
namespace gas_test {

struct TwoAdic {
  static constexpr gas::Stands stands = gas::any_staleness;
  std::uint64_t seed = 1;
  bool asks_again = false;  // vertices ask for visits of which they publish nothing
  bool sleepers =
      false;  // most constants are 0, and with initially_active() their vertices not active

  static std::uint64_t mixed(std::uint64_t a, std::uint64_t b) {
    std::uint64_t x = (a ^ (b * 0x9E3779B97F4A7C15U)) + 0xD1B54A32D192ED03U;
    x = (x ^ (x >> 32U)) * 0xDABA0B6EB09322E3U;
    x = (x ^ (x >> 29U)) * 0xDABA0B6EB09322E3U;
    return x ^ (x >> 32U);
  }
  std::uint32_t drawn(std::uint32_t kind, std::uint64_t id, std::uint64_t what) const {
    return static_cast<std::uint32_t>(mixed(mixed(mixed(seed, kind), id), what));
  }
  bool awake(std::uint32_t kind, std::uint64_t id) const {
    return !sleepers || drawn(kind, id, 0) % 4 == 0;
  }
  std::uint32_t constant(std::uint32_t kind, std::uint64_t id, std::uint32_t i) const {
    return awake(kind, id) ? drawn(kind, id, 1 + i) : 0;
  }
  std::uint32_t visits_wanted(std::uint32_t kind, std::uint64_t id) const {
    if (!awake(kind, id)) return 0;
    return asks_again ? 1 + drawn(kind, id, 3) % 6 : 1;
  }
  static std::uint32_t product(std::uint32_t x, float weight, std::uint32_t own = 0) {
    x += own;
    return 16 * static_cast<std::uint32_t>(weight) * x;
  }
};

/// `active`: when a vertex is visited. In every round only where converged() ends the run.
template <std::uint32_t number, gas::Active active>
struct TwoAdicState {
  static constexpr gas::Active activity = active;
  static constexpr std::uint32_t kind = number;
  std::uint32_t visits = 0;
  std::array<std::uint32_t, 2> x{};

  template <class V>
  void visit(const TwoAdic& program, std::array<std::uint32_t, 2> sums, V& v) {
    const std::array<std::uint32_t, 2> before = x;
    const bool done = ++visits >= program.visits_wanted(kind, v.id());
    for (std::uint32_t i = 0; i < 2; ++i)
      x[i] = done ? program.constant(kind, v.id(), i) + sums[i] : 0;
    if (!done) v.again();
    if constexpr (requires { v.summary() += std::int64_t{1}; })
      v.summary() += std::int64_t{!done || x != before ? 1 : 0};
  }
};

/// A total of its own for each kind: by it the hooks tell which end they gather for.
template <std::uint32_t kind>
struct TwoAdicAccumulator {
  std::uint32_t sum = 0;
  TwoAdicAccumulator& operator+=(const TwoAdicAccumulator& other) {
    return sum += other.sum, *this;
  }
};

/// One kind that publishes a number: visited in place in async, and by priority.
template <gas::Active active = gas::Active::changed>
struct NumberProgram : TwoAdic {
  static constexpr bool numbers = true;
  struct Node : TwoAdicState<0, active> {
    using Published = std::uint32_t;
    using Accumulator = TwoAdicAccumulator<0>;
  };
  using Vertex = Node;
  using Edge = float;
  void gather(typename Node::Accumulator& total, std::uint32_t x, float w) const {
    total.sum += product(x, w);
  }
  std::uint32_t apply(Node& node, const typename Node::Accumulator& total, auto& v) const {
    node.visit(*this, {total.sum, 0}, v);
    return node.x[0];
  }
  std::uint32_t priority(std::uint32_t before, std::uint32_t now) const {
    return static_cast<std::uint32_t>(std::countr_zero(before ^ now));
  }
};

/// The same, and gather reads its own value.
template <gas::Active active = gas::Active::changed>
struct OwnNumberProgram : NumberProgram<active> {
  static constexpr bool reads_own = true;
  using typename NumberProgram<active>::Node;
  void gather(typename Node::Accumulator& total, std::uint32_t x, float w,
              gas::Own<std::uint32_t> own) const {
    total.sum += this->product(x, w, own.value);
  }
};

/// The same along the other edges, or all.
template <gas::Along along>
struct AlongProgram : NumberProgram<> {
  struct Node : NumberProgram<>::Node {
    static constexpr auto gathers_along = along;
  };
  using Vertex = Node;
};

/// One kind that gathers changes: x_v is the least of a constant and of x_u + w over its edges. Its
/// vertices are pushed to, and visited by buckets.
struct LeastProgram : TwoAdic {
  static constexpr bool numbers = true, least = true;
  static constexpr std::uint32_t most = 0xFFFF'FFFF;
  struct Node : TwoAdicState<0, gas::Active::changed> {
    using Published = std::uint32_t;
    using Accumulator = gas::Min<std::uint32_t>;
    static constexpr bool gathers_changes = true;
  };
  using Vertex = Node;
  using Edge = float;

  static std::uint32_t along(std::uint32_t x, float w) {
    return x == most ? most : x + static_cast<std::uint32_t>(w);
  }
  std::uint32_t first(std::uint64_t id) const {
    return awake(0, id) ? drawn(0, id, 1) % 100 : most;
  }
  std::uint32_t init(Node& node, const auto&) const { return node.x[0] = most; }
  void gather(Node::Accumulator& total, std::uint32_t x, float w) const { total += along(x, w); }
  std::uint32_t apply(Node& node, const Node::Accumulator& total, auto& v) const {
    const std::uint32_t before = node.x[0];
    const bool done = ++node.visits >= visits_wanted(0, v.id());
    if (!done) v.again();
    node.x[0] = std::min({before, first(v.id()), total.value});
    if constexpr (requires { v.summary() += std::int64_t{1}; })
      v.summary() += std::int64_t{!done || node.x[0] != before ? 1 : 0};
    return node.x[0];
  }
  std::uint32_t priority(std::uint32_t, std::uint32_t now) const { return now / 5; }
};

/// One kind that publishes and sums rows; each element gathers the other one.
template <gas::Active active = gas::Active::changed>
struct RowProgram : TwoAdic {
  static constexpr bool rows = true;
  struct Node : TwoAdicState<0, active> {
    using Published = gas::RowOf<std::uint32_t>;
    using Accumulator = gas::VectorSum<std::uint32_t>;
  };
  using Vertex = Node;
  using Edge = float;
  std::size_t width(gas::PublishedOf<Node>) const { return 2; }
  std::size_t width(gas::AccumulatorOf<Node>) const { return 2; }
  void gather(typename Node::Accumulator& total, gas::RowView<const std::uint32_t> x,
              float w) const {
    for (std::size_t i = 0; i < 2; ++i) total.values[i] += product(x[1 - i], w);
  }
  void apply(Node& node, const typename Node::Accumulator& total, gas::RowView<std::uint32_t> out,
             auto& v) const {
    node.visit(*this, {total.values[0], total.values[1]}, v);
    std::ranges::copy(node.x, out.begin());
  }
};

template <gas::Active active = gas::Active::changed>
struct OwnRowProgram : RowProgram<active> {
  static constexpr bool reads_own = true;
  using typename RowProgram<active>::Node;
  void gather(typename Node::Accumulator& total, gas::RowView<const std::uint32_t> x, float w,
              const gas::Own<typename Node::Published>& own) const {
    for (std::size_t i = 0; i < 2; ++i) total.values[i] += this->product(x[1 - i], w, own.value[i]);
  }
};

/// Two kinds that gather each other: in one pass over the edges, or the parameters by their own.
template <bool in_one_pass, gas::Active active = gas::Active::changed>
struct TwoKindProgram : TwoAdic {
  struct Left : TwoAdicState<0, active> {
    using Published = std::uint32_t;
    using Accumulator = TwoAdicAccumulator<0>;
  };
  struct Right : TwoAdicState<1, active> {
    using Published = std::uint32_t;
    using Accumulator =
        std::conditional_t<in_one_pass, TwoAdicAccumulator<1>, gas::VectorSum<std::uint32_t>>;
  };
  using Data = Left;
  using Parameter = Right;
  using Edge = float;
  std::size_t width(gas::AccumulatorOf<Right>) const requires(!in_one_pass) { return 1; }
  void gather(TwoAdicAccumulator<0>& total, std::uint32_t x, float w) const {
    total.sum += product(x, w);
  }
  void gather(TwoAdicAccumulator<1>& total, std::uint32_t x, float w) const requires in_one_pass {
    total.sum += product(x, w);
  }
  void gather(gas::VectorSum<std::uint32_t>& total, std::uint32_t x, float w) const
      requires(!in_one_pass) {
    total.values[0] += product(x, w);
  }
  std::uint32_t apply(Left& left, const TwoAdicAccumulator<0>& total, auto& v) const {
    left.visit(*this, {total.sum, 0}, v);
    return left.x[0];
  }
  std::uint32_t apply(Right& right, const typename Right::Accumulator& total, auto& v) const {
    if constexpr (in_one_pass)
      right.visit(*this, {total.sum, 0}, v);
    else
      right.visit(*this, {total.values[0], 0}, v);
    return right.x[0];
  }
};
static_assert(gas::fused<TwoKindProgram<true>> && !gas::fused<TwoKindProgram<false>>);

/// Both kinds read their own values, so that both pull.
template <gas::Active active = gas::Active::changed>
struct OwnTwoKindProgram : TwoKindProgram<true, active> {
  static constexpr bool reads_own = true;
  template <std::uint32_t kind>
  void gather(TwoAdicAccumulator<kind>& total, std::uint32_t x, float w,
              gas::Own<std::uint32_t> own) const {
    total.sum += this->product(x, w, own.value);
  }
};
static_assert(!gas::fused<OwnTwoKindProgram<>>);

/// Lists of two numbers, which are empty while both are 0, and then some; gathered into lists.
template <gas::Active active = gas::Active::changed>
struct ListProgram : TwoAdic {
  static constexpr bool rows = true;
  struct Node : TwoAdicState<0, active> {
    using Published = gas::ListOf<std::uint32_t>;
    using Accumulator = gas::List<std::array<std::uint32_t, 2>>;
  };
  using Vertex = Node;
  using Edge = float;
  void gather(typename Node::Accumulator& all, std::span<const std::uint32_t> x, float w) const {
    if (!x.empty()) all.push_back({product(x[1], w), product(x[0], w)});
  }
  void apply(Node& node, const typename Node::Accumulator& all, std::vector<std::uint32_t>& out,
             auto& v) const {
    std::array<std::uint32_t, 2> sums{};
    for (const auto& [first, second] : all.elements()) sums[0] += first, sums[1] += second;
    node.visit(*this, sums, v);
    out.assign(node.x.begin(), node.x.end());
    if (out[0] == 0 && out[1] == 0) return out.clear();
    out.resize(2 + out[0] / 16 % 4, out[1]);
  }
};

/// Two kinds: the one publishes lists and gathers counts, the other one the reverse.
template <gas::Active active = gas::Active::changed>
struct ListTwoKindProgram : TwoAdic {
  struct Left : TwoAdicState<0, active> {
    using Published = gas::ListOf<std::uint32_t>;
    using Accumulator = gas::Counts<std::uint32_t, std::uint32_t>;
  };
  struct Right : TwoAdicState<1, active> {
    using Published = std::uint32_t;
    using Accumulator = gas::List<std::uint32_t>;
  };
  using Data = Left;
  using Parameter = Right;
  using Edge = float;
  void gather(typename Left::Accumulator& all, std::uint32_t x, float w) const {
    all.add(x, product(1, w));
  }
  void gather(typename Right::Accumulator& all, std::span<const std::uint32_t> x, float w) const {
    if (!x.empty()) all.push_back(product(x[0], w));
  }
  void apply(Left& left, const typename Left::Accumulator& all, std::vector<std::uint32_t>& out,
             auto& v) const {
    std::uint32_t sum = 0;
    for (const auto& [x, count] : all.elements()) sum += x * count;
    left.visit(*this, {sum, 0}, v);
    out.assign(left.x[0] == 0 ? 0 : 1 + left.x[0] / 16 % 4, left.x[0]);
  }
  std::uint32_t apply(Right& right, const typename Right::Accumulator& all, auto& v) const {
    std::uint32_t sum = 0;
    for (const std::uint32_t part : all.elements()) sum += part;
    right.visit(*this, {sum, 0}, v);
    return right.x[0];
  }
};

/// With a Summary, of which converged() ends the run.
template <class P>
struct Summed : P {
  using Summary = gas::Sum<std::int64_t>;  // vertices that changed, or ask again
  bool converged(const auto& last) const {
    std::int64_t changed = last.data().value;
    if constexpr (gas::TwoKinds<P>) changed += last.parameter().value;
    return changed == 0;
  }
};

/// Those that sleep are not active in round 1.
template <class P>
struct Sleeping : P {
  bool initially_active(const auto& state, auto& v) const {
    return this->awake(state.kind, v.id());
  }
};

/// Numbers drawn one after the other.
class Lot {
 public:
  explicit Lot(std::uint64_t seed) : random_(seed) {}
  unsigned below(std::uint64_t n) { return static_cast<unsigned>(random_() % n); }
  bool one_in(unsigned n) { return below(n) == 0; }

 private:
  std::mt19937_64 random_;
};

/// What a seed draws beside the program.
struct Drawn {
  TwoAdic program;
  TestGraph graph;
  Cut cut = Cut::by_home;
  int ranks = 1;
  gas::Part parts = 1;
  unsigned threads = 1;
  unsigned executor = 0;
  bool simulated = false;
  bool over_mpi = false;              // tests/soak/programs runs it under mpirun
  std::vector<gas::RunOptions> runs;  // the last one until rest

  std::string text() const {
    std::string text =
        "seed " + std::to_string(program.seed) + ": ranks " + std::to_string(ranks) + " threads " +
        std::to_string(threads) + " parts " + std::to_string(parts) + " cut " +
        std::to_string(static_cast<int>(cut)) + (simulated ? " simulated" : "") +
        (program.asks_again ? " again" : "") + (program.sleepers ? " sleepers" : "") + ", " +
        std::to_string(graph.shape.sources) + " and " + std::to_string(graph.shape.targets) +
        " vertices, " + std::to_string(graph.edges.size()) + " edges; runs";
    for (const gas::RunOptions& run : runs)
      text += " [staleness " +
              (run.staleness.bound == gas::Staleness::async ? "async"
                                                            : std::to_string(run.staleness.bound)) +
              (run.staleness.eager ? " eager" : "") +
              (run.order == gas::Order::priority ? " priority" : "") + " consistency " +
              std::to_string(static_cast<int>(run.consistency)) + "]";
    return text;
  }
};

inline TestGraph drawn_graph(Lot& lot, bool bipartite) {
  const unsigned sort = lot.below(5);
  const std::uint64_t sources = sort == 0   ? lot.below(4)
                                : sort == 1 ? 1 + lot.below(10)
                                            : 5 + lot.below(200);
  const std::uint64_t targets = !bipartite ? sources : sort == 0 ? lot.below(4) : 1 + lot.below(90);
  TestGraph graph{{sources, targets, bipartite}, {}};
  if (sources == 0 || targets == 0) return graph;
  const unsigned edges = lot.below(sort == 2 ? 12 : 4 * (sources + targets));
  const bool hub = lot.one_in(2);
  for (unsigned e = 0; e < edges; ++e) {
    std::uint64_t source = lot.below(sources), target = lot.below(targets);
    if (hub && e % 2 == 0) (e % 4 == 0 ? source : target) = 0;
    graph.edges.source.push_back(gas::to_row(source));
    graph.edges.target.push_back(gas::to_row(target));
    graph.edges.value.push_back(static_cast<float>(1 + lot.below(4)));
  }
  return graph;
}

/// One vertex of so many edges that it stays a hub on each rank when any edge goes anywhere.
inline TestGraph drawn_hub(Lot& lot, bool bipartite, unsigned parts) {
  const std::uint64_t sources = 5 + lot.below(200);
  const std::uint64_t targets = bipartite ? 1 + lot.below(90) : sources;
  TestGraph graph{{sources, targets, bipartite}, {}};
  const bool at_target = lot.one_in(2);
  const std::size_t edges = parts * (std::size_t{1} << 17U) * 9 / 8;  // hubs: more than 2¹⁷ each
  for (std::size_t e = 0; e < edges; ++e) {
    std::uint64_t source = lot.below(sources), target = lot.below(targets);
    if (e % 50 != 0) (at_target ? target : source) = 0;
    graph.edges.source.push_back(gas::to_row(source));
    graph.edges.target.push_back(gas::to_row(target));
    graph.edges.value.push_back(static_cast<float>(1 + lot.below(4)));
  }
  return graph;
}

template <class P>
gas::RunOptions drawn_options(Lot& lot) {
  constexpr bool in_place = requires { P::numbers; };
  gas::RunOptions options;
  if constexpr (gas::by_id<P, gas::FirstKind<P>>) return options;  // staleness 0, by snapshots
  options.staleness.bound =
      std::array<std::uint64_t, 4>{0, 1, 3, gas::Staleness::async}[lot.below(4)];
  const bool async = options.staleness.bound == gas::Staleness::async;
  options.staleness.eager = !(async && in_place) && lot.one_in(2);
  if (async && in_place && lot.one_in(2)) options.order = gas::Order::priority;
  if (async && in_place && lot.one_in(3)) options.consistency = gas::Consistency::vertex;
  if (options.staleness.bound == 0 && lot.one_in(2)) options.consistency = gas::Consistency::edge;
  if constexpr (requires { P::least; } && !gas::names_converged<P>)
    if (options.staleness.bound == 0 && lot.one_in(2)) {
      options.order = gas::Order::priority;
      options.consistency = gas::Consistency::by_staleness;
    }
  return options;
}

template <class P>
Drawn drawn_case(std::uint64_t seed) {
  Lot lot(seed);
  Drawn drawn;
  drawn.program = {seed, lot.one_in(3), lot.one_in(2)};
  drawn.graph = drawn_graph(lot, gas::TwoKinds<P>);
  drawn.cut =
      std::array{Cut::by_home, Cut::by_other_end, Cut::any_edge, Cut::any_master}[lot.below(4)];
  const unsigned ranks = 1 + lot.below(6);
  drawn.ranks = static_cast<int>(ranks);
  drawn.parts = ranks + (lot.one_in(3) ? lot.below(5) : 0);
  drawn.threads = 1 + lot.below(3);
  drawn.executor = lot.below(3);
  drawn.simulated = lot.one_in(2);
  for (unsigned before = lot.one_in(3) ? lot.below(4) : 0; before > 0; --before) {
    drawn.runs.push_back(drawn_options<P>(lot));
    drawn.runs.back().iterations = 1 + lot.below(4);  // rounds more
  }
  drawn.runs.push_back(drawn_options<P>(lot));
  drawn.runs.back().iterations = 1'000'000;

  Lot more(~seed);
  drawn.over_mpi = more.one_in(8);
  if (more.one_in(64)) {
    const unsigned few = 1 + more.below(3);
    drawn.ranks = static_cast<int>(few);
    drawn.parts = few;
    drawn.cut = Cut::any_edge;
    drawn.graph = drawn_hub(more, gas::TwoKinds<P>, few);
  }
  return drawn;
}

/// x by loops over the list of edges. Two kinds: the sources', then the targets'.
inline std::vector<std::array<std::uint32_t, 2>> serial_solution(const Drawn& drawn, bool rows,
                                                                 bool own, gas::Along along) {
  const TestGraph& graph = drawn.graph;
  const std::uint64_t sources = graph.shape.sources;
  const bool two = graph.shape.bipartite;
  const std::uint64_t count = two ? sources + graph.shape.targets : sources;
  std::vector<std::array<std::uint32_t, 2>> constant(count), x(count);
  for (std::uint64_t v = 0; v < count; ++v)
    for (std::uint32_t i = 0; i < 2; ++i)
      constant[v][i] =
          v < sources ? drawn.program.constant(0, v, i) : drawn.program.constant(1, v - sources, i);
  for (int bits = 0; bits <= 32; bits += 4) {
    auto next = constant;
    for (std::size_t e = 0; e < graph.edges.size(); ++e) {
      const std::uint64_t s = graph.edges.source[e];
      const std::uint64_t t = graph.edges.target[e] + (two ? sources : 0);
      const auto w = static_cast<std::uint32_t>(graph.edges.value[e]);
      for (std::size_t i = 0; i < (rows ? 2U : 1U); ++i) {
        if (along != gas::Along::out)
          next[t][i] += 16 * w * (x[s][rows ? 1 - i : i] + (own ? x[t][i] : 0));
        if (two || along != gas::Along::in) next[s][i] += 16 * w * (x[t][i] + (own ? x[s][i] : 0));
      }
    }
    x = next;
  }
  return x;
}

/// LeastProgram's x, by passes over the list of edges until nothing changes.
inline std::vector<std::array<std::uint32_t, 2>> serial_least(const Drawn& drawn) {
  LeastProgram program;
  static_cast<TwoAdic&>(program) = drawn.program;
  std::vector<std::array<std::uint32_t, 2>> x(drawn.graph.shape.sources);
  for (std::size_t v = 0; v < x.size(); ++v) x[v] = {program.first(v), 0};
  const gas::EdgeList& edges = drawn.graph.edges;
  for (bool falls = true; falls;) {
    falls = false;
    for (std::size_t e = 0; e < edges.size(); ++e) {
      const std::uint32_t from = x[edges.source[e]][0];
      if (from == LeastProgram::most) continue;
      const std::uint32_t now = from + static_cast<std::uint32_t>(edges.value[e]);
      if (now >= x[edges.target[e]][0]) continue;
      x[edges.target[e]][0] = now;
      falls = true;
    }
  }
  return x;
}

/// Runs the case on this rank of as many as the transport has; what was wrong anywhere, or "".
template <class P>
std::string run_case(gas::Transport& transport, const Drawn& drawn) {
  const auto executor = drawn.simulated || drawn.executor == 0
                            ? gas::make_deterministic_executor(drawn.threads, drawn.program.seed)
                        : drawn.executor == 1 ? gas::make_thread_executor(drawn.threads)
                                              : make_executor(drawn.threads);
  P program;
  static_cast<TwoAdic&>(program) = drawn.program;
  gas::Engine<P> engine(transport, *executor,
                        build(transport, drawn.graph, drawn.cut, drawn.parts,
                              static_cast<unsigned>(drawn.program.seed)),
                        program, drawn.program.seed);
  gas::RunReport report;
  for (const gas::RunOptions& options : drawn.runs) report = engine.run(options);

  constexpr bool rows = requires { P::rows; };
  constexpr bool by_id = gas::by_id<P, gas::FirstKind<P>>;
  const auto expected = [&] {
    if constexpr (by_id)
      return naming_solution<TwoAdic>(program, drawn.graph, gas::names_initially_active<P>);
    else if constexpr (requires { P::least; })
      return serial_least(drawn);
    else
      return serial_solution(
          drawn, rows, requires { P::reads_own; }, gas::along_of<gas::VertexType<P>>);
  }();
  struct Wrong {
    std::uint64_t values = 0, visits = 0, done = 0, rounds = 0;
  } wrong;
  const auto look = [&](std::uint64_t row, std::uint64_t id, const auto& state) {
    if constexpr (by_id) {
      wrong.values += state.value != expected[row][0];
      wrong.visits += state.visits != expected[row][1];
    } else {
      for (std::size_t i = 0; i < (rows ? 2U : 1U); ++i)
        wrong.values += state.x[i] != expected[row][i];
      wrong.visits += state.visits < drawn.program.visits_wanted(state.kind, id) ? 1 : 0;
    }
    ++wrong.done;
  };
  if constexpr (gas::TwoKinds<P>) {
    engine.template local_for_each<typename P::Left>(
        [&](gas::Row row, const auto& state) { look(row, row, state); });
    engine.template local_for_each<typename P::Right>([&](gas::Row row, const auto& state) {
      look(drawn.graph.shape.sources + row, row, state);
    });
  } else {
    engine.template local_for_each<typename P::Node>(
        [&](gas::Row row, const auto& state) { look(row, row, state); });
  }
  wrong.rounds = report.rounds;
  std::uint64_t values = 0, visits = 0, done = 0;
  bool alike = true;
  for (const Wrong& there : gas::all_gather(transport, wrong)) {
    values += there.values;
    visits += there.visits;
    done += there.done;
    alike = alike && there.rounds == report.rounds;
  }
  std::string found;
  const auto add = [&](bool bad, const std::string& what) {
    if (bad) found += (found.empty() ? "" : ", ") + what;
  };
  add(values > 0, std::to_string(values) + " wrong values");
  add(visits > 0, std::to_string(visits) + " vertices not visited as often as they asked");
  add(done != expected.size(), "vertices without a master");
  add(!report.converged, "not converged after " + std::to_string(report.rounds) + " rounds");
  add(!alike, "ranks ended after different rounds");
  return found;
}

/// What is wrong with the case, or "": under mpirun on the ranks of `world`, else (null) on its
/// own.
template <class P>
std::string found_wrong(const Drawn& drawn, gas::Transport* world) {
  if (world != nullptr) return run_case<P>(*world, drawn);
  std::string found;
  const auto rank_main = [&](gas::Transport& transport) {
    const std::string here = run_case<P>(transport, drawn);
    if (transport.rank() == 0) found = here;
  };
  try {
    if (drawn.simulated)
      gas::run_simulated_ranks(drawn.ranks, gas::SimulatedNetwork::drawn(drawn.program.seed),
                               rank_main);
    else
      gas::run_local_ranks(drawn.ranks, rank_main);
  } catch (const std::exception& error) {
    found = error.what();
  }
  return found;
}

namespace detail {
constexpr auto every_round = gas::Active::every_round;
using Number = NumberProgram<>;
using Rows = RowProgram<>;
using Fused = TwoKindProgram<true>;
using Pulled = TwoKindProgram<false>;
using Naming = NamingProgram<TwoAdic>;
}  // namespace detail

/// Every gather, with vertices that sleep from the start, that wake by changes with and without a
/// Summary, and that are visited in every round.
using RandomPrograms = std::tuple<
    detail::Number, Sleeping<detail::Number>, Summed<detail::Number>, LeastProgram,
    Sleeping<LeastProgram>, Summed<LeastProgram>, Summed<NumberProgram<detail::every_round>>,
    detail::Rows, Sleeping<detail::Rows>, Summed<detail::Rows>,
    Summed<RowProgram<detail::every_round>>, detail::Fused, Sleeping<detail::Fused>,
    Summed<detail::Fused>, Summed<TwoKindProgram<true, detail::every_round>>, detail::Pulled,
    Sleeping<detail::Pulled>, Summed<detail::Pulled>,
    Summed<TwoKindProgram<false, detail::every_round>>, OwnNumberProgram<>,
    Sleeping<OwnNumberProgram<>>, Summed<OwnNumberProgram<detail::every_round>>, OwnRowProgram<>,
    Sleeping<OwnRowProgram<>>, OwnTwoKindProgram<>, Sleeping<OwnTwoKindProgram<>>,
    Summed<OwnTwoKindProgram<detail::every_round>>, detail::Naming, Sleeping<detail::Naming>,
    AlongProgram<gas::Along::out>, Sleeping<AlongProgram<gas::Along::both>>, ListProgram<>,
    Sleeping<ListProgram<>>, Summed<ListProgram<detail::every_round>>, ListTwoKindProgram<>,
    Sleeping<ListTwoKindProgram<>>, Summed<ListTwoKindProgram<detail::every_round>>>;

}  // namespace gas_test
