// What the documents say can be typed: every command exists and knows the options used.
#include <catch2/catch.hpp>
#include <filesystem>
#include <regex>

#include "tests/tools/support/process.hpp"

namespace {

/// The lines of all ```sh blocks, continued lines joined.
std::vector<std::string> commands_of(const std::string& document) {
  std::vector<std::string> commands;
  bool inside = false, continues = false;
  std::istringstream lines(document);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("```")) {
      inside = !inside && line == "```sh";
      continue;
    }
    if (!inside || line.empty()) continue;
    const std::string text = line.substr(0, line.size() - (line.ends_with("\\") ? 1 : 0));
    if (continues)
      commands.back() += text;
    else
      commands.push_back(text);
    continues = line.ends_with("\\");
  }
  return commands;
}

}  // namespace

TEST_CASE("the commands of the documents are known", "[docs]") {
  const std::regex tool(R"((build/bin/gas-[a-z]+|tools/[a-z]+))");
  const std::regex option(R"( (--?[a-z][a-z-]*))");
  int tried = 0;
  for (const char* document : {"README.md", "docs/formats.md", "docs/reliability.md"})
    for (const std::string& command :
         commands_of(gas_test::read_text(GAS_SOURCE "/" + std::string(document)))) {
      INFO(document << ": " << command);
      std::smatch found;
      if (!std::regex_search(command, found, tool)) continue;
      ++tried;
      const std::string name = found[1];
      if (name.starts_with("tools/")) {
        CHECK(std::filesystem::exists(GAS_SOURCE "/" + name));
        continue;
      }
      const std::string help =
          gas_test::run(name.substr(name.rfind('/') + 1), 0, {"--help-all"}).out;
      const std::string all = found.suffix(), arguments = all.substr(0, all.find(" -- "));
      for (std::sregex_iterator i(arguments.begin(), arguments.end(), option), end; i != end; ++i)
        CHECK(std::regex_search(help, std::regex("[ ,]" + (*i)[1].str() + "[ ,\n]")));
    }
  CHECK(tried >= 4);
}

TEST_CASE("the README shows the vertex program that is run", "[docs]") {
  const std::string program = gas_test::read_text(GAS_SOURCE "/programs/page_rank/program.hpp");
  const std::size_t first = program.find("/// PageRank");
  const std::string shown = program.substr(first, program.find("\n\n}  // namespace gas") - first);
  CHECK_THAT(gas_test::read_text(GAS_SOURCE "/README.md"), Catch::Contains(shown));
}

TEST_CASE("docs/tools.md has what every tool says of its options", "[docs]") {
  const std::string reference = gas_test::read_text(GAS_SOURCE "/docs/tools.md");
  int tools = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(GAS_SOURCE "/tools")) {
    std::string name = entry.path().filename();
    if (!name.starts_with("gas_")) continue;
    name = "gas-" + entry.path().stem().string().substr(4);
    INFO(name << ": tools/reference writes docs/tools.md anew");
    CHECK_THAT(reference, Catch::Contains("\n## " + name + "\n\n```text\n" +
                                          gas_test::run(name, 0, {"--help-all"}).out + "```\n"));
    ++tools;
  }
  CHECK(tools >= 15);
}

TEST_CASE("bash completes options, their values and methods", "[docs]") {
  const auto completed = [](const std::string& words) {
    const std::string script =
        "source <(sed s/@all@/gas-pagerank/ " GAS_SOURCE
        "/tools/support/reference/completion.bash.in); cd /; PATH=" GAS_BIN
        ":$PATH; COMP_WORDS=(gas-pagerank " +
        words + "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _gas_tool; echo \"${COMPREPLY[@]}\"";
    return gas_test::run("/bin/bash", 0, {"-c", script}).out;
  };
  CHECK(completed("--dam") == "--damping\n");
  CHECK(completed("--dangling ''") == "spread ignore\n");
  CHECK(completed("--partition metis-") == "metis-vertex-cut\n");
  CHECK(completed("--partition tm") == "tmp\n");
}
