#include "tools/support/ids/write_labels.hpp"

#include <algorithm>
#include <vector>

#include "loaders/write.hpp"
#include "tools/support/ids/row_names.hpp"
#include "tools/support/run/write_rows.hpp"

namespace gas::tools {

void write_labels(Run& run, const std::filesystem::path& folder, const std::string& name,
                  const loaders::RowIds& ids, std::span<const VertexId> labels) {
  const std::vector<std::int64_t> numbers(labels.begin(), labels.end());
  const std::uint64_t shape[] = {ids.rows()};
  loaders::write_npy_blocks<std::int64_t>(run.transport, folder / (name + ".npy"), shape, numbers);
  if (!run.options.text) return;
  const std::vector<VertexId> rows = ids_of_block(run.transport, ids.rows());
  std::vector<VertexId> used(labels.begin(), labels.end());
  std::ranges::sort(used);
  used.erase(std::unique(used.begin(), used.end()), used.end());
  const std::vector<std::string> names = texts_of(run.transport, ids, used);
  write_lines(run.transport, folder / (name + ".tsv"), ids, rows,
              [&](std::size_t i, std::string& line) {
                const auto at = std::ranges::lower_bound(used, labels[i]);
                line += names[static_cast<std::size_t>(at - used.begin())];
              });
}

}  // namespace gas::tools
