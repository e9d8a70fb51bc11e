#pragma once

#include <string>
#include <vector>

#include "partition/measure/prediction.hpp"
#include "partition/measure/quality.hpp"
#include "tools/support/command/options.hpp"
#include "tools/support/show/summary.hpp"

namespace gas::tools {

// What gas-partition and gas-evaluate say of a partition.

/// --published and --total, and the keys of --summary json that tell of a partition. `widths` must
/// outlive parsing.
void take_partition_report(Options& options, partition::Widths& widths);

/// Sets the keys, and what every tool's summary says of its partition.
void report_partition(RunSummary& summary, const std::string& method, Part parts,
                      const partition::Quality& quality, const partition::Prediction& prediction);

/// UsageError on all ranks for two numbers in --published or --total if there is one kind.
void check_widths(Communicator& comm, const partition::Widths& widths, bool bipartite);

/// The keys with time and memory as a table for people, a line per number: name and value.
std::string partition_table(const RunSummary& summary);

}  // namespace gas::tools
