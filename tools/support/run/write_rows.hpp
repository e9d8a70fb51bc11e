#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <iterator>
#include <span>
#include <string>
#include <vector>

#include "loaders/ids/row_ids.hpp"
#include "loaders/write.hpp"
#include "tools/support/run/run_tool.hpp"

namespace gas::tools {

/// Writes a line `id<TAB>cells` per row, in row order: `append(i, line)` adds the cells of rows[i].
/// Each rank gives some rows, in any order; all ranks together give every row once. It is called
/// twice for one of them. Rank 0 puts the text together in pieces of a few MiB. Collective.
void write_lines(Communicator& comm, const std::filesystem::path& path, const loaders::RowIds& ids,
                 std::span<const VertexId> rows,
                 const std::function<void(std::size_t i, std::string& line)>& append);

/// Writes FOLDER/NAME.npy, with `width` values per row (0: one, and the array has one dimension),
/// and with --text FOLDER/NAME.tsv: the id and the values of a row, tabs between them, in the
/// fewest digits that give the same number again. Rows as in write_lines; fill(i, out) writes the
/// values of rows[i] into zeros. Collective.
template <class T>
void write_rows(Run& run, const std::filesystem::path& folder, const std::string& name,
                const loaders::RowIds& ids, std::uint64_t width, std::span<const VertexId> rows,
                const loaders::FillRow<T>& fill) {
  std::vector<std::uint64_t> shape{ids.rows()};
  if (width > 0) shape.push_back(width);
  loaders::write_npy<T>(run.transport, folder / (name + ".npy"), shape, rows, fill);
  if (!run.options.text) return;
  std::vector<T> values(width > 0 ? width : 1);
  write_lines(run.transport, folder / (name + ".tsv"), ids, rows,
              [&](std::size_t i, std::string& line) {
                std::ranges::fill(values, T{0});
                fill(i, values);
                for (const T value : values) {
                  if (!line.empty()) line += '\t';
                  fmt::format_to(std::back_inserter(line), "{}", value);
                }
              });
}

/// The same of values in memory, side by side.
template <class T>
void write_rows(Run& run, const std::filesystem::path& folder, const std::string& name,
                const loaders::RowIds& ids, std::uint64_t width, std::span<const VertexId> rows,
                std::span<const T> values) {
  const std::size_t each = width > 0 ? width : 1;
  write_rows<T>(run, folder, name, ids, width, rows, [&](std::size_t i, std::span<T> out) {
    std::ranges::copy(values.subspan(i * each, each), out.begin());
  });
}

/// The same where each rank gives the values of its BlockDistribution, one per row.
template <class T>
void write_blocks(Run& run, const std::filesystem::path& folder, const std::string& name,
                  const loaders::RowIds& ids, const std::vector<T>& values) {
  const std::vector<VertexId> rows = ids_of_block(run.transport, ids.rows());
  write_rows<T>(run, folder, name, ids, 0, rows, values);
}

/// The same of rows of `width` values that all ranks have whole, as f8 if `wide`, else as f4; of no
/// rows the npy file alone. Collective.
void write_whole(Run& run, const std::filesystem::path& folder, const std::string& name,
                 std::uint64_t width, std::span<const double> values, bool wide);

}  // namespace gas::tools
