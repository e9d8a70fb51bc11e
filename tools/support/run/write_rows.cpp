#include "tools/support/run/write_rows.hpp"

#include <algorithm>
#include <optional>
#include <ranges>
#include <string_view>
#include <utility>

#include "tools/support/show/table.hpp"

namespace gas::tools {
namespace {

/// Texts of all ranks on rank 0, in their order. Collective.
loaders::Names gather_texts(Communicator& comm, const loaders::Names& mine) {
  std::vector<Bytes> out(static_cast<std::size_t>(comm.size()));
  mine.append_to(out[0], 0, mine.size());
  loaders::Names all;
  for (const Bytes& from : comm.exchange(std::move(out))) all.add(from);
  return all;
}

}  // namespace

void write_lines(Communicator& comm, const std::filesystem::path& path, const loaders::RowIds& ids,
                 std::span<const VertexId> rows,
                 const std::function<void(std::size_t i, std::string& line)>& append) {
  constexpr std::uint64_t piece_bytes = std::uint64_t{1} << 21U;
  const std::vector<std::size_t> order = loaders::in_row_order(rows);
  std::string line;
  if (!order.empty()) append(order[0], line);
  const std::uint64_t longest = all_max(comm, std::uint64_t{line.size()});
  constexpr std::uint64_t beside = 64;  // bytes that a row takes besides, its name included
  const std::uint64_t at_once = std::max<std::uint64_t>(1, piece_bytes / (longest + beside));
  std::optional<loaders::OutputFile> file;
  together(comm, [&] {
    if (comm.rank() == 0) file.emplace(path);
  });
  const BlockDistribution blocks{ids.rows(), comm.size()};
  const std::uint64_t first_id = blocks.first(comm.rank()), end_id = blocks.first(comm.rank() + 1);
  std::size_t next = 0;
  for (std::uint64_t first = 0; first < ids.rows(); first += at_once) {
    const std::uint64_t end = std::min(first + at_once, ids.rows());
    std::vector<VertexId> given;
    loaders::Names names, cells;
    for (; next < order.size() && rows[order[next]] < end; ++next) {
      line.clear();
      append(order[next], line);
      given.push_back(rows[order[next]]);
      cells.push_back(line);
    }
    for (std::uint64_t id = std::max(first, first_id); id < std::min(end, end_id); ++id)
      names.push_back(as_cell(ids.local_text(comm, id - first_id)));
    const auto given_by_rank = gather(comm, std::span<const VertexId>(given));
    const loaders::Names all_names = gather_texts(comm, names);  // in the order of their rows
    const loaders::Names all_cells = gather_texts(comm, cells);
    together(comm, [&] {
      if (!file) return;
      std::vector<std::string_view> of_row(end - first);
      std::size_t i = 0;
      for (const VertexId row : given_by_rank | std::views::join)
        of_row[row - first] = all_cells[i++];
      std::string piece;
      for (i = 0; i < of_row.size(); ++i)
        piece.append(all_names[i]).append("\t").append(of_row[i]).append("\n");
      file->write(piece);
    });
  }
  together(comm, [&] {
    if (file) file->finish();
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
