#include "tools/support/graph/graph_input.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "gas/base/error.hpp"
#include "gas/base/page_array.hpp"
#include "gas/graph/keep_edges.hpp"
#include "gas/graph/simple_edges.hpp"
#include "loaders/generate/generate.hpp"
#include "loaders/write.hpp"
#include "partition/edge_cut.hpp"
#include "partition/measure/quality.hpp"
#include "partition/partition.hpp"
#include "tools/support/graph/stored_graph.hpp"
#include "tools/support/run/room.hpp"
#include "tools/support/show/counted.hpp"

namespace gas::tools {

namespace {

/// Refuses what one short line can declare but no memory here can hold. Collective.
void check_vertices(Run& run, const GraphWish& wish, const GraphShape& shape) {
  const auto data = static_cast<double>(shape.sources);
  const double parameters = shape.bipartite ? wish.rows_of(static_cast<double>(shape.targets)) : 0;
  check_room(run, fmt::format("{:.0f} vertices", data + parameters),
             data * GraphWish::vertex_bytes + parameters * wish.parameter_bytes);
}

/// Collective.
void check_kinds(Run& run, Kinds wish, bool two) {
  const bool stored = run.options.partition_is_folder;
  const std::string place = stored ? run.options.partition : run.options.input_name();
  const auto found = [&](const char* graph, const char* option) {
    return stored ? fmt::format("a partition cut {} --bipartite", option) : std::string(graph);
  };
  together(run.transport, [&] {
    if (wish == Kinds::two && !two)
      throw located_error(place, 0, 0, found("a graph of one kind of vertices", "without"),
                          "two kinds of vertices (documents and words, examples and features)");
    if (wish == Kinds::one && two)
      throw located_error(place, 0, 0, found("a graph of two kinds of vertices", "with"),
                          "one kind of vertices");
  });
}

/// Makes floats of a folder's doubles, as a tool that counts in floats reads them from INPUT.
void local_narrow(EdgeList& edges, const std::string& folder, bool weighs) {
  for (const double value : edges.wide_value) {
    const auto narrow = static_cast<float>(value);
    const auto refuse = [&](const char* expected) {
      throw located_error(folder, 0, 0, fmt::format("an edge of value {}", value), expected);
    };
    if (std::isinf(narrow)) refuse("one that a 32-bit float holds, at most 3.4e38 in size");
    if (weighs && value > 0 && narrow < std::numeric_limits<float>::min())
      refuse("0 or one that a 32-bit float holds, at least 1.2e-38");
    edges.value.push_back(narrow);
  }
  release(edges.wide_value);
}

bool are_lengths(Values values) {
  return values == Values::lengths || values == Values::wide_lengths;
}

bool may_be_wide(Values values) {
  return values == Values::wide_lengths || values == Values::as_stored;
}

/// Says how many ids an edge list may lack.
void tell_missing(Run& run, const InputGraph& loaded) {
  const std::uint64_t data = loaded.source_ids.missing(), parameter = loaded.target_ids.missing();
  run.summary.missing_ids = data + parameter;
  if (run.summary.missing_ids == 0) return;
  run.note(fmt::format(
      "{} between the least and the largest id{} {} in no edge, so not taken as a vertex: to "
      "declare vertices, give --vertices {}",
      counted(data + parameter, "number", "numbers"),
      loaded.shape.bipartite ? fmt::format(" (data {}, parameter {})", data, parameter) : "",
      data + parameter == 1 ? "is" : "are",
      loaded.shape.bipartite ? "N,M or FILE,FILE" : "N or FILE"));
}

/// Keeps the rows that --sample asks for with all of their edges; columns stay as they are.
void take_rows(Run& run, InputGraph& loaded) {
  Communicator& comm = run.transport;
  EdgeList& edges = loaded.edges;
  const std::uint64_t rows = loaded.shape.sources, all = all_sum(comm, std::uint64_t{edges.size()});
  const RowSample sample(rows, run.options.sample, run.options.input_name());
  keep_edges(edges, nullptr, [&](std::size_t e) {
    const bool keep = sample.keeps(edges.source[e]);
    edges.source[e] = to_vertex_id(sample.before(edges.source[e]));
    return keep;
  });
  if (all_max(comm, loaded.labels.size()) > 0) loaded.labels = sample.kept(comm, loaded.labels, 1);
  loaded.shape.sources = sample.rows();
  loaded.sampled = {sample, std::exchange(loaded.source_ids, {sample.rows(), 0})};
  loaded.source_names = {};
  tell_sampled(run, edges, rows, all);
}

}  // namespace

void tell_sampled(Run& run, const EdgeList& edges, std::uint64_t rows, std::uint64_t all) {
  const auto left = static_cast<double>(all_sum(run.transport, std::uint64_t{edges.size()}));
  run.summary.whole = {rows, all, left / std::max(1.0, static_cast<double>(all))};
}

void check_not_empty(Run& run, const InputGraph& loaded) {
  const std::uint64_t edges = all_sum(run.transport, std::uint64_t{loaded.edges.size()});
  together(run.transport, [&] {
    if (edges == 0 && loaded.shape.sources == 0 && loaded.shape.targets == 0 &&
        !run.options.allow_empty)
      throw located_error(run.options.input_name(), 0, 0, "neither an edge nor a declared vertex",
                          "a graph, or --allow-empty");
  });
}

loaders::GraphOptions graph_options(const Run& run, const GraphWish& wish) {
  loaders::GraphOptions options;
  options.format = loaders::parse_format(run.options.format);
  options.table = run.options.table;
  options.examples = wish.examples;
  options.index_base = run.options.index_base.value_or(wish.index_base.value_or(1));
  options.threads = run.options.threads;
  options.fallback = wish.fallback;
  options.bipartite = wish.kinds == Kinds::two;
  options.counts = wish.values == Values::counts;
  options.lengths = are_lengths(wish.values);
  options.weights = wish.values == Values::as_stored;
  options.wide = may_be_wide(wish.values) && wish.kinds != Kinds::two;
  return options;
}

InputGraph read_graph(Run& run, const GraphWish& wish) {
  InputGraph loaded;
  const std::string input = run.options.input_name();
  const std::vector<loaders::Declaration>& vertices = run.options.vertices;
  if (run.options.partition_is_folder) {
    loaded = read_stored(run, run.options.partition);
    together(run.transport, [&] {
      const auto check = [&](const auto& values) {
        const auto below = std::find_if(values.begin(), values.end(), [](auto x) { return x < 0; });
        if (are_lengths(wish.values) && below != values.end())
          throw located_error(input, 0, 0, fmt::format("a value of {}", *below), "0 or more");
      };
      check(loaded.edges.value);
      check(loaded.edges.wide_value);
      if (!may_be_wide(wish.values) && wish.values != Values::unused)
        local_narrow(loaded.edges, run.options.partition, are_lengths(wish.values));
    });
  } else if (!run.options.generate.empty()) {
    loaders::Generated generated =
        loaders::generate(run.transport, loaders::parse_spec(run.options.generate),
                          vertices.empty() ? std::nullopt : std::optional(vertices.front().count));
    together(run.transport, [&] {
      if (!generated.graph) throw UsageError(input + " gives points, a graph is needed");
    });
    loaded = {std::move(*generated.graph), std::nullopt};
  } else {
    loaders::GraphOptions options = graph_options(run, wish);
    if (!vertices.empty()) options.sources = vertices.front();
    if (vertices.size() > 1) options.targets = vertices.back();
    loaded = {loaders::load_graph(run.transport, run.options.inputs, options), std::nullopt};
    for (const std::string& note : loaded.notes) run.warn(note);
  }
  check_kinds(run, wish.kinds, loaded.shape.bipartite);
  check_vertices(run, wish, loaded.shape);
  check_not_empty(run, loaded);
  if (wish.values == Values::unused && partition::value_bytes(run.transport, loaded.edges) > 0) {
    run.note("the values of edges (the third column) are not used");
    release(loaded.edges.value);
    release(loaded.edges.wide_value);
  }
  tell_missing(run, loaded);
  if (run.options.sample < 1 && loaded.shape.bipartite) take_rows(run, loaded);
  return loaded;
}

std::vector<std::string> partition_methods() {
  std::vector<std::string> names;
  for (const partition::Method& method : partition::methods()) names.emplace_back(method.name);
  return names;
}

}  // namespace gas::tools
