#pragma once

#include <catch2/catch.hpp>
#include <regex>
#include <string>
#include <vector>

#include "tests/tools/support/process.hpp"

namespace gas_test {

/// The last five lines, without the name of the tool.
inline std::vector<std::string> told(const Finished& finished) {
  CAPTURE(finished.err);
  REQUIRE(finished.code == 0);
  std::vector<std::string> lines = tool_lines(finished.err);
  REQUIRE(lines.size() >= 5);
  lines.erase(lines.begin(), lines.end() - 5);
  for (std::string& line : lines) line = line.substr(line.find(": ") + 2);
  return lines;
}

/// The tool ended with `code` in order, and the last line of its own has `part` in it.
inline void check_refused(const Finished& finished, int code, const std::string& part) {
  CAPTURE(finished.err);
  CHECK(finished.code == code);
  const std::vector<std::string> lines = tool_lines(finished.err);
  REQUIRE_FALSE(lines.empty());
  CHECK_THAT(finished.err, !Catch::Contains("MPI_ABORT"));
  CHECK_THAT(lines.back(), Catch::Contains(part));
}

/// The same, and it said no other line of its own.
inline void check_refused_at_once(const Finished& finished, int code, const std::string& part) {
  check_refused(finished, code, part);
  CHECK(tool_lines(finished.err).size() == 1);
}

/// The numbers in a line of this form.
inline std::vector<double> numbers(const std::string& line, const std::string& form) {
  std::smatch match;
  CAPTURE(line, form);
  REQUIRE(std::regex_match(line, match, std::regex(form)));
  std::vector<double> found;
  for (std::size_t i = 1; i < match.size(); ++i) found.push_back(std::stod(match[i]));
  return found;
}

inline const std::string number = "([0-9.e+-]+)";

}  // namespace gas_test
