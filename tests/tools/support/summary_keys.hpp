#pragma once

#include <string>
#include <vector>

namespace gas_test {

/// The keys of every tool's --summary json, in their order, in front of its own.
inline const std::vector<std::string> common_keys = {"tool",
                                                     "schema",
                                                     "version",
                                                     "input",
                                                     "ranks",
                                                     "threads",
                                                     "staleness",
                                                     "iterations",
                                                     "converged",
                                                     "reproducible",
                                                     "seed",
                                                     "objective",
                                                     "seconds",
                                                     "vertices",
                                                     "edges",
                                                     "sampled_from",
                                                     "missing_ids",
                                                     "bytes_sent",
                                                     "bytes",
                                                     "per_rank",
                                                     "peak_memory_bytes",
                                                     "estimated_memory_bytes",
                                                     "warnings",
                                                     "partition"};

}  // namespace gas_test
