#pragma once

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/tools/support/process.hpp"

namespace gas_test {

using Arguments = std::vector<std::string>;

inline Arguments with(Arguments arguments, const Arguments& more) {
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

/// What a run with --summary json says, which must be one line.
inline nlohmann::json summary_of(const Finished& finished) {
  INFO(finished.err);
  REQUIRE(finished.code == 0);
  REQUIRE(occurrences(finished.out, "\n") == 1);
  return nlohmann::json::parse(finished.out);
}

}  // namespace gas_test
