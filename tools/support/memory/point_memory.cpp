#include "tools/support/memory/point_memory.hpp"

#include "loaders/generate/spec.hpp"
#include "tools/support/points/points_input.hpp"

namespace gas::tools {

std::optional<loaders::PointSizes> look_at_points(Run& run) {
  if (!run.options.generate.empty()) {
    const loaders::GeneratorSpec spec = loaders::parse_spec(run.options.generate);
    if (spec.name != "blobs") return std::nullopt;
    loaders::PointSizes sizes;
    sizes.rows = spec.real("n");
    sizes.columns = spec.real("d");
    return sizes;
  }
  return look_at_input<loaders::PointSizes>(
      run, [&] { return loaders::point_sizes(run.options.inputs, point_options(run)); });
}

MemoryPlan point_plan(const std::optional<loaders::PointSizes>& known, PointCallBytes call) {
  if (!known) return {};
  return [sizes = *known, call = std::move(call)](const Machine& machine) {
    const double rows = sizes.rows / machine.ranks;
    const double numbers = rows * sizes.columns;
    const double kept = numbers * (sizes.wide ? sizeof(double) : sizeof(float));
    // Read as doubles, and then perhaps narrowed.
    const double read = numbers * sizes.read_bytes;
    const double both = sizes.read_bytes > sizeof(float) && !sizes.wide ? read + kept : read;
    const auto block = static_cast<double>(loaders::TextInput::usual_block);
    const double buffers = sizes.streamed         ? block * (machine.ranks + 3)
                           : sizes.text_bytes > 0 ? machine.threads * block / 8
                                                  : 0;
    return std::vector<Moment>{{"loading", both + buffers}, {"computing", call(rows, machine)}};
  };
}

}  // namespace gas::tools
