#include "loaders/formats/size_line.hpp"

#include <fmt/format.h>

#include <numeric>
#include <optional>

#include "gas/base/error.hpp"
#include "loaders/formats/graph_text.hpp"

namespace gas::loaders::detail {
namespace {

/// The lines, and the edges of all ranks behind them.
class Files {
 public:
  Files(Communicator& comm, std::span<const FirstPair> lines, std::vector<std::uint64_t> edges,
        const std::function<IdBounds(std::size_t)>& bounds)
      : comm_(comm), lines_(lines), edges_(std::move(edges)), local_bounds_(bounds) {
    for (std::uint64_t& count : edges_) count = all_sum(comm_, count);
    bounds_.resize(lines.size());
  }

  /// Whether the ids are below so many, or from 1 to it.
  static bool bounded(std::uint64_t vertices, const IdBounds& ids) {
    return vertices <= max_vertices && ids.largest < vertices + (ids.least >= 1 ? 1 : 0);
  }

  /// Whether m is the number of edges in this file, and n bounds their ids.
  bool fits_alone(std::size_t file) {
    const FirstPair& line = lines_[file];
    return line.line > 0 && line.edges == edges_[file] && edges_[file] > 0 &&
           bounded(line.vertices, ids_of(file));
  }
  /// The same where the lines of all other files are edges; of the first file with an edge only.
  bool fits_all(std::size_t file) {
    if (std::any_of(edges_.begin(), edges_.begin() + static_cast<std::ptrdiff_t>(file),
                    [](std::uint64_t count) { return count > 0; }))
      return false;
    std::uint64_t edges = std::accumulate(edges_.begin(), edges_.end(), std::uint64_t{0});
    for (std::size_t other = 0; other < lines_.size(); ++other) {
      if (other == file || lines_[other].line == 0) continue;
      if (lines_[other].width != 2) return false;
      ++edges;
    }
    return lines_[file].edges == edges && edges > 0 &&
           bounded(lines_[file].vertices, ids_beside({&file, 1}));
  }
  /// Of all edges, where the lines of these files are none.
  IdBounds ids_beside(std::span<const std::size_t> sizes) {
    IdBounds all;
    for (std::size_t file = 0; file < lines_.size(); ++file) {
      const IdBounds& ids = ids_of(file);
      all.add(ids.least, ids.largest);
      if (lines_[file].line == 0 || std::ranges::find(sizes, file) != sizes.end()) continue;
      all.add(lines_[file].vertices);
      all.add(lines_[file].edges);
    }
    return all;
  }
  std::uint64_t edges(std::size_t file) const { return edges_[file]; }
  std::size_t with_edges() const {
    return edges_.size() - static_cast<std::size_t>(std::ranges::count(edges_, 0U));
  }

 private:
  const IdBounds& ids_of(std::size_t file) {
    if (!bounds_[file]) {
      const IdBounds mine = local_bounds_(file);
      bounds_[file] = {all_min(comm_, mine.least), all_max(comm_, mine.largest)};
    }
    return *bounds_[file];
  }

  Communicator& comm_;
  std::span<const FirstPair> lines_;
  std::vector<std::uint64_t> edges_;  // by file
  const std::function<IdBounds(std::size_t)>& local_bounds_;
  std::vector<std::optional<IdBounds>> bounds_;
};

std::string told(const FirstPair& line, const char* what) {
  return fmt::format("{}:{}: '{} {}' {}", line.file, line.line, line.vertices, line.edges, what);
}

[[noreturn]] void refuse(const FirstPair& line, const std::string& expected) {
  throw located_error(line.file, line.line, 1, fmt::format("'{} {}'", line.vertices, line.edges),
                      expected);
}

}  // namespace

SizeLines find_size_lines(Communicator& comm, std::span<const FirstPair> lines,
                          std::vector<std::uint64_t> edges,
                          const std::function<IdBounds(std::size_t file)>& bounds, bool excerpt) {
  SizeLines found;
  std::vector<std::size_t> sizes;
  const auto with_line =
      std::ranges::find_if(lines, [](const FirstPair& line) { return line.line > 0; });
  if (with_line == lines.end()) return found;
  Files files(comm, lines, std::move(edges), bounds);
  const auto first = static_cast<std::size_t>(with_line - lines.begin());
  if (files.fits_all(first)) {
    sizes.push_back(first);
  } else {
    for (std::size_t file = 0; file < lines.size(); ++file)
      if (files.fits_alone(file)) sizes.push_back(file);
    if (sizes.size() < files.with_edges()) {
      for (const std::size_t file : sizes)
        found.notes.push_back(
            told(lines[file],
                 "is read as an edge; it looks like numbers of vertices and edges, but "
                 "not all files have such a line"));
      sizes.clear();
    }
  }
  for (std::size_t file = 0; file < lines.size(); ++file) {
    if (lines[file].line == 0) continue;
    if (std::ranges::find(sizes, file) != sizes.end()) {
      found.ids.count = std::max(found.ids.count, lines[file].vertices);
      found.notes.push_back(
          told(lines[file],
               "is read as the numbers of vertices and edges; if it is an edge, give --header no"));
      continue;
    }
    if (excerpt && (!lines[file].alike || lines[file].width != 2)) continue;
    together(comm, [&] {
      if (!lines[file].alike)
        refuse(lines[file],
               fmt::format("fields that are separated as in the next line, or the numbers of "
                           "vertices and of the {} edges that follow",
                           files.edges(file)));
      if (lines[file].width != 2)
        refuse(lines[file], fmt::format("{} columns, as in the next line, or the numbers of "
                                        "vertices and of the {} edges that follow",
                                        lines[file].width, files.edges(file)));
    });
    found.edges.push_back(file);
  }
  if (sizes.empty()) return found;
  const IdBounds ids = files.ids_beside(sizes);
  found.ids.first = ids.least >= 1 ? 1 : 0;
  together(comm, [&] {
    if (!Files::bounded(found.ids.count, ids))
      refuse(lines[sizes.front()],
             "ids that count from 0 in all files, or from 1 in all (if this line is an edge, give "
             "--header no)");
  });
  return found;
}

}  // namespace gas::loaders::detail
