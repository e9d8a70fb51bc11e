#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "loaders/ids/row_ids.hpp"
#include "tools/support/report/section.hpp"
#include "tools/support/run/run_tool.hpp"

namespace gas::tools {

/// What a report says of numbers that vertices have, or groups that are named after a vertex each.
struct VertexReport {
  std::string title;  // of the section
  std::string of;     // what has the numbers, in the plural
  std::string what;   // the numbers
};

/// Those with the largest numbers, by name, and how the numbers are spread. `values`: of this
/// rank's BlockDistribution of the ids; what is not finite is left out. Whole on rank 0.
/// Collective.
report::Section vertex_section(Run& run, const VertexReport& words, const loaders::RowIds& ids,
                               const std::vector<double>& values);

/// The same of other numbers, of which counts(value) says which count.
template <class T, class Counts>
report::Section vertex_section(Run& run, const VertexReport& words, const loaders::RowIds& ids,
                               const std::vector<T>& values, Counts counts) {
  std::vector<double> numbers;
  numbers.reserve(values.size());
  for (const T value : values)
    numbers.push_back(counts(value) ? static_cast<double>(value)
                                    : std::numeric_limits<double>::quiet_NaN());
  return vertex_section(run, words, ids, numbers);
}

/// The same of the sizes of groups, from each vertex's group, which is named after a vertex.
report::Section group_section(Run& run, const VertexReport& words, const loaders::RowIds& ids,
                              std::vector<VertexId> groups);

}  // namespace gas::tools
