#include "tools/support/search/search_input.hpp"

#include <fmt/format.h>

#include <utility>

#include "gas/base/error.hpp"
#include "tools/support/graph/graph_options.hpp"
#include "tools/support/ids/row_names.hpp"

namespace gas::tools {
namespace {

VertexId source_row(Run& run, const loaders::RowIds& ids, const std::string& source) {
  const VertexId found = row_of(run.transport, ids, source);
  together(run.transport, [&] {
    if (found == no_row)
      throw located_error(run.options.input_name(), 0, 0, fmt::format("no vertex {}", source),
                          "the vertex that --source names");
  });
  return found;
}

}  // namespace

void take_search(Options& options, std::function<void(const RunOptions&)> check,
                 std::string& source) {
  take_plain_graph_to_rest(options, std::move(check), Order::priority);
  options.take_text();
  options.take_top("of the vertices that are farthest");
  options.take_undirected();
  options.text("--source", source, "ID", "The vertex, as INPUT calls it, to start from");
  options.require("--source");
}

std::optional<SearchInput> read_search(Run& run, const GraphWish& wish, const std::string& source,
                                       CallBytes call) {
  if (!check_memory(run, wish, std::move(call))) return std::nullopt;
  run.enter(Phase::load);
  InputGraph loaded = read_graph(run, wish);
  const VertexId from = source_row(run, loaded.source_ids, source);
  SearchInput input{cut_graph(run, std::move(loaded), wish), from};
  run.enter(Phase::compute);
  return input;
}

}  // namespace gas::tools
