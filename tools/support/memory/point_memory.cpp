#include "tools/support/memory/point_memory.hpp"

#include "loaders/generate/generate.hpp"
#include "tools/support/memory/graph_memory.hpp"
#include "tools/support/points/points_input.hpp"

namespace gas::tools {

std::optional<loaders::PointSizes> look_at_points(Run& run) {
  if (!run.options.generate.empty()) {
    const loaders::GeneratorSpec spec = loaders::parse_spec(run.options.generate);
    if (spec.name != "blobs") {
      const auto graph = look_at_graph(run, {.kinds = Kinds::two});
      if (!graph || !graph->sizes.bipartite) return std::nullopt;
      return loaders::sparse_sizes(graph->sizes);
    }
    loaders::PointSizes sizes;
    sizes.rows = spec.real("n");
    sizes.columns = spec.real("d");
    return sizes;
  }
  return look_at_input<loaders::PointSizes>(run, [&, how = point_options(run)] {
    return loaders::point_sizes(run.options.inputs, how, run.options.dry_run);
  });
}

MemoryPlan point_plan(const Run& run, const std::optional<loaders::PointSizes>& known,
                      PointCallBytes call) {
  if (!known) return {};
  std::optional<loaders::GeneratorSpec> spec;
  if (!run.options.generate.empty()) spec = loaders::parse_spec(run.options.generate);
  return [sizes = *known, spec, call = std::move(call)](const Machine& machine) {
    const double rows = sizes.rows / machine.ranks;
    if (sizes.sparse) {
      GraphSource source;
      source.sizes = *sizes.sparse;
      if (spec) {
        source.from = GraphSource::From::generator;
        source.spec = *spec;
      }
      const double entries = sizes.sparse->edges / machine.ranks;
      const double list = list_bytes(source, machine);
      const double compressed = entries * (sizeof(VertexId) + sizeof(float));
      // On several ranks one list after the other travels; a file by columns is sorted by rows.
      const double travelling = machine.ranks > 1 ? entries * sizeof(VertexId) * 2 : 0;
      const double sorting = sizes.sparse->by_owner ? 0 : compressed;
      return std::vector<Moment>{
          loading_moment(source, machine),
          {"sorting", list + 2 * rows * sizeof(std::uint64_t) + std::max(travelling, sorting)},
          {"computing", call(rows, machine)}};
    }
    const double numbers = rows * sizes.columns;
    const double kept = numbers * (sizes.wide ? sizeof(double) : sizeof(float));
    // Read as doubles, and then perhaps narrowed.
    const double read = numbers * sizes.read_bytes;
    const double both = sizes.read_bytes > sizeof(float) && !sizes.wide ? read + kept : read;
    const auto block = static_cast<double>(loaders::TextInput::usual_block);
    const double buffers = sizes.streamed         ? block * (machine.ranks + 3)
                           : sizes.text_bytes > 0 ? machine.threads * block / 8
                                                  : 0;
    const double planted = spec ? loaders::planted_bytes(*spec, machine.ranks).generating : 0;
    return std::vector<Moment>{{"loading", both + buffers + planted},
                               {"computing", call(rows, machine)}};
  };
}

}  // namespace gas::tools
