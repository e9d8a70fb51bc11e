#include "tools/support/graph_input.hpp"

#include <optional>
#include <utility>

#include "loaders/write.hpp"
#include "partition/partition.hpp"
#include "partition/quality.hpp"

namespace gas::tools {

loaders::LoadedGraph read_graph(Run& run, const GraphWish& wish) {
  loaders::GraphOptions options;
  options.format = loaders::parse_format(run.options.format);
  options.fallback = wish.fallback;
  options.bipartite = wish.bipartite;
  options.columns = wish.columns;
  loaders::LoadedGraph loaded = loaders::load_graph(run.transport, run.options.input, options);
  if (wish.bipartite && !loaded.shape.bipartite)
    throw InputError(run.options.input + ": not a graph of two kinds of vertices");
  return loaded;
}

CutGraph cut_graph(Run& run, loaders::LoadedGraph loaded, const GraphWish& wish) {
  Team& team = run.transport;
  run.enter(Phase::partition);
  if (run.options.undirected) add_reverse_arcs(loaded.edges);
  partition::Options options;
  options.method = run.options.partition;
  options.parts = static_cast<Part>(team.size());
  options.seed = run.options.seed;
  Partition cut = partition::make_partition(team, loaded.edges, loaded.shape, options);
  const partition::Quality quality = partition::quality(team, loaded.edges, loaded.shape, cut);
  run.summary.partition_method = options.method;
  run.summary.parts = options.parts;
  run.summary.replication_factor = quality.replication_factor.all;

  CutGraph result;
  result.shape = loaded.shape;
  result.source_ids = std::move(loaded.source_ids);
  result.target_ids = std::move(loaded.target_ids);
  result.labels = std::move(loaded.labels);
  result.graph = std::make_shared<const LocalGraph>(
      build_graph(team, loaded.shape, std::move(loaded.edges), std::move(cut), wish.repeats));
  run.summary.data_vertices = loaded.shape.sources;
  run.summary.parameter_vertices = loaded.shape.bipartite ? loaded.shape.targets : 0;
  run.summary.edges = result.graph->edge_count;
  return result;
}

std::vector<double> to_masters(Team& team, const VertexLayout& layout,
                               const std::vector<double>& home_values) {
  const HomeRange home{layout.count, team.size()};
  std::vector<std::vector<Row>> asked(static_cast<std::size_t>(team.size()));
  for (LocalId v = 0; v < layout.masters(); ++v)
    asked[static_cast<std::size_t>(home.home(layout.rows[v]))].push_back(layout.rows[v]);
  std::vector<std::vector<double>> answers(asked.size());
  const auto questions = all_to_all(team, asked);
  for (std::size_t from = 0; from < questions.size(); ++from)
    for (const Row row : questions[from])
      answers[from].push_back(home_values[row - home.first(team.rank())]);
  const auto told = all_to_all(team, answers);
  std::vector<std::size_t> next(told.size(), 0);
  std::vector<double> values(layout.masters());
  for (LocalId v = 0; v < layout.masters(); ++v) {
    const auto from = static_cast<std::size_t>(home.home(layout.rows[v]));
    values[v] = told[from][next[from]++];
  }
  return values;
}

std::vector<std::string> partition_methods() {
  std::vector<std::string> names;
  for (const partition::Method& method : partition::methods()) names.emplace_back(method.name);
  return names;
}

void write_ids(Team& team, const std::filesystem::path& path, const loaders::RowIds& ids,
               std::uint64_t first) {
  if (ids.trivial(first)) return;
  std::optional<loaders::OutputFile> file;
  together(team, [&] {
    if (team.rank() == 0) file.emplace(path);
  });
  ids.for_each(team, [&](std::string_view id) {
    file->write(id);
    file->write("\n");
  });
  together(team, [&] {
    if (file) file->finish();
  });
}

}  // namespace gas::tools
