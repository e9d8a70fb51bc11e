#include "loaders/load_graph.hpp"

#include <fmt/format.h>

#include "gas/graph/error.hpp"
#include "loaders/formats/graph_text.hpp"

namespace gas::loaders {

namespace detail {

void check_rows(Team& team, std::uint64_t rows) {
  together(team, [&] {
    if (rows > most_rows)
      throw RunError(fmt::format("{} vertices of one kind, more than {}", rows, most_rows));
  });
}

void restore_order(Team& team, const TextInput& input, const std::vector<Piece>& pieces,
                   EdgeList& edges) {
  if (input.in_rank_order()) return;
  std::uint64_t total = 0;
  const std::vector<Stretch> stretches = in_file_order(team, pieces, total);
  const std::vector<std::uint64_t> bounds = home_bounds(total, team.size());
  const std::size_t width = all_max(team, edges.value_bytes());
  const auto move = [&](auto& values) {
    values = move_to(team, stretches, std::move(values), bounds);
  };
  move(edges.source);
  move(edges.target);
  if (width == sizeof(float)) move(edges.value);
  if (width == sizeof(double)) move(edges.wide_value);
}

}  // namespace detail

LoadedGraph load_graph(Team& team, const std::string& path, const GraphOptions& options) {
  if (holds_points(options.format))
    throw UsageError(fmt::format(
        "the format {} holds no graph; edges, libsvm, docword, mtx, metis and hmetis do",
        format_name(options.format)));
  TextInput input(team, path, options.block_bytes);
  Format format = options.format;
  together(team, [&] {
    if (format == Format::automatic) format = detect_format(path, input.start(), options.fallback);
    if (holds_points(format))
      throw located_error(shown(path), 0, 0,
                          fmt::format("a file of the format {}", format_name(format)),
                          "a graph: edges, libsvm, docword, mtx, metis or hmetis");
    if (options.sources.given && format != Format::edges)
      throw located_error(shown(path), 0, 0,
                          fmt::format("a file of the format {}, which says itself which vertices "
                                      "there are",
                                      format_name(format)),
                          "an edge list, for vertices that are declared");
  });
  const auto read = [&] {
    switch (format) {
      case Format::libsvm:
        return detail::read_libsvm;
      case Format::docword:
        return detail::read_docword;
      case Format::mtx:
        return detail::read_matrix_market;
      case Format::metis:
        return detail::read_metis;
      case Format::hmetis:
        return detail::read_hmetis;
      default:
        return detail::read_edges;
    }
  }();
  LoadedGraph graph = read(team, input, options);
  graph.format = format;
  return graph;
}

}  // namespace gas::loaders
