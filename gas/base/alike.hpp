#pragma once

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "gas/base/communicator.hpp"

namespace gas {

/// What all ranks must give alike: a name, and the value as a person reads it.
using Alike = std::vector<std::pair<std::string, std::string>>;

/// UsageError on all ranks where one gives another value than rank 0; it names the first such value
/// and the ranks. Also where one gives another name: then ranks are in different calls, and the
/// error says so. Takes one gather. Collective.
void check_alike(Communicator& comm, const Alike& given);

}  // namespace gas
