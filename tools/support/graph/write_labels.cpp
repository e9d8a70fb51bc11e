#include "tools/support/graph/write_labels.hpp"

#include <algorithm>
#include <vector>

#include "loaders/write.hpp"
#include "tools/support/graph/row_names.hpp"
#include "tools/support/run/write_rows.hpp"

namespace gas::tools {

void write_labels(Run& run, const std::filesystem::path& folder, const std::string& name,
                  const loaders::RowIds& ids, std::span<const VertexId> rows,
                  std::span<const std::int64_t> labels) {
  const std::uint64_t shape[] = {ids.rows()};
  loaders::write_npy<std::int64_t>(run.transport, folder / (name + ".npy"), shape, rows, labels);
  if (!run.options.text) return;
  std::vector<VertexId> used;
  for (const std::int64_t label : labels)
    used.push_back(to_vertex_id(static_cast<std::uint64_t>(label)));
  std::ranges::sort(used);
  used.erase(std::unique(used.begin(), used.end()), used.end());
  const std::vector<std::string> names = texts_of(run.transport, ids, used);
  write_lines(
      run.transport, folder / (name + ".tsv"), ids, rows, [&](std::size_t i, std::string& line) {
        const auto at =
            std::ranges::lower_bound(used, to_vertex_id(static_cast<std::uint64_t>(labels[i])));
        line += names[static_cast<std::size_t>(at - used.begin())];
      });
}

}  // namespace gas::tools
