#pragma once

#include <cstdint>
#include <string>

#include "partition/measure/prediction.hpp"
#include "partition/partition.hpp"
#include "tools/support/command/options.hpp"

namespace gas::tools {

/// What the command line of gas-partition says beside the common options.
struct PartitionSettings {
  partition::Options cut;
  partition::Widths widths;
  std::uint64_t memory_mib = 0;
  std::string vertex_weights = "degree";  // or none, or a file
  bool weights_given = false;             // by --vertex-weights
  std::string metis_scheme = "better";
  std::string vertex_parts, edge_parts;  // files, or empty
  std::string from;                      // for the method `import`
  bool from_edges = false;
  std::string objective = "total";

  static constexpr const char* import_method = "import";
  bool imports() const { return cut.method == import_method; }
};

void take_partition_settings(Options& options, PartitionSettings& settings);

}  // namespace gas::tools
