// What gas-lda reads, and refuses: words by position, by id and by name; vocabularies; shares.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tests/tools/support/arguments.hpp"

using namespace gas_test;
using Json = nlohmann::json;

namespace {

const std::string tool = "gas-lda";

void check_kept(const std::string& model) {
  const Json kept = Json::parse(read_text(model + "/manifest.json")).at("model");
  CHECK(kept.at("alpha") == 2);
  CHECK(kept.at("beta") == 0.3);
  CHECK(kept.at("topics") == 3);
  CHECK(kept.at("words") == 12);
  CHECK(kept.at("ids_listed") == true);
}

}  // namespace

TEST_CASE("what gas-lda cannot use is told", "[gas-lda]") {
  const TemporaryFolder folder;
  write_text(folder / "edges", "a b 2\n");
  write_text(folder / "half", "a b 2.5\n");
  write_text(folder / "words", "");
  const auto fails = [&](int code, const Arguments& arguments, const std::string& message) {
    const Finished finished = run(tool, 0, arguments);
    CHECK(finished.code == code);
    CHECK_THAT(finished.err, Catch::Contains(message));
    CHECK(tool_lines(finished.err).size() == 1);
  };
  fails(2, {folder / "edges"}, "--topics is missing");
  fails(2, {folder / "edges", "--topics", "65536"}, "a whole number from 1 to 65535");
  for (const char* wrong : {"0", "3,", ",3", "3,x", "3,,4", "3;4"})
    fails(2, {folder / "edges", "--topics", wrong}, "or several with commas between");
  fails(2, {folder / "edges", "--topics", "3,4,3"}, "numbers that differ");
  fails(2, {folder / "edges", "--topics", "3,4", "--log", folder / "log"},
        "--log needs one number of topics");
  fails(2, {folder / "edges", "--topics", "2", "--heldout", "1.5"}, "a fraction between 0 and 1");
  fails(2, {folder / "edges", "--topics", "2", "--sampler", "gibs"}, "gibbs");
  fails(3, {folder / "half", "--topics", "2"}, "half:1:5: found '2.5', expected");
  // From 2^24 on a float stands for several whole numbers.
  for (const std::string many : {"16777216", "16777217"}) {
    write_text(folder / "many", "a b 2\na c " + many + "\n");
    fails(3, {folder / "many", "--topics", "2"},
          "many:2:5: found '" + many +
              "', expected a number of occurrences, whole and at most 16777215");
  }
  write_text(folder / "docword.many.txt", "4000000000\n2\n1\n1 1 1\n");
  fails(3, {folder / "docword.many.txt", "--topics", "2"},
        "MB of memory on a rank (computing), expected at most");
  fails(3, {folder / "edges", "--topics", "2", "--heldout", folder / "none"}, "none: ");
  fails(2, {folder / "edges", "--topics", "2", "--vocabulary", folder / "words"},
        "the words of INPUT have names: leave --vocabulary out");
  write_text(folder / "docword.two.txt", "1\n2\n2\n1 1 1\n1 2 1\n");
  for (const std::string lines : {"one\n", "word\none\ntwo\n"}) {
    write_text(folder / "words", lines);
    fails(3, {folder / "docword.two.txt", "--topics", "1", "--vocabulary", folder / "words"},
          "lines, expected one for each of 2 words");
  }
  write_text(folder / "ids", "0 1 5\n0 3 2\n1 3 4\n");
  for (const std::string lines : {"", "zero\none\ntwo\nthree\n"}) {
    write_text(folder / "words", lines);
    fails(3, {folder / "ids", "--topics", "2", "--quiet", "--vocabulary", folder / "words"},
          "expected one for each of the 2 words that occur, in the order of their ids");
  }
  write_text(folder / "docword.few.txt", "2\n5\n2\n1 2 5\n2 4 4\n");
  fails(3,
        {folder / "docword.few.txt", "--topics", "2", "--quiet", "--vocabulary", folder / "words"},
        "found 4 lines, expected one for each of 5 words");
  for (const char* share : {"0.01", "0.99"})
    fails(3, {folder / "ids", "--topics", "2", "--quiet", "--heldout", share},
          "give another --heldout");
  write_text(folder / "nothing", "");
  fails(3, {folder / "ids", "--topics", "2", "--quiet", "--heldout", folder / "nothing"},
        "nothing: found no token of a known word, expected some");
  fails(3, {folder / "edges", "--model", folder / "none", "--apply"}, "manifest.json: ");
  const Arguments saved = {
      folder / "edges", "--topics",           "300", "--iterations", "2", "--quiet", "--checkpoint",
      folder / "saved", "--checkpoint-every", "1"};
  CHECK(run(tool, 0, saved).code == 0);
  fails(3, with(saved, {"--resume", "--sampler", "mh"}),
        "found a checkpoint with sampler gibbs by lists, expected mh, as this run has");
  const Arguments few = {folder / "edges", "--iterations",       "2", "--quiet", "--checkpoint",
                         folder / "few",   "--checkpoint-every", "1"};
  CHECK(run(tool, 0, with(few, {"--topics", "3", "-o", folder / "model"})).code == 0);
  fails(3, with(few, {"--model", folder / "model", "--resume"}),
        "found a checkpoint with start none, expected a model (manifest ");
  const Arguments from = {folder / "edges", "--iterations",       "2", "--quiet", "--checkpoint",
                          folder / "from",  "--checkpoint-every", "1"};
  CHECK(run(tool, 0, with(from, {"--model", folder / "model"})).code == 0);
  CHECK(run(tool, 2, with(from, {"--model", folder / "model", "--resume"})).code == 0);
  CHECK(run(tool, 0,
            {folder / "edges", "--iterations", "2", "--quiet", "--topics", "3", "--seed", "5", "-o",
             folder / "other"})
            .code == 0);
  fails(3, with(from, {"--model", folder / "other", "--resume"}),
        "found a checkpoint with start a model (manifest ");
}

TEST_CASE("a vocabulary names the words by position, or those that occur by the order of their ids",
          "[gas-lda]") {
  const TemporaryFolder folder;
  const auto topic = [&](const std::string& input, const std::string& vocabulary) {
    write_text(folder / "words", vocabulary);
    const Finished finished =
        run(tool, 2,
            {folder / input, "--topics", "1", "--iterations", "2", "--quiet", "--vocabulary",
             folder / "words", "--force", "-o", folder / "model"});
    CHECK(finished.err == "");
    return read_text(folder / "model/topics.txt");
  };
  write_text(folder / "ids", "0 1 5\n0 3 2\n1 3 4\n");
  CHECK(topic("ids", "one\nthree\n") == "0\tthree one\n");
  write_text(folder / "counts.ldac",
             "2 1:5 3:2\n1 3:4\n");  // lines beyond the last word do no harm
  CHECK(topic("counts.ldac", "zero\none\ntwo\nthree\nfour\n").starts_with("0\tthree one "));
}

TEST_CASE("a model knows its words and priors, whatever the format", "[gas-lda]") {
  const TemporaryFolder folder;
  std::string entries;
  for (int d = 1; d <= 40; ++d)
    for (int w = 1; w <= 12; ++w)
      if ((d + w) % 2 == 0 || (d * w) % 5 == 0)
        entries += std::to_string(d) + ' ' + std::to_string(w) + ' ' +
                   std::to_string(1 + (d * w) % 3) + '\n';
  const std::string count = std::to_string(occurrences(entries, "\n"));
  write_text(folder / "docword.d", "40\n12\n" + count + "\n" + entries);
  write_text(folder / "d.mtx",
             "%%MatrixMarket matrix coordinate integer general\n40 12 " + count + "\n" + entries);
  write_text(folder / "d.edges", entries);
  const Arguments summary{"--iterations", "30", "--summary", "json", "--quiet"};
  const std::vector<std::string> inputs{folder / "docword.d", folder / "d.mtx", folder / "d.edges"};
  for (const std::string& trained : inputs) {
    const std::string model = folder / "m";
    summary_of(run(tool, 0,
                   with(summary, {trained, "--topics", "3", "--alpha", "2", "--beta", "0.3", "-o",
                                  model, "--force"})));
    const auto objective = [&](const std::string& input, const Arguments& more) {
      return summary_of(
                 run(tool, 0, with(with(summary, {input, "--model", model, "--apply"}), more)))
          .at("objective")
          .get<double>();
    };
    const double wanted = objective(trained, {"--alpha", "2"});
    CHECK(objective(trained, {"--alpha", "0.1"}) != wanted);
    for (const std::string& input : inputs) {
      INFO(trained << " applied to " << input);
      CHECK(objective(input, {}) == Approx(wanted).epsilon(1e-9));
    }
  }
  check_kept(folder / "m");
}

TEST_CASE("words of ldac, docword and mtx are known by position, those of edges by id",
          "[gas-lda]") {
  const TemporaryFolder folder;
  std::string from_one, from_zero, lines;
  for (int d = 0; d < 40; ++d) {
    std::string line;
    for (int w = 0; w < 12; ++w)
      if ((d + w) % 2 == 0 || (d * w) % 5 == 0) {
        const std::string count = std::to_string(1 + (d * w) % 3);
        from_one += std::to_string(d + 1) + ' ' + std::to_string(w + 1) + ' ' + count + '\n';
        from_zero += std::to_string(d) + ' ' + std::to_string(w) + ' ' + count + '\n';
        line += ' ' + std::to_string(w) + ':' + count;
      }
    lines += std::to_string(occurrences(line, ":")) + line + '\n';
  }
  const std::string entries = std::to_string(occurrences(from_one, "\n"));
  write_text(folder / "docword.d", "40\n12\n" + entries + "\n" + from_one);
  write_text(folder / "d.mtx", "%%MatrixMarket matrix coordinate integer general\n40 12 " +
                                   entries + "\n" + from_one);
  write_text(folder / "d.ldac", lines);
  write_text(folder / "one.edges", from_one);
  write_text(folder / "zero.edges", from_zero);
  const Arguments summary{"--summary", "json", "--quiet", "--iterations"};
  using Pair = std::pair<std::string, std::string>;
  for (const auto& [trained, used] :
       {Pair{"docword.d", "d.ldac"}, Pair{"d.ldac", "docword.d"}, Pair{"d.mtx", "d.ldac"},
        Pair{"d.ldac", "d.mtx"}, Pair{"zero.edges", "d.ldac"}, Pair{"d.ldac", "zero.edges"},
        Pair{"one.edges", "docword.d"}, Pair{"docword.d", "one.edges"}}) {
    INFO(trained << ", then " << used);
    const auto check = [&, &from = trained, &other = used](const Arguments& more,
                                                           const std::string& score) {
      const auto of = [&](const std::string& input) {
        return summary_of(run(tool, 0, with(with(summary, more), {folder / input})));
      };
      const Json wanted = of(from), found = of(other);
      CHECK(found.at(score).get<double>() == Approx(wanted.at(score).get<double>()).epsilon(1e-9));
      CHECK(found.at("warnings") == Json::array());
    };
    summary_of(run(
        tool, 0,
        with(summary, {"30", folder / trained, "--topics", "3", "-o", folder / "m", "--force"})));
    check({"30", "--model", folder / "m", "--apply"}, "objective");
    check({"1", "--model", folder / "m"}, "objective");
    const auto heldout = [&](const std::string& file) {
      return summary_of(run(tool, 0,
                            with(summary, {"30", folder / "docword.d", "--topics", "3", "--heldout",
                                           folder / file})))
          .at("heldout");
    };
    if (used == "d.ldac" && trained != "zero.edges") CHECK(heldout(used) == heldout(trained));
  }
  // Words by id all the same: the ids of zero.edges begin below those of docword.
  summary_of(run(
      tool, 0,
      with(summary, {"30", folder / "docword.d", "--topics", "3", "-o", folder / "m", "--force"})));
  const Json shifted = summary_of(run(
      tool, 0, with(summary, {"5", folder / "zero.edges", "--model", folder / "m", "--apply"})));
  CHECK_THAT(shifted.at("warnings").dump(), Catch::Contains("1 word is not in the model"));
}
