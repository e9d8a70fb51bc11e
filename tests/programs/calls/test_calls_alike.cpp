// Options of graphs, matrices and paths that ranks give differently are refused on all of them.
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "gas/base/error.hpp"
#include "programs/calls/graph.hpp"
#include "programs/calls/matrix.hpp"
#include "programs/shortest_paths/shortest_paths.hpp"
#include "tests/support/executor.hpp"
#include "tests/support/ranks.hpp"

using namespace gas_test;

namespace {

/// `work(context, odd)` on every rank must throw the same; `odd`: on the last one.
void check_said(const std::string& part,
                const std::function<void(const gas::Context&, bool odd)>& work) {
  for (const int ranks : rank_counts()) {
    if (ranks == 1) continue;
    INFO(ranks << " ranks");
    const auto said = run_ranks<std::string>(ranks, [&](gas::Transport& transport) -> std::string {
      const gas::Context context(transport, make_executor(1));
      try {
        work(context, transport.rank() == transport.size() - 1);
      } catch (const gas::UsageError& error) {
        return error.what();
      }
      return "nothing";
    });
    for (const std::string& text : said) CHECK_THAT(text, Catch::StartsWith(part));
  }
}

}  // namespace

TEST_CASE("options of a graph that ranks give differently are refused on all", "[alike][ranks]") {
  const auto lay = [](const std::string& part, auto change, gas::Arcs arcs = gas::Arcs::given) {
    check_said(part, [&](const gas::Context& context, bool odd) {
      gas::GraphOptions options{.vertices = 50};
      if (odd) change(options);
      const std::vector<int> from{0, 1, 2, 3}, to{1, 2, 3, 4};
      const gas::Graph graph = gas::Graph::from_edges(context, from, to, options);
      graph.laid_out(context, odd ? arcs : gas::Arcs::given, gas::EdgeValues::unread);
    });
  };
  using Options = gas::GraphOptions;
  lay("vertices of the graph: found 50 on rank 0 and 60 on rank ",
      [](Options& o) { o.vertices = 60; });
  lay("undirected: found false on rank 0", [](Options& o) { o.undirected = true; });
  lay("partition: found auto on rank 0", [](Options& o) { o.partition = "hash"; });
  lay(
      "arcs: found ", [](Options&) {}, gas::Arcs::both_ways);
  lay("nothing", [](Options&) {});
}

TEST_CASE("widths of buckets that ranks give differently are refused on all", "[alike][ranks]") {
  check_said("width: found 0 on rank 0 and 2.5 on rank ",
             [](const gas::Context& context, bool odd) {
               const std::vector<int> from{0, 1, 2, 3}, to{1, 2, 3, 4};
               const gas::Graph graph = gas::Graph::from_edges(context, from, to);
               gas::shortest_paths(context, graph, 0, {.width = odd ? 2.5 : 0});
             });
}

TEST_CASE("a partitioning method that there is not is refused on one rank, too", "[alike][ranks]") {
  for (const int ranks : gas_test::rank_counts()) {
    const auto results = gas_test::run_ranks<bool>(ranks, [](gas::Transport& transport) {
      const gas::Context context(transport);
      const gas::Graph graph = gas::Graph::from_edges(context, std::vector<int>{0},
                                                      std::vector<int>{1}, {.partition = "mets"});
      try {
        graph.laid_out(context, gas::Arcs::given, gas::EdgeValues::unread);
      } catch (const gas::UsageError& error) {
        return std::string(error.what()).find("did you mean 'metis'") != std::string::npos;
      }
      return false;
    });
    for (const bool refused : results) CHECK(refused);
  }
}

TEST_CASE("options of a matrix that ranks give differently are refused on all", "[alike][ranks]") {
  const auto lay = [](const std::string& part, auto change) {
    check_said(part, [&](const gas::Context& context, bool odd) {
      gas::MatrixOptions options;
      gas::MatrixUse use;
      if (odd) change(options, use);
      const std::vector<int> offsets{0, 2, 3}, columns{0, 9, 1};
      const std::vector<float> values{2, 100, 1};
      const gas::Matrix matrix = gas::Matrix::from_rows(context, offsets, columns, values, options);
      matrix.laid_out(context, use);
    });
  };
  using Options = gas::MatrixOptions;
  using Use = gas::MatrixUse;
  lay("partition: found auto on rank 0", [](Options& o, Use&) { o.partition = "hash"; });
  lay("a column of ones: found false on rank 0", [](Options&, Use& u) { u.ones = true; });
  lay("columns that occur: found false on rank 0", [](Options&, Use& u) { u.occurring = true; });
  lay("nothing", [](Options&, Use&) {});
}
