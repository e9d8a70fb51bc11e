// gas-lda --split-merge and --turns: mixed topics are told apart, whatever the ranks, and by
// a run in two parts, too.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tests/tools/support/arguments.hpp"

using namespace gas_test;
using Json = nlohmann::json;

namespace {

const std::string tool = "gas-lda";

}  // namespace

TEST_CASE("topics are split and merged, and a run goes on from a checkpoint", "[gas-lda]") {
  const TemporaryFolder folder;
  const Arguments from = {
      "--generate", "lda:documents=600,words=600,topics=12,length=60,alpha=0.05,beta=0.02",
      "--topics",   "12",
      "--summary",  "json",
      "--measures", "--quiet"};
  const Json plain = summary_of(run(tool, 0, with(from, {"--iterations", "40"})));
  CHECK(plain["moves"].is_null());
  const Arguments moving = with(from, {"--split-merge", "20", "--turns", "2"});
  const Json whole =
      summary_of(run(tool, 0, with(moving, {"--iterations", "80", "-o", folder / "whole"})));
  CHECK(whole["moves"].get<int>() > 0);
  CHECK(whole["iterations"] == 80);
  CHECK(whole["joint"].get<double>() > plain["joint"].get<double>());
  // A run in two parts, on other ranks.
  const Arguments saved = with(moving, {"--checkpoint", folder / "saved"});
  summary_of(run(tool, 0, with(saved, {"--iterations", "40", "--checkpoint-every", "10"})));
  const Json rest = summary_of(
      run(tool, 2, with(saved, {"--iterations", "80", "--resume", "-o", folder / "rest"})));
  CHECK(rest["moves"] == whole["moves"]);
  for (const char* file : {"topic_word.npy", "document_counts.npy"})
    CHECK(read_text(folder / "rest/" + file) == read_text(folder / "whole/" + file));
  const Finished other = run(tool, 0,
                             with(from, {"--iterations", "80", "--turns", "2", "--split-merge", "9",
                                         "--checkpoint", folder / "saved", "--resume"}));
  CHECK(other.code != 0);
  CHECK_THAT(other.err, Catch::Contains("split_merge"));
}

TEST_CASE("moves and turns that make no sense are refused", "[gas-lda]") {
  const auto says = [](const Arguments& options, const char* text) {
    const Finished finished =
        run(tool, 0,
            with({"--generate", "lda:documents=20,words=20,topics=2,length=10,alpha=1,beta=1"},
                 options));
    CHECK(finished.code == 2);
    CHECK_THAT(finished.err, Catch::Contains(text));
  };
  says({"--topics", "2,300", "--split-merge", "5"},
       "--split-merge needs at most 256 topics, found 300");
  says({"--topics", "2", "--turns", "0"}, "--turns");
  says({"--topics", "2", "--turns", "9", "--iterations", "8"},
       "--turns: found 9, expected at least 1, and at most the 8 iterations");
  says({"--topics", "2,300", "--turns", "2"}, "--turns needs at most 256 topics");
}
