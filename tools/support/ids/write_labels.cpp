#include "tools/support/ids/write_labels.hpp"

#include <algorithm>
#include <vector>

#include "loaders/write.hpp"
#include "tools/support/ids/row_names.hpp"
#include "tools/support/run/write_rows.hpp"
#include "tools/support/show/table.hpp"

namespace gas::tools {

void write_labels(Run& run, const std::filesystem::path& folder, const std::string& name,
                  const loaders::RowIds& ids, const std::vector<std::int64_t>& labels) {
  const std::uint64_t shape[] = {ids.rows()};
  loaders::write_npy_blocks<std::int64_t>(run.transport, folder / (name + ".npy"), shape, labels);
  if (!run.options.text) return;
  const std::vector<VertexId> rows = ids_of_block(run.transport, ids.rows());
  std::vector<VertexId> used;
  for (const std::int64_t label : labels)
    if (label >= 0) used.push_back(static_cast<VertexId>(label));
  std::ranges::sort(used);
  used.erase(std::unique(used.begin(), used.end()), used.end());
  const std::vector<std::string> names = texts_of(run.transport, ids, used);
  write_lines(run.transport, folder / (name + ".tsv"), ids, rows,
              [&](std::size_t i, std::string& line) {
                if (labels[i] < 0) return;
                const auto at = std::ranges::lower_bound(used, static_cast<VertexId>(labels[i]));
                line += as_cell(names[static_cast<std::size_t>(at - used.begin())]);
              });
}

}  // namespace gas::tools
