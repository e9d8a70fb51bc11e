#pragma once

#include <fmt/format.h>

#include <string>

#include "gas/base/error.hpp"

namespace gas::tools {

/// UsageError on the value of an option.
[[noreturn]] inline void refuse(const std::string& names, const std::string& found,
                                const std::string& expected) {
  throw UsageError(fmt::format("{}: found '{}', expected {}", names, found, expected));
}

}  // namespace gas::tools
