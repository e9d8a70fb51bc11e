#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "gas/graph/edge_list.hpp"
#include "partition/measure/prediction.hpp"
#include "partition/measure/quality.hpp"
#include "tools/support/report/section.hpp"
#include "tools/support/run/run_tool.hpp"

namespace gas::tools {

/// What a report says of the parts of a partition: what is on each, and who sends whom how much.
class PartsReport {
 public:
  /// Looks at them if --report is given. Collective.
  PartsReport(Run& run, const EdgeList& edges, const GraphShape& shape, const Partition& cut,
              const partition::Measured& quality, const partition::Widths& widths);

  std::vector<report::Section> sections() const;

 private:
  report::Section matrix_section() const;

  Part parts_;
  partition::Measured quality_;
  std::vector<std::uint64_t> bytes_;  // by pair of parts; empty where they are too many
};

}  // namespace gas::tools
