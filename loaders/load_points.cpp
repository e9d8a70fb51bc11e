#include "loaders/load_points.hpp"

#include <fmt/format.h>

#include "gas/base/error.hpp"
#include "loaders/binary/binary_points.hpp"
#include "loaders/formats/dense.hpp"
#include "loaders/text/foreign.hpp"

namespace gas::loaders {

LoadedPoints load_points(Communicator& comm, std::span<const std::string> paths,
                         const PointOptions& options) {
  if (options.format != Format::automatic && !holds_points(options.format))
    throw UsageError(fmt::format("the format {} holds no points; dense, npy and idx do",
                                 format_name(options.format)));
  Format format = options.format;
  TextInput input(
      comm, paths, options.block_bytes, [&](const std::string& path, std::string_view start) {
        const auto found = options.format == Format::automatic
                               ? detect_format(path, start, Format::dense)
                               : options.format;
        const auto refuse = [&](const std::string& expected) {
          throw located_error(shown(path), 0, 0,
                              fmt::format("a file of the format {}", format_name(found)), expected);
        };
        if (!holds_points(found)) refuse("points: dense, npy or idx");
        refuse_foreign_text(path, start);
        if (found != Format::dense && start.starts_with("\xef\xbb\xbf"))
          throw located_error(shown(path), 0, 0, "a byte order mark, as text has it",
                              fmt::format("a file of the format {}", format_name(found)));
        if (found != Format::dense && options.table.given())
          refuse(
              "dense points, which alone take --header, --delimiter and --columns (in a call, "
              "table)");
        if (found != Format::dense && paths.size() > 1) refuse("dense, as several files must be");
        format = found;
      });
  if (format == Format::npy) return detail::read_npy_points(comm, input, options);
  if (format == Format::idx) return detail::read_idx_points(comm, input, options);
  return detail::read_dense(comm, input, options);
}

}  // namespace gas::loaders
