#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gas/base/communicator.hpp"
#include "loaders/text/text_input.hpp"

namespace gas::loaders {

/// A number that a header declares.
struct HeaderField {
  std::string expected;  // what it is, for messages
  std::uint64_t most;
};

struct HeaderNumbers {
  std::vector<std::uint64_t> number;
  std::uint64_t line = 0;  // where they stand
};

/// Reads the first line that is neither empty nor begins with %: one whole number for each of
/// `fields`, of which those from `needed` on may be absent. Collective; InputError for anything
/// else.
HeaderNumbers read_header_line(Communicator& comm, TextInput& input,
                               const std::vector<HeaderField>& fields, std::size_t needed);

/// InputError unless `found` things are what `line` of the file declared; `what` in the plural.
/// Collective.
void check_declared(Communicator& comm, const TextInput& input, std::uint64_t line,
                    std::uint64_t declared, std::uint64_t found, const char* what);

}  // namespace gas::loaders
