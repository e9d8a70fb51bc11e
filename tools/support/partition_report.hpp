#pragma once

#include <string>
#include <vector>

#include "partition/quality.hpp"
#include "tools/support/summary.hpp"

namespace gas::tools {

// What gas-partition and gas-evaluate say of a partition.

/// The keys of --summary json that tell it.
std::vector<std::string> partition_keys();

/// Sets them, and what every tool's summary says of its partition.
void report_partition(RunSummary& summary, const std::string& method, Part parts,
                      const partition::Quality& quality);

/// The same as a table for people: a line per number, name and value.
std::string partition_table(const std::string& method, Part parts,
                            const partition::Quality& quality);

}  // namespace gas::tools
