#include "tools/support/run/room.hpp"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <limits>

#include "gas/base/error.hpp"
#include "gas/base/page_array.hpp"

namespace gas::tools {
namespace {

constexpr double unlimited = std::numeric_limits<double>::infinity();

double number_in(const std::string& file) {
  double number = 0;
  return std::ifstream(file) >> number ? number : unlimited;  // "max" is no number
}

/// Of a group, as "/a/b", and all above it; a container may see its own as the highest. Strings, as
/// libstdc++ 12 frees memory twice where there is none left to put paths together.
double limit_upwards(const std::string& mount, std::string group, const std::string& file) {
  double least = unlimited;
  while (true) {
    least = std::min(least, number_in(mount + "/" + group + "/" + file));
    if (group.empty()) return least;
    const std::size_t last = group.rfind('/');
    group.resize(last == std::string::npos ? 0 : last);
  }
}

/// Bytes of address space and of memory that this process has.
struct Taken {
  double mapped = 0, resident = 0;
};
Taken taken() {
  Taken pages;
  std::ifstream("/proc/self/statm") >> pages.mapped >> pages.resident;
  const auto page = static_cast<double>(sysconf(_SC_PAGE_SIZE));
  return {pages.mapped * page, pages.resident * page};
}

std::string in_gigabytes(double bytes) { return fmt::format("{:.3g} GB", bytes * 1e-9); }

}  // namespace

double control_group_limit(std::istream& groups, const std::string& mount) {
  double least = unlimited;
  for (std::string line; std::getline(groups, line);) {  // number:controllers:group
    const std::size_t controllers = line.find(':') + 1;
    const std::size_t group = line.find(':', controllers) + 1;
    const std::string names =
        fmt::format(",{},", line.substr(controllers, group - controllers - 1));
    const std::string path = line.substr(group);
    if (names == ",,")
      least = std::min({least, limit_upwards(mount, path, "memory.max"),
                        limit_upwards(mount + "/unified", path, "memory.max")});
    else if (names.find(",memory,") != std::string::npos)
      least = std::min(least, limit_upwards(mount + "/memory", path, "memory.limit_in_bytes"));
  }
  return least;
}

double resident_bytes() { return taken().resident; }

double local_room(int ranks_on_this_host) {
  const Taken mine = taken();
  std::ifstream groups("/proc/self/cgroup");
  const double host = std::min(static_cast<double>(machine_memory()),
                               control_group_limit(groups, "/sys/fs/cgroup"));
  double room = host / ranks_on_this_host - mine.resident;
  rlimit address_space{};
  if (getrlimit(RLIMIT_AS, &address_space) == 0 && address_space.rlim_cur != RLIM_INFINITY)
    room = std::min(room, static_cast<double>(address_space.rlim_cur) - mine.mapped);
  return std::max(room, 0.0);
}

void check_room(Run& run, const std::string& found, double bytes) {
  const double room = all_sum(run.transport, local_room(run.ranks_on_this_host));
  together(run.transport, [&] {
    if (bytes > room)
      throw located_error(
          run.summary.input.value_or(""), 0, 0,
          fmt::format("{}, which need {} of memory", found, in_gigabytes(bytes)),
          fmt::format("at most {}, which is what these ranks may still take", in_gigabytes(room)));
  });
}

}  // namespace gas::tools
