// Which vertices there are, and what they are called, in every tool that reads a graph.
#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/tools/npy.hpp"

using namespace gas_test;
using Arguments = std::vector<std::string>;
using Json = nlohmann::ordered_json;

namespace {

Arguments with(Arguments arguments, const Arguments& more) {
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

Finished done(const std::string& tool, int ranks, const Arguments& arguments) {
  Finished finished = run(tool, ranks, arguments);
  CAPTURE(tool, finished.err);
  REQUIRE(finished.code == 0);
  return finished;
}

/// What a file holds, or that it is not there.
std::string found(const std::string& path) {
  return std::filesystem::exists(path) ? read_text(path) : "none";
}

}  // namespace

TEST_CASE("every tool writes ids where they do not count the rows", "[vertices]") {
  const TemporaryFolder folder;
  struct Case {
    std::string name, text, format, ids, parameter_ids;
  };
  const std::vector<Case> plain = {
      {"from 0", "0 1\n1 2\n", "edges", "none", ""},
      {"from 1", "1 2\n2 3\n", "edges", "1\n2\n3\n", ""},
      {"names", "b a\na c\n", "edges", "a\nb\nc\n", ""},
      {"mtx", "%%MatrixMarket matrix coordinate pattern general\n3 3 2\n1 2\n2 3\n", "mtx",
       "1\n2\n3\n", ""},
      {"metis", "3 2\n2\n1 3\n2\n", "metis", "1\n2\n3\n", ""}};
  const std::vector<std::pair<std::string, Arguments>> plain_tools = {
      {"gas-pagerank", {}},
      {"gas-components", {}},
      {"gas-kcore", {}},
      {"gas-partition", {"--parts", "2", "--method", "range"}}};
  for (const Case& each : plain) {
    write_text(folder / "graph", each.text);
    for (const auto& [tool, arguments] : plain_tools) {
      INFO(tool << " of " << each.name);
      const std::string out = folder / (tool + each.name);
      done(tool, 0, with({folder / "graph", "--format", each.format, "-o", out}, arguments));
      CHECK(found(out + "/ids.txt") == each.ids);
    }
  }
  const std::vector<Case> bipartite = {
      {"from 0", "0 0 1\n1 1 2\n", "edges", "none", "none"},
      {"from 1", "1 2 1\n2 1 2\n", "edges", "1\n2\n", "1\n2\n"},
      {"mtx", "%%MatrixMarket matrix coordinate integer general\n2 2 2\n1 2 1\n2 1 2\n", "mtx",
       "1\n2\n", "1\n2\n"},
      {"docword", "2\n2\n2\n1 2 1\n2 1 2\n", "docword", "none", "none"},
      {"libsvm", "+1 2:1\n-1 1:2\n", "libsvm", "none", "none"}};
  for (const Case& each : bipartite) {
    write_text(folder / "graph", each.text);
    write_text(folder / "labels", "1\n0\n");
    const auto check = [&](const std::string& tool, const Arguments& arguments) {
      INFO(tool << " of " << each.name);
      const std::string out = folder / (tool + each.name + " bipartite");
      done(tool, 0, with({folder / "graph", "--format", each.format, "-o", out}, arguments));
      CHECK(found(out + "/ids.txt") == each.ids);
      CHECK(found(out + "/parameter_ids.txt") == each.parameter_ids);
    };
    check("gas-partition",
          with({"--parts", "2", "--method", "range"}, each.format == "edges" || each.format == "mtx"
                                                          ? Arguments{"--bipartite"}
                                                          : Arguments{}));
    if (each.format != "libsvm") check("gas-lda", {"--topics", "2", "--iterations", "2"});
    if (each.format != "docword")
      check("gas-logreg",
            each.format == "libsvm" ? Arguments{} : Arguments{"--labels", folder / "labels"});
  }
}
