// What tools say on standard error, and of their options.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tests/tools/process.hpp"

using namespace gas_test;
using Arguments = std::vector<std::string>;
using Json = nlohmann::ordered_json;

namespace {

/// Runs quietly, with a summary: standard error gets nothing but a warning with this text, and the
/// summary has it.
void check_warning(const std::string& tool, Arguments arguments, const std::string& warning) {
  arguments.insert(arguments.end(), {"--quiet", "--summary", "json"});
  for (const int ranks : {0, 2}) {
    INFO(tool << " on " << ranks);
    const Finished finished = run(tool, ranks, arguments);
    REQUIRE(finished.code == 0);
    const Json warnings = Json::parse(finished.out)["warnings"];
    REQUIRE(warnings.size() == 1);
    CHECK_THAT(warnings[0].get<std::string>(), Catch::Contains(warning));
    CHECK(tool_lines(finished.err) ==
          Arguments{tool + ": warning: " + warnings[0].get<std::string>()});
  }
}

}  // namespace

TEST_CASE("warnings are said with --quiet, too, and the summary lists them", "[messages]") {
  const TemporaryFolder folder;
  const std::string input = folder / "input", other = folder / "other", model = folder / "model";

  write_text(input, "a x 2\nb x 1\na y 3\nb y 1\n");
  write_text(other, "a x 2\nb z 1\n");
  REQUIRE(run("gas-lda", 0, {input, "--topics", "2", "-o", model}).code == 0);
  check_warning("gas-lda", {other, "--model", model, "--apply"},
                "1 word is not in the model and left out");
  REQUIRE(run("gas-als", 0, {input, "--rank", "1", "-o", model, "--force"}).code == 0);
  check_warning("gas-als", {other, "--model", model, "--apply"}, "1 item is not in the model");

  write_text(input, "+1 1:1\n-1 2:1\n+1 1:2\n-1 2:2\n");
  write_text(other, "5 1:1\n7 2:1\n");
  check_warning("gas-logreg", {input, "--test", other},
                other + ": its labels are not the model's, so it is predicted but not scored");

  write_text(input, "1 1\n1 1\n1 1\n");
  check_warning("gas-kmeans", {input, "-k", "2", "--init", "random"},
                "1 of 2 centroids has no points");

  write_text(input, "0 1\n0 2\n");
  write_text(other, "10\n1\n1\n");
  check_warning("gas-partition", {input, "--parts", "2", "--vertex-weights", other},
                "of weight, at most 6 were asked for: one part must have 10");
}

TEST_CASE("a run that is as expected has no warnings", "[messages]") {
  const Finished finished =
      run("gas-pagerank", 0, {"--generate", "uniform:scale=4", "--quiet", "--summary", "json"});
  REQUIRE(finished.code == 0);
  CHECK(finished.err == "");
  CHECK(Json::parse(finished.out)["warnings"] == Json::array());
}
