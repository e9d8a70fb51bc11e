#include "loaders/load_graph.hpp"

#include <fmt/format.h>
#include <malloc.h>

#include "gas/base/error.hpp"
#include "loaders/formats/graph_text.hpp"
#include "loaders/text/foreign.hpp"

namespace gas::loaders {

namespace detail {

void restore_order(Communicator& comm, const TextInput& input, const std::vector<Piece>& pieces,
                   EdgeList& edges) {
  if (input.in_rank_order()) return;
  std::uint64_t total = 0;
  const std::vector<Stretch> stretches = in_file_order(comm, pieces, total);
  const std::vector<std::uint64_t> bounds = block_bounds(total, comm.size());
  const std::size_t width = all_max(comm, edges.value_bytes());
  const auto move = [&](auto& values) {
    values = move_to(comm, stretches, std::move(values), bounds);
  };
  move(edges.source);
  move(edges.target);
  if (width == sizeof(float)) move(edges.value);
  if (width == sizeof(double)) move(edges.wide_value);
}

}  // namespace detail

LoadedGraph load_graph(Communicator& comm, std::span<const std::string> paths,
                       const GraphOptions& options) {
  constexpr const char* kinds = "edges, libsvm, ldac, vw, csv, docword, mtx, metis or hmetis";
  together(comm, [&] {
    if (holds_points(options.format))
      throw UsageError(fmt::format("the format {} holds no graph, expected {}",
                                   format_name(options.format), kinds));
  });
  Format format = options.format;
  bool first = true;
  TextInput input(
      comm, paths, options.block_bytes, [&](const std::string& path, std::string_view start) {
        const auto found = options.format == Format::automatic
                               ? detect_format(path, start, options.fallback)
                               : options.format;
        if (holds_points(found))
          throw located_error(shown(path), 0, 0,
                              fmt::format("a file of the format {}", format_name(found)),
                              fmt::format("a graph: {}", kinds));
        refuse_foreign_text(path, start);
        if (!first && found != format)
          throw located_error(shown(path), 0, 0,
                              fmt::format("a file of the format {}", format_name(found)),
                              fmt::format("{}, as that of the files before", format_name(format)));
        format = found;
        first = false;
        const auto refuse = [&](const char* expected) {
          throw located_error(shown(path), 0, 0,
                              fmt::format("a file of the format {}", format_name(format)),
                              expected);
        };
        if (options.table.names && format != Format::edges)
          refuse("an edge list: --ids is for edge lists only");
        if (options.table.given() && format != Format::edges && format != Format::csv)
          refuse("an edge list or csv: --header, --delimiter and --columns are for these only");
        if (options.examples.given() && !options.examples.known && format != Format::csv)
          refuse("csv: --label and --categorical are for csv only");
        if (options.sources.given && format != Format::edges)
          throw located_error(
              shown(path), 0, 0,
              fmt::format("a file of the format {}, which determines the vertices itself",
                          format_name(format)),
              "an edge list: --vertices is for edge lists only");
        if (paths.size() > 1 && declares_sizes(format))
          throw located_error(
              shown(path), 0, 0,
              fmt::format("several files, one of the format {}, which declares its sizes",
                          format_name(format)),
              "one file only, or several of the format edges, libsvm, ldac, vw or csv");
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
      case Format::ldac:
        return detail::read_ldac;
      case Format::vw:
        return detail::read_vw;
      case Format::csv:
        return detail::read_csv;
      default:
        return detail::read_edges;
    }
  }();
  LoadedGraph graph = read(comm, input, options);
  graph.format = format;
  ::malloc_trim(0);  // else malloc keeps the blocks of text that were on their way: tens of MB
  return graph;
}

}  // namespace gas::loaders
