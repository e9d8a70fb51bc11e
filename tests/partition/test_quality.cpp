#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <set>
#include <sstream>

#include "gas/graph/local_graph.hpp"
#include "partition/measure/balance.hpp"
#include "partition/measure/prediction.hpp"
#include "tests/partition/graphs.hpp"
#include "tests/support/ranks.hpp"

namespace {

using gas::Part;
using gas::VertexId;
using gas::partition::Quality;
using gas_test::Graph;

using Vertex = std::pair<int, VertexId>;  // kind, row
using Copy = std::pair<Vertex, Part>;

double largest_by_mean(const std::vector<double>& on) {
  double sum = 0;
  for (const double each : on) sum += each;
  if (sum == 0) return 1;
  return *std::max_element(on.begin(), on.end()) / (sum / static_cast<double>(on.size()));
}

constexpr gas::partition::Widths widths{{12, 5}, {7, 0}};

/// By sets of copies, straight from the definitions; what is sent by the widths above.
std::pair<Quality, std::uint64_t> brute_force(const Graph& graph, const gas::Partition& cut) {
  const bool bipartite = graph.shape.bipartite;
  const auto master = [&](Vertex v) {
    return v.first == 0 ? cut.source_master[v.second] : cut.target_master[v.second];
  };
  std::set<Vertex> vertices;
  std::set<Copy> copies;
  std::set<Copy> read;
  std::set<Copy> gathering;
  std::vector<double> edges(cut.parts);
  std::vector<double> masters(cut.parts);
  std::vector<double> copies_on(cut.parts);
  std::vector<double> mirrors_on(cut.parts);
  Quality quality;
  std::uint64_t bytes = 0;
  std::set<std::tuple<int, char, Part, Part>> messages;  // kind, what, from, to
  for (std::size_t i = 0; i < graph.edges.size(); ++i) {
    const Vertex from{0, graph.edges.source[i]};
    const Vertex to{bipartite ? 1 : 0, graph.edges.target[i]};
    const Part part = cut.edge_part[i];
    edges[part] += 1;
    quality.edge_cut += master(from) != master(to);
    for (const Vertex& v : {from, to}) {
      vertices.insert(v);
      copies.insert({v, part});
      copies.insert({v, master(v)});
    }
    read.insert({from, part});
    gathering.insert({to, part});
    if (bipartite) read.insert({to, part}), gathering.insert({from, part});
  }
  std::map<int, double> copies_of;
  std::map<int, double> vertices_of;
  for (const Vertex& v : vertices) vertices_of[v.first] += 1;
  for (const Copy& copy : copies) {
    copies_of[copy.first.first] += 1;
    copies_on[copy.second] += 1;
    if (master(copy.first) == copy.second) continue;
    mirrors_on[copy.second] += 1;
    quality.mirrors_total += 1;
    const auto& [kind, row] = copy.first;
    const auto& width = kind == 0 ? widths.data : widths.parameter;
    bytes += width.published * read.count(copy) + width.total * gathering.count(copy);
    if (read.count(copy) > 0) messages.insert({kind, 'v', master(copy.first), copy.second});
    if (width.total > 0 && gathering.count(copy) > 0)
      messages.insert({kind, 't', copy.second, master(copy.first)});
  }
  for (const Part part : cut.source_master) masters[part] += 1;
  for (const Part part : cut.target_master) masters[part] += 1;
  const auto ratio = [](double all, double of) { return of == 0 ? 1 : all / of; };
  quality.replication_factor.all =
      ratio(static_cast<double>(copies.size()), static_cast<double>(vertices.size()));
  quality.replication_factor.data = ratio(copies_of[0], vertices_of[0]);
  if (bipartite) quality.replication_factor.parameter = ratio(copies_of[1], vertices_of[1]);
  quality.edge_balance = largest_by_mean(edges);
  quality.vertex_balance = largest_by_mean(masters);
  quality.copy_balance = largest_by_mean(copies_on);
  quality.mirrors_max =
      static_cast<std::uint64_t>(*std::max_element(mirrors_on.begin(), mirrors_on.end()));
  return {quality, bytes + messages.size()};
}

/// An edge anywhere, a master anywhere: quality must not take edge-cuts for granted.
gas::Partition scattered(const Graph& graph, Part parts) {
  gas::Partition cut{parts, {}, {}, {}, "scattered"};
  for (std::size_t i = 0; i < graph.edges.size(); ++i)
    cut.edge_part.push_back(static_cast<Part>((i * i + 3 * i) % 11 % parts));
  for (VertexId v = 0; v < graph.shape.sources; ++v)
    cut.source_master.push_back(static_cast<Part>(v * 7 % 5 % parts));
  if (graph.shape.bipartite)
    for (VertexId v = 0; v < graph.shape.targets; ++v)
      cut.target_master.push_back(static_cast<Part>(v * v % parts));
  return cut;
}

gas::Partition share(const gas::Partition& all, const Graph& graph, gas::Communicator& comm) {
  const auto block = [&](const std::vector<Part>& masters) {
    const gas::BlockDistribution blocks{masters.size(), comm.size()};
    const auto first = masters.begin() + static_cast<std::ptrdiff_t>(blocks.first(comm.rank()));
    return std::vector<Part>(first, first + static_cast<std::ptrdiff_t>(blocks.count(comm.rank())));
  };
  // The shares of edges, applied to their numbers.
  gas::EdgeList numbers;
  for (std::size_t i = 0; i < graph.edges.size(); ++i)
    numbers.source.push_back(gas::to_vertex_id(i));
  numbers.target = numbers.source;
  gas::Partition mine{
      all.parts, {}, block(all.source_master), block(all.target_master), all.method};
  for (const VertexId i : gas_test::share(numbers, comm.rank(), comm.size()).source)
    mine.edge_part.push_back(all.edge_part[i]);
  return mine;
}

/// Every key and value, and what is predicted of it.
std::string all_of(const gas::partition::Measured& quality) {
  std::ostringstream text;
  const auto add = [&]<class T>(const char* key, const T& member) {
    text << key << ' ';
    if constexpr (std::is_same_v<T, std::optional<double>>)
      text << member.value_or(-1) << '\n';
    else
      text << member << '\n';
  };
  for_each_key(quality, add);
  for_each_key(predict(quality, false, 0, widths), add);
  return text.str();
}

template <class T>
std::uint64_t bytes_of(const std::vector<T>& array) {
  return array.size() * sizeof(T);
}
template <class T>
std::uint64_t bytes_of(const gas::SharedList<T>& list) {
  return list.size() * sizeof(T);
}

std::uint64_t bytes_of(const gas::VertexLayout& layout) {
  std::uint64_t bytes =
      bytes_of(layout.rows) + bytes_of(layout.in_degree) + bytes_of(layout.out_degree);
  for (const gas::Peer& peer : layout.peers)
    for (const auto* list : {&peer.value_masters, &peer.value_mirrors, &peer.accumulator_masters,
                             &peer.accumulator_mirrors})
      bytes += bytes_of(*list);
  return bytes;
}

}  // namespace

TEST_CASE("quality agrees with a count by sets", "[partition][ranks]") {
  for (const int ranks : gas_test::rank_counts())
    for (const Graph& graph : gas_test::graphs())
      for (const char* method : {"metis", "range", "hash", "ne", "hdrf", "grid", "scattered"})
        for (const Part parts : {1U, 8U, 5000U}) {
          if (parts > 8 && std::string(method) != "hash") continue;
          INFO(ranks << " ranks, " << graph.name << ", " << method << ", " << parts << " parts");
          struct Result {
            gas::Partition whole;
            gas::partition::Measured quality;
          };
          const auto results = gas_test::run_ranks<Result>(ranks, [&](gas::Transport& comm) {
            const auto edges = gas_test::share(graph.edges, comm.rank(), comm.size());
            const gas::Partition mine = std::string(method) == "scattered"
                                            ? share(scattered(graph, parts), graph, comm)
                                            : gas::partition::make_partition(
                                                  comm, edges, graph.shape, {method, parts, 5, 9});
            return Result{gas_test::whole(comm, mine),
                          gas::partition::quality(comm, edges, graph.shape, mine)};
          });
          const auto [expected, bytes] = brute_force(graph, results.front().whole);
          for (const auto& [cut, found] : results) {
            CHECK(gas_test::same(cut, results.front().whole));
            CHECK(found.replication_factor.all == Approx(expected.replication_factor.all));
            CHECK(found.replication_factor.data == Approx(expected.replication_factor.data));
            REQUIRE(found.replication_factor.parameter.has_value() == graph.shape.bipartite);
            if (graph.shape.bipartite)
              CHECK(*found.replication_factor.parameter ==
                    Approx(*expected.replication_factor.parameter));
            CHECK(found.edge_cut == expected.edge_cut);
            CHECK(found.edge_balance == Approx(expected.edge_balance));
            CHECK(found.vertex_balance == Approx(expected.vertex_balance));
            CHECK(found.copy_balance == Approx(expected.copy_balance));
            CHECK(found.mirrors_total == expected.mirrors_total);
            CHECK(found.mirrors_max == expected.mirrors_max);
            CHECK(predict(found, graph.shape.bipartite, 0, widths).bytes_per_round == bytes);
          }
        }
}

TEST_CASE("pairs are cut and judged as the arcs they stand for", "[partition][ranks]") {
  struct Result {
    gas::Partition whole;
    std::string quality;
    gas::partition::Balance balance;
  };
  for (const int ranks : gas_test::rank_counts())
    for (const Graph& graph : gas_test::graphs())
      for (const char* method : {"metis", "range", "hash"})
        for (const Part parts : {2U, 40U}) {
          if (graph.shape.bipartite) continue;
          INFO(ranks << " ranks, " << graph.name << ", " << method << ", " << parts << " parts");
          const auto results = [&](bool listed) {
            return gas_test::run_ranks<Result>(ranks, [&](gas::Transport& comm) {
              auto edges = gas_test::share(graph.edges, comm.rank(), comm.size());
              edges.both_ways = !listed;
              if (listed) gas::add_reverse_arcs(edges);
              const auto mine =
                  gas::partition::make_partition(comm, edges, graph.shape, {method, parts, 5, 9});
              const auto quality = gas::partition::quality(comm, edges, graph.shape, mine);
              return Result{gas_test::whole(comm, mine), all_of(quality),
                            gas::partition::balance(comm, edges, graph.shape, mine, {})};
            });
          };
          const auto arcs = results(true), pairs = results(false);
          for (std::size_t rank = 0; rank < arcs.size(); ++rank) {
            CHECK(gas_test::same(pairs[rank].whole, arcs[rank].whole));
            CHECK(pairs[rank].quality == arcs[rank].quality);
            CHECK(pairs[rank].balance.largest == arcs[rank].balance.largest);
            CHECK(pairs[rank].balance.at_best == arcs[rank].balance.at_best);
          }
        }
}

TEST_CASE("predicted memory is that of the pieces that ranks build", "[partition][ranks]") {
  for (const int ranks : gas_test::rank_counts())
    for (const Graph& graph : gas_test::graphs())
      for (const bool weighted : {false, true}) {
        INFO(ranks << " ranks, " << graph.name << (weighted ? ", weighted" : ""));
        struct Result {
          std::uint64_t most, predicted;
        };
        const auto results = gas_test::run_ranks<Result>(ranks, [&](gas::Transport& comm) {
          auto edges = gas_test::share(graph.edges, comm.rank(), comm.size());
          edges.value.assign(weighted ? edges.size() : 0, 1);
          auto cut = gas::partition::make_partition(comm, edges, graph.shape,
                                                    {"random", static_cast<Part>(ranks), 5, 9});
          const auto quality = gas::partition::quality(comm, edges, graph.shape, cut);
          const auto predicted = predict(quality, graph.shape.bipartite,
                                         weighted ? sizeof(float) : 0, {{0, 0}, {0, 0}});
          const auto piece =
              build_graph(comm, graph.shape, edges, std::move(cut), gas::Repeats::keep);
          const std::uint64_t bytes = bytes_of(piece.owner) + bytes_of(piece.parameter) +
                                      bytes_of(piece.values) + bytes_of(piece.adjacency.offsets) +
                                      bytes_of(piece.adjacency.neighbours) +
                                      bytes_of(piece.adjacency.edges) +
                                      3 * (piece.owner.rows.size() + piece.parameter.rows.size());
          return Result{all_max(comm, bytes), predicted.memory_per_rank};
        });
        for (const auto& [most, predicted] : results) CHECK(predicted == most);
      }
}
