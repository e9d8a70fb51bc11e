#include "tools/support/ids/source.hpp"

#include <fmt/format.h>

#include "gas/base/error.hpp"
#include "tools/support/ids/row_names.hpp"

namespace gas::tools {

VertexId source_row(Run& run, const loaders::RowIds& ids, const std::string& source) {
  const VertexId found = row_of(run.transport, ids, source);
  together(run.transport, [&] {
    if (found == no_row)
      throw located_error(run.options.input_name(), 0, 0, fmt::format("no vertex {}", source),
                          "one, the --source");
  });
  return found;
}

}  // namespace gas::tools
