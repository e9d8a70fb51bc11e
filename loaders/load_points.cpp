#include "loaders/load_points.hpp"

#include <fmt/format.h>

#include "gas/base/error.hpp"
#include "loaders/binary/binary_points.hpp"
#include "loaders/formats/dense.hpp"
#include "loaders/formats/graph_text.hpp"
#include "loaders/formats/open_points.hpp"
#include "loaders/text/foreign.hpp"

namespace gas::loaders {

namespace {

LoadedPoints read_sparse(Communicator& comm, TextInput& input, Format format,
                         const PointOptions& options) {
  const GraphOptions how{.format = format,
                         .index_base = options.index_base,
                         .bipartite = true,
                         .threads = options.threads,
                         .block_bytes = options.block_bytes};
  const auto read = [&] {
    switch (format) {
      case Format::libsvm:
        return detail::read_libsvm;
      case Format::ldac:
        return detail::read_ldac;
      case Format::docword:
        return detail::read_docword;
      default:
        return detail::read_matrix_market;
    }
  }();
  LoadedGraph graph = read(comm, input, how);
  LoadedPoints points =
      sparse_points(comm, std::move(graph.edges), graph.shape.sources, graph.shape.targets);
  points.format = format;
  points.notes = std::move(graph.notes);
  return points;
}

}  // namespace

TextInput detail::open_points(Communicator& comm, std::span<const std::string> paths,
                              const PointOptions& options, Format& format) {
  const auto taken = [options](Format each) {
    return holds_points(each) || (options.sparse && holds_sparse_points(each));
  };
  const char* const kinds = options.sparse
                                ? "dense, npy, idx, fbin, fvecs, libsvm, ldac, docword or mtx"
                                : "dense, npy, idx, fbin or fvecs";
  together(comm, [&] {
    if (options.format != Format::automatic && !taken(options.format))
      throw UsageError(fmt::format("the format {} holds no points, expected {}",
                                   format_name(options.format), kinds));
  });
  format = options.format;
  return {
      comm, paths, options.block_bytes,
      [=, &format, table_given = options.table.given(), given = options.format,
       sparse = options.sparse,
       several = paths.size() > 1](const std::string& path, std::string_view start) {
        const auto found =
            given == Format::automatic ? detect_format(path, start, Format::dense) : given;
        const auto refuse = [&](const std::string& expected) {
          throw located_error(shown(path), 0, 0,
                              fmt::format("a file of the format {}", format_name(found)), expected);
        };
        if (!taken(found)) refuse(fmt::format("points: {}", kinds));
        refuse_foreign_text(path, start);
        if (holds_points(found) && found != Format::dense && start.starts_with("\xef\xbb\xbf"))
          throw located_error(shown(path), 0, 0, "a byte order mark (BOM), as at the start of text",
                              fmt::format("a file of the format {}", format_name(found)));
        if (found != Format::dense && table_given)
          refuse("dense points: --header, --delimiter and --columns are for these only");
        if (((holds_points(found) && found != Format::dense) || declares_sizes(found)) && several)
          refuse(sparse ? "dense, libsvm or ldac: only these can be in several files"
                        : "dense: only this format can be in several files");
        if (format != Format::automatic && given == Format::automatic && found != format)
          refuse(fmt::format("{}, as that of the files before", format_name(format)));
        format = found;
      }};
}

LoadedPoints load_points(Communicator& comm, std::span<const std::string> paths,
                         const PointOptions& options) {
  Format format = options.format;
  TextInput input = detail::open_points(comm, paths, options, format);
  if (const auto array = detail::binary_array(comm, input, format))
    return detail::read_binary_points(comm, input, *array, options);
  if (holds_sparse_points(format)) return read_sparse(comm, input, format, options);
  return detail::read_dense(comm, input, options);
}

}  // namespace gas::loaders
