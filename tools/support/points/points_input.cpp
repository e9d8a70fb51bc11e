#include "tools/support/points/points_input.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "gas/base/error.hpp"
#include "loaders/generate/generate.hpp"
#include "partition/folder/folder.hpp"
#include "partition/partition.hpp"
#include "tools/support/output/model_folder.hpp"
#include "tools/support/run/room.hpp"
#include "tools/support/sample/row_sample.hpp"

namespace gas::tools {
namespace {

loaders::LoadedPoints load(Run& run) {
  if (run.options.generate.empty()) {
    loaders::LoadedPoints points =
        loaders::load_points(run.transport, run.options.inputs, point_options(run));
    for (const std::string& note : points.notes) run.warn(note);
    return points;
  }
  loaders::Generated generated =
      loaders::generate(run.transport, loaders::parse_spec(run.options.generate));
  if (!generated.points && generated.graph && generated.graph->shape.bipartite)
    return loaders::sparse_points(run.transport, std::move(generated.graph->edges),
                                  generated.graph->shape.sources, generated.graph->shape.targets);
  if (!generated.points)
    throw UsageError(run.options.input_name() + " gives a graph, points are needed (blobs)");
  return std::move(*generated.points);
}

/// Keeps the rows that --sample asks for.
void take_sample(Run& run, loaders::LoadedPoints& loaded) {
  const RowSample sample(loaded.rows, run.options.sample, run.options.input_name());
  const auto all = static_cast<double>(std::max<std::uint64_t>(1, loaded.rows));
  run.summary.whole = {loaded.rows, 0, static_cast<double>(sample.rows()) / all};
  if (loaded.sparse) {
    const std::uint64_t first =
        BlockDistribution{loaded.rows, run.transport.size()}.first(run.transport.rank());
    EdgeList kept;
    for (std::uint64_t i = 0; i + 1 < loaded.offsets.size(); ++i)
      for (std::uint64_t e = loaded.offsets[i];
           sample.keeps(first + i) && e < loaded.offsets[i + 1]; ++e) {
        kept.source.push_back(to_vertex_id(sample.before(first + i)));
        kept.target.push_back(loaded.column[e]);
        kept.value.push_back(loaded.values[e]);
      }
    const loaders::Format format = loaded.format;
    loaded = loaders::sparse_points(run.transport, std::move(kept), sample.rows(), loaded.columns);
    loaded.format = format;
    return;
  }
  const auto keep = [&](auto& values) {
    values = sample.kept(run.transport, values, loaded.columns);
  };
  loaded.wide ? keep(loaded.wide_values) : keep(loaded.values);
  loaded.rows = sample.rows();
}

}  // namespace

loaders::PointOptions point_options(Run& run) {
  std::uint64_t base = run.options.index_base.value_or(1);
  if (!run.options.index_base && !run.options.model.empty()) {
    const ModelFolder model(run.transport, run.options.model, "gas-kmeans");
    if (model.facts().has("index_base")) base = model.facts().count("index_base");
  }
  return {.format = loaders::parse_format(run.options.format),
          .table = run.options.table,
          .threads = run.options.threads,
          .wide = true,
          .sparse = true,
          .index_base = base};
}

loaders::LoadedPoints read_points(Run& run) {
  loaders::LoadedPoints loaded = load(run);
  together(run.transport, [&] {
    const std::string input = run.options.input_name();
    if (loaded.rows == 0 && !run.options.allow_empty)
      throw located_error(input, 0, 0, "no points", "at least one, or --allow-empty");
    if (loaded.rows > 0 && loaded.columns == 0)
      throw located_error(input, 0, 0, fmt::format("{} points of 0 dimensions", loaded.rows),
                          "at least one dimension");
  });
  if (loaded.sparse)
    check_room(run, fmt::format("{} rows of {} columns", loaded.rows, loaded.columns),
               static_cast<double>(loaded.rows) * sizeof(VertexId) +
                   static_cast<double>(loaded.columns) * sizeof(double));
  if (run.options.sample < 1) take_sample(run, loaded);
  return loaded;
}

std::vector<int> cut_points(Run& run, std::uint64_t count) {
  Communicator& comm = run.transport;
  const std::string& wish = run.options.partition;
  const auto ranks = static_cast<Part>(comm.size());
  run.summary.partition_method = wish;
  run.summary.parts = ranks;
  Partition cut;
  if (run.options.partition_is_folder) {
    partition::Stored stored = partition::read_folder(comm, wish);
    together(comm, [&] {
      if (stored.manifest.shape.sources != count)
        throw located_error(
            wish, 0, 0,
            fmt::format("a partition of {} data vertices", stored.manifest.shape.sources),
            fmt::format("one of {} points", count));
    });
    cut = std::move(stored.partition);
    run.summary.partition_method = stored.manifest.method;
    run.summary.parts = cut.parts;
  } else {
    if (wish == "range") return {};
    partition::Options options;
    options.method = wish;
    options.parts = ranks;
    options.seed = run.options.seed;
    cut = partition::make_partition(comm, {}, {.sources = count, .targets = 1, .bipartite = true},
                                    options);
  }
  std::vector<int> rank_of;
  for (const Part part : cut.source_master)
    rank_of.push_back(rank_of_part(part, cut.parts, comm.size()));
  return rank_of;
}

}  // namespace gas::tools
