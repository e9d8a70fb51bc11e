#include <algorithm>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <tuple>

#include "gas/base/error.hpp"
#include "partition/folder/part_file.hpp"
#include "partition/folder/part_list.hpp"
#include "tests/partition/folders.hpp"
#include "tests/support/ranks.hpp"

using gas::Part;
using gas::partition::Options;
using gas_test::Graph;
using gas_test::TemporaryFolder;

namespace {

using Edge = std::tuple<gas::VertexId, gas::VertexId, double, Part>;

std::vector<Edge> edges_of(const gas::EdgeList& edges, const std::vector<Part>& part) {
  std::vector<Edge> all;
  for (std::size_t i = 0; i < edges.size(); ++i)
    all.emplace_back(edges.source[i], edges.target[i],
                     !edges.wide_value.empty() ? edges.wide_value[i]
                     : edges.value.empty()     ? 0
                                               : static_cast<double>(edges.value[i]),
                     part[i]);
  std::sort(all.begin(), all.end());
  return all;
}

struct RoundTrip {
  gas::Partition cut, stored;  // whole
  gas::EdgeList stored_edges;  // all ranks'
  gas::partition::Manifest manifest;
  bool own_parts_only = false, rows_back = false;
};

RoundTrip round_trip(gas::Transport& comm, const Graph& graph, const Options& options) {
  const TemporaryFolder folder(comm);
  const auto cut = gas_test::store(comm, folder / "p", graph, options, {.seed = options.seed});
  const auto stored = gas::partition::read_folder(comm, folder / "p");
  RoundTrip result;
  result.cut = gas_test::whole(comm, cut);
  result.stored = gas_test::whole(comm, stored.partition);
  result.manifest = stored.manifest;
  result.own_parts_only = std::all_of(
      stored.partition.edge_part.begin(), stored.partition.edge_part.end(), [&](Part part) {
        return gas::rank_of_part(part, options.parts, comm.size()) == comm.rank();
      });
  const gas::partition::RowData rows = gas_test::row_data(comm, graph.shape);
  result.rows_back = stored.rows.sources.names.text == rows.sources.names.text &&
                     stored.rows.sources.labels == rows.sources.labels &&
                     stored.rows.targets.names.numbers == rows.targets.names.numbers &&
                     stored.manifest.sources.kind == rows.sources.names.kind &&
                     stored.manifest.targets.kind == rows.targets.names.kind;
  const auto join = [&](const auto& values, auto& all) {
    using Value = typename std::decay_t<decltype(values)>::value_type;
    for (const auto& block : gas::all_gather(comm, std::span<const Value>(values)))
      all.insert(all.end(), block.begin(), block.end());
  };
  join(stored.edges.source, result.stored_edges.source);
  join(stored.edges.target, result.stored_edges.target);
  join(stored.edges.value, result.stored_edges.value);
  join(stored.edges.wide_value, result.stored_edges.wide_value);
  return result;
}

}  // namespace

TEST_CASE("what is written is what is read", "[partition][ranks]") {
  for (const int ranks : gas_test::rank_counts())
    for (Graph graph : gas_test::graphs())
      for (const Options& options :
           {Options{"metis", 4, 5, 4}, Options{"hash", 6, 5, 4}, Options{"hash", 8, 5, 4}}) {
        if (options.parts == 6)  // doubles
          for (const float value : graph.edges.value)
            graph.edges.wide_value.push_back(static_cast<double>(value) + 1e-10);
        if (options.parts > 4) graph.edges.value.clear();
        if (options.parts == 8) graph.edges.wide_value.clear();  // edges without data, too
        INFO(ranks << " ranks, " << graph.name << ", " << options.method);
        for (const RoundTrip& trip : gas_test::run_ranks<RoundTrip>(
                 ranks, [&](gas::Transport& comm) { return round_trip(comm, graph, options); })) {
          CHECK(trip.stored.source_master == trip.cut.source_master);
          CHECK(trip.stored.target_master == trip.cut.target_master);
          CHECK(trip.own_parts_only);
          CHECK(trip.rows_back);
          CHECK(edges_of(trip.stored_edges, trip.stored.edge_part) ==
                edges_of(graph.edges, trip.cut.edge_part));
          CHECK(trip.manifest.edges == graph.edges.size());
          CHECK(trip.manifest.value_bytes == graph.edges.value_bytes());
          CHECK(trip.manifest.shape.sources == graph.shape.sources);
          CHECK(trip.manifest.shape.targets == graph.shape.targets);
          CHECK(trip.manifest.shape.bipartite == graph.shape.bipartite);
          CHECK(trip.manifest.method == options.method);
          CHECK(trip.manifest.parts == options.parts);
          CHECK(trip.manifest.how.seed == options.seed);
        }
      }
}

TEST_CASE("the folder's bytes do not depend on the ranks that wrote it", "[partition][ranks]") {
  const Graph graph = gas_test::clustered(true, 20);
  const auto written = [&](gas::Transport& comm) {
    const TemporaryFolder folder(comm);
    gas_test::store(comm, folder / "p", graph, {"metis", 4, 5, 4});
    std::vector<std::string> texts{gas_test::read_text(folder / "p/manifest.json")};
    for (Part part = 0; part < 4; ++part)
      texts.push_back(gas_test::read_text(folder / ("p/" + gas::partition::part_file_name(part))));
    gas::all_sum(comm, 0);  // all have read before rank 0 removes it
    return texts;
  };
  std::vector<std::string> alone;
  gas::run_local_ranks(1, [&](gas::Transport& comm) { alone = written(comm); });
  REQUIRE(alone.size() == 5);
  CHECK(std::none_of(alone.begin(), alone.end(), [](const auto& text) { return text.empty(); }));
  for (const int ranks : gas_test::rank_counts())
    for (const auto& texts : gas_test::run_ranks<std::vector<std::string>>(ranks, written))
      CHECK(texts == alone);
}

TEST_CASE("the manifest tells quality and the files beside", "[partition]") {
  const Graph graph = gas_test::clustered(false, 20);
  gas::run_local_ranks(1, [&](gas::Transport& comm) {
    const TemporaryFolder folder(comm);
    std::filesystem::create_directory(folder / "p");
    gas_test::write_text(folder / "p/ids.txt", "a\nb\n");
    gas_test::store(comm, folder / "p", graph, {"range", 3, 5, 4},
                    {.seed = 4,
                     .imbalance_percent = 7.5,
                     .vertex_weights = "none",
                     .undirected = true,
                     .beside = {"ids.txt"}});
    const auto json = nlohmann::json::parse(gas_test::read_text(folder / "p/manifest.json"));
    const auto manifest = gas::partition::read_manifest(comm, folder / "p");
    const auto& quality = json.at("partition").at("quality");
    CHECK(json.at("schema") == 3);
    CHECK(quality.at("replication_factor").at("parameter").is_null());
    CHECK(quality.at("edge_cut") == manifest.quality.edge_cut);
    CHECK(json.at("files").at(3).at("name") == "ids.txt");
    CHECK(manifest.how.undirected);
    CHECK(manifest.how.imbalance_percent == 7.5);
    CHECK(manifest.how.vertex_weights == "none");
    CHECK(manifest.how.beside == std::vector<std::string>{"ids.txt"});
    CHECK(json.at("files").size() == 4);
  });
}

TEST_CASE("writing over a larger partition leaves nothing of it", "[partition]") {
  const Graph graph = gas_test::clustered(false, 20);
  gas::run_local_ranks(1, [&](gas::Transport& comm) {
    const TemporaryFolder folder(comm);
    gas_test::store(comm, folder / "p", graph, {"range", 9, 5, 4});
    gas_test::write_text(folder / "p/part-of-mine.txt", "kept");
    gas_test::store(comm, folder / "p", graph, {"range", 2, 5, 4});
    std::size_t files = 0;
    for ([[maybe_unused]] const auto& each : std::filesystem::directory_iterator(folder / "p"))
      ++files;
    CHECK(files == 4);
    CHECK(gas_test::read_text(folder / "p/part-of-mine.txt") == "kept");
  });
}

TEST_CASE("parts as text, one per line", "[partition][ranks]") {
  const Graph graph = gas_test::clustered(true, 3);
  struct Result {
    std::string vertices, edges;
    gas::Partition whole;
  };
  const auto lines = [](std::vector<Part> parts, const std::vector<Part>& more) {
    parts.insert(parts.end(), more.begin(), more.end());
    std::string text;
    for (const Part part : parts) text += std::to_string(part) + "\n";
    return text;
  };
  for (const int ranks : gas_test::rank_counts())
    for (const Result& result : gas_test::run_ranks<Result>(ranks, [&](gas::Transport& comm) {
           const TemporaryFolder folder(comm);
           const auto mine = gas_test::share(graph.edges, comm.rank(), comm.size());
           const auto cut =
               gas::partition::make_partition(comm, mine, graph.shape, {"hash", 12, 5, 1});
           gas::partition::write_vertex_parts(comm, folder / "v", cut);
           gas::partition::write_edge_parts(comm, folder / "e", cut.edge_part);
           Result found{gas_test::read_text(folder / "v"), gas_test::read_text(folder / "e"),
                        gas_test::whole(comm, cut)};
           gas::all_sum(comm, 0);
           return found;
         })) {
      CHECK(result.vertices == lines(result.whole.source_master, result.whole.target_master));
      CHECK(result.edges == lines(result.whole.edge_part, {}));
    }
}

TEST_CASE("what cannot be written is an error on all ranks", "[partition][ranks]") {
  const Graph graph = gas_test::clustered(true, 3);
  for (const int ranks : gas_test::rank_counts())
    for (const auto& messages :
         gas_test::run_ranks<std::vector<std::string>>(ranks, [&](gas::Transport& comm) {
           const TemporaryFolder folder(comm);
           if (comm.rank() == 0) gas_test::write_text(folder / "file", "");
           const auto message = [](const auto& work) -> std::string {
             try {
               work();
             } catch (const gas::RunError& error) {
               return error.what();
             }
             return "none";
           };
           return std::vector<std::string>{
               message([&] { gas::partition::write_edge_parts(comm, folder / "file/e", {}); }),
               message([&] {
                 gas_test::store(comm, folder / "file", graph, {"hash", 2, 5, 1});
               })};
         })) {
      CHECK_THAT(messages[0], Catch::Contains("file/e: cannot be written: Not a directory"));
      CHECK_THAT(messages[1], Catch::Contains("file: cannot be written: Not a directory"));
    }
}
