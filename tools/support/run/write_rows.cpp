#include "tools/support/run/write_rows.hpp"

#include <utility>

#include "tools/support/show/table.hpp"

namespace gas::tools {

void write_lines(Communicator& comm, const std::filesystem::path& path, const loaders::RowIds& ids,
                 std::span<const VertexId> rows,
                 const std::function<void(std::size_t i, std::string& line)>& append) {
  constexpr std::size_t piece_bytes = std::size_t{1} << 20U;
  const BlockDistribution blocks{ids.rows(), comm.size()};
  const std::uint64_t first = blocks.first(comm.rank());
  std::vector<std::vector<VertexId>> names(static_cast<std::size_t>(comm.size()));
  std::vector<std::vector<char>> cells(names.size());
  std::string line;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto to = static_cast<std::size_t>(blocks.owner(rows[i]));
    line.clear();
    append(i, line);
    names[to].push_back(rows[i]);
    cells[to].insert(cells[to].end(), line.c_str(), line.c_str() + line.size() + 1);
  }
  const auto in_names = all_to_all(comm, std::move(names));
  const auto in_cells = all_to_all(comm, std::move(cells));
  std::vector<const char*> of_row(blocks.count(comm.rank()), "");
  for (std::size_t from = 0; from < in_names.size(); ++from) {
    const char* at = in_cells[from].data();
    for (const VertexId row : in_names[from]) {
      of_row[row - first] = at;
      at += std::char_traits<char>::length(at) + 1;
    }
  }
  std::size_t next = 0;
  loaders::write_text_by_rank(comm, path, [&] {
    std::string piece;
    for (; next < of_row.size() && piece.size() < piece_bytes; ++next)
      piece.append(as_cell(ids.local_text(comm, next)))
          .append("\t")
          .append(of_row[next])
          .append("\n");
    return piece;
  });
}

void write_whole(Run& run, const std::filesystem::path& folder, const std::string& name,
                 std::uint64_t width, std::span<const double> values, bool wide) {
  if (values.empty()) {
    const std::uint64_t shape[] = {0, width};
    return loaders::write_npy<float>(run.transport, folder / (name + ".npy"), shape, {},
                                     std::span<const float>());
  }
  const loaders::RowIds ids(values.size() / width, 0);
  const std::vector<VertexId> rows = ids_of_block(run.transport, ids.rows());
  const auto mine =
      values.subspan(rows.empty() ? 0 : rows[0] * width, rows.size() * std::size_t{width});
  if (wide) return write_rows<double>(run, folder, name, ids, width, rows, mine);
  const std::vector<float> narrow(mine.begin(), mine.end());
  write_rows<float>(run, folder, name, ids, width, rows, narrow);
}

}  // namespace gas::tools
