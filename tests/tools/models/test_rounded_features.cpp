// Features are kept as 32-bit floats: a column that these blur is named.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tests/tools/support/process.hpp"

using namespace gas_test;
using Json = nlohmann::json;

namespace {

/// The warnings of a run on `text`, which --quiet does not hold back.
Json warnings(const std::string& tool, int ranks, const std::string& name, const std::string& text,
              const std::vector<std::string>& more = {}) {
  const TemporaryFolder folder;
  write_text(folder / name, text);
  std::vector<std::string> arguments{folder / name, "--iterations", "2",
                                     "--quiet",     "--summary",    "json"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  const Finished finished = run(tool, ranks, arguments);
  INFO(finished.err);
  REQUIRE(finished.code == 0);
  const Json found = Json::parse(finished.out).at("warnings");
  for (const Json& warning : found)
    CHECK_THAT(finished.err, Catch::Contains(warning.get<std::string>()));
  return found;
}

/// 61 examples with the values that value(i) gives as the third of three columns.
template <class Value>
std::string libsvm(Value value) {
  std::string text;
  for (int i = 0; i <= 60; ++i)
    text += std::to_string(i % 2) + " 1:" + std::to_string(i % 7) + " 2:0.1 " + value(i) + "\n";
  return text;
}

}  // namespace

TEST_CASE("a column that 32-bit floats blur is named", "[gas-logreg]") {
  const std::string seconds = libsvm([](int i) { return "3:" + std::to_string(1700000000 + i); });
  for (const char* tool : {"gas-logreg", "gas-lasso"})
    for (const int ranks : {0, 2}) {
      const Json found = warnings(tool, ranks, "seconds.svm", seconds);
      REQUIRE(found.size() == 1);
      // 1.7e9 is a multiple of 128, the step of floats there: 60 more are lost whole.
      CHECK_THAT(found[0].get<std::string>(),
                 Catch::StartsWith("column 3 of ") &&
                     Catch::EndsWith(
                         "seconds.svm: its values, from 1700000000 to 1700000060, change "
                         "by up to 60 when rounded to 32-bit floats: subtract an offset first"));
    }
  // Degrees with many digits, spread over a thousandth.
  const auto degrees = [](int i) { return "3:52.5" + std::to_string(1630100 + 17 * i) + "e0"; };
  CHECK(warnings("gas-logreg", 0, "degrees.svm", libsvm(degrees)).size() == 1);
  CHECK(warnings("gas-logreg", 0, "zero.svm", libsvm(degrees), {"--index-base", "0"})
            .dump()
            .starts_with("[\"column 3 of "));
}

TEST_CASE("columns of tables and of VW are named as there", "[gas-logreg]") {
  std::string table = "y,when,what\n", lines;
  for (int i = 0; i <= 60; ++i) {
    const std::string second = std::to_string(1700000000 + i), label = i % 2 == 0 ? "1" : "-1";
    table += label + "," + second + ",0.1\n";
    lines += label + " |t when:" + second + " what:0.1\n";
  }
  for (const int ranks : {0, 2}) {
    CHECK(warnings("gas-logreg", ranks, "t.csv", table, {"--label", "y"})
              .dump()
              .starts_with("[\"column when of "));
    CHECK(warnings("gas-logreg", ranks, "t.vw", lines).dump().starts_with("[\"column t^when of "));
  }
}

TEST_CASE("columns that floats tell apart are not named", "[gas-logreg]") {
  const auto none = [](const std::string& text) {
    return warnings("gas-logreg", 2, "fine.svm", text) == Json::array();
  };
  CHECK(none(libsvm([](int i) { return "3:" + std::to_string(i) + ".1"; })));
  CHECK(none(libsvm([](int i) { return "3:" + std::to_string(10000000 + i); })));  // exact
  CHECK(none(libsvm([](int) { return "3:1700000001"; })));                         // constant
  CHECK(none(libsvm([](int i) { return "3:" + std::to_string(1700000000 + 128 * i); })));
  // Where most rows leave it out, 0 is one of its values.
  CHECK(none(libsvm([](int i) { return i < 20 ? "3:0.3162277" + std::to_string(60 + i) : ""; })));
}
