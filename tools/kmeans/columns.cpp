#include "tools/kmeans/columns.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "gas/base/error.hpp"
#include "loaders/read_small.hpp"
#include "loaders/write.hpp"
#include "tools/support/output/model_folder.hpp"

namespace gas::tools {
namespace {

constexpr const char* file_name = "columns.txt";

}  // namespace

std::vector<std::string> column_names(Run& run, const std::vector<std::string>& of_points) {
  if (run.options.model.empty()) return of_points;
  const ModelFolder model(run.transport, run.options.model, "gas-kmeans");
  if (!model.has(file_name)) return of_points;
  std::vector<std::string> of_model = loaders::read_lines(run.transport, model.file(file_name));
  together(run.transport, [&] {
    if (!of_points.empty() && of_points != of_model)
      throw located_error(run.options.input_name(), 0, 0,
                          fmt::format("the columns {}", fmt::join(of_points, ", ")),
                          fmt::format("{}, as in {} (--columns picks them)",
                                      fmt::join(of_model, ", "), model.file(file_name)));
  });
  return of_model;
}

void write_columns(Run& run, const std::filesystem::path& folder,
                   const std::vector<std::string>& names) {
  if (all_max(run.transport, names.empty() ? 0 : 1) == 0) return;
  std::string lines;
  for (const std::string& name : names) lines += name + "\n";
  loaders::write_text(run.transport, folder / file_name, lines);
}

}  // namespace gas::tools
