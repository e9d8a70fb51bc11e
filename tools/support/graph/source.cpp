#include "tools/support/graph/source.hpp"

#include <fmt/format.h>

#include "gas/graph/error.hpp"
#include "tools/support/graph/row_names.hpp"

namespace gas::tools {

Row source_row(Run& run, const loaders::RowIds& ids, const std::string& source) {
  const Row found = row_of(run.transport, ids, source);
  together(run.transport, [&] {
    if (found == no_row)
      throw located_error(run.options.input_name(), 0, 0, fmt::format("no vertex {}", source),
                          "one, the --source");
  });
  return found;
}

}  // namespace gas::tools
