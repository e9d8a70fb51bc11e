#include <catch2/catch.hpp>

#include "tests/tools/support/process.hpp"

using gas_test::command;
using gas_test::Finished;
using gas_test::Process;
using gas_test::tool_lines;
using Lines = std::vector<std::string>;

TEST_CASE("what one rank throws in any round ends a tool on all of them", "[contract]") {
  struct Case {
    int ranks;
    std::string staleness, where, round;
  };
  const std::vector<Case> cases = {{2, "0", "--in-report", "4"},     {2, "3", "--in-report", "4"},
                                   {4, "async", "--in-report", "4"}, {4, "0", "--in-report", "1"},
                                   {2, "3", "--in-report", "2"},     {4, "0", "--apply", "4"},
                                   {2, "async", "--apply", "1"}};
  for (const Case& c : cases) {
    INFO(c.ranks << " ranks, staleness " << c.staleness << " " << c.where << " " << c.round);
    Process process(
        command("gas-failing", c.ranks,
                {"in", "--threads", "1", "--staleness", c.staleness, c.where, c.round}));
    const Finished finished = process.wait(10);
    CHECK(finished.code == 1);
    CHECK(finished.out == "");
    CHECK(tool_lines(finished.err) == Lines{c.where == "--apply" ? "gas-failing: a hook fell"
                                                                 : "gas-failing: the report fell"});
  }
}
