#pragma once

#include <cstdint>
#include <filesystem>
#include <istream>
#include <optional>

namespace gas::tools {

/// How many processes the system has killed because memory ran out: in the control group (version
/// 1 or 2) that `groups`, in the form of /proc/self/cgroup, names below `mount`; where it tells
/// nothing, on the whole machine, by `counters` in the form of /proc/vmstat.
std::uint64_t killed_for_memory(std::istream& groups, const std::filesystem::path& mount,
                                std::istream& counters);
/// The same for this process.
std::uint64_t killed_for_memory();

}  // namespace gas::tools
