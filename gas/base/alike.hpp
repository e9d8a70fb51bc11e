#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "gas/base/communicator.hpp"

namespace gas {

/// What all ranks must give alike: a name, and the value as a person reads it.
using Alike = std::vector<std::pair<std::string, std::string>>;

/// The name of a value of an enumeration whose names these are, in order.
template <class Enumeration>
std::string name_of(Enumeration value, std::initializer_list<const char*> names) {
  const auto i = static_cast<std::size_t>(value);
  return i < names.size() ? names.begin()[i] : fmt::format("number {}", i);
}

/// UsageError on all ranks where one gives another value than rank 0; it names the first such value
/// and the ranks. Also where one gives another name: then ranks are in different calls, and the
/// error says so. Takes one gather. Collective.
void check_alike(Communicator& comm, const Alike& given);

}  // namespace gas
