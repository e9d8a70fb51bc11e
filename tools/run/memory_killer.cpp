#include "tools/run/memory_killer.hpp"

#include <fstream>
#include <string>

namespace gas::tools {
namespace {

namespace fs = std::filesystem;

std::optional<std::uint64_t> value_of(std::istream& lines, const std::string& name) {
  std::string key;
  std::uint64_t value = 0;
  while (lines >> key >> value)
    if (key == name) return value;
  return std::nullopt;
}

}  // namespace

std::uint64_t killed_for_memory(std::istream& groups, const fs::path& mount,
                                std::istream& counters) {
  for (std::string line; std::getline(groups, line);) {
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string kinds = line.substr(first + 1, second - first - 1);
    const std::string group = line.substr(second + 1);
    fs::path file = mount;
    if (kinds.empty())
      file += group + "/memory.events";
    else if (("," + kinds + ",").find(",memory,") != std::string::npos)
      file += "/memory" + group + "/memory.oom_control";
    else
      continue;
    std::ifstream events(file);
    if (const auto count = value_of(events, "oom_kill")) return *count;
  }
  return value_of(counters, "oom_kill").value_or(0);
}

std::uint64_t killed_for_memory() {
  std::ifstream groups("/proc/self/cgroup"), counters("/proc/vmstat");
  return killed_for_memory(groups, "/sys/fs/cgroup", counters);
}

}  // namespace gas::tools
