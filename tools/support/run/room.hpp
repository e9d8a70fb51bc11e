#pragma once

#include <istream>
#include <string>

#include "tools/support/run/run_tool.hpp"

namespace gas::tools {

/// The least limit in bytes of the memory control groups (version 1 or 2) that `groups` lists, in
/// the form of /proc/self/cgroup, and of the groups above them, which are mounted at `mount`;
/// infinite without one. Local.
double control_group_limit(std::istream& groups, const std::string& mount);

/// Bytes of memory that this process has taken. Local.
double resident_bytes();

/// Bytes that this rank may still take: what the machine has, its share of it and of the limits of
/// its control groups, and its own limit of address space, without what it has taken. Local.
double local_room(int ranks_on_this_host);

/// To be called before memory is taken by the sizes that INPUT declares, not by its length: throws
/// an InputError on all ranks if together they may not take `bytes`, for `found` in INPUT.
/// Collective.
void check_room(Run& run, const std::string& found, double bytes);

}  // namespace gas::tools
