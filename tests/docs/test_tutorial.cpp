// What the tutorial shows is what is compiled and run.
#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <regex>
#include <sstream>

#include "tests/tools/support/process.hpp"

namespace {

const std::string docs = GAS_SOURCE "/docs/";

/// The blocks of a language in a document.
std::vector<std::string> blocks_of(const std::string& document, const std::string& language) {
  std::vector<std::string> blocks;
  bool inside = false;
  std::istringstream lines(document);
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with("```")) {
      inside = !inside && line == "```" + language;
      if (inside) blocks.emplace_back();
    } else if (inside) {
      blocks.back() += line + '\n';
    }
  return blocks;
}

std::vector<std::string> texts_in(const std::string& folder) {
  std::vector<std::string> texts;
  for (const auto& file : std::filesystem::directory_iterator(docs + folder))
    texts.push_back(gas_test::read_text(file.path()));
  return texts;
}

}  // namespace

TEST_CASE("the tutorial's code stands in the template and the examples", "[docs]") {
  const std::string tutorial = gas_test::read_text(docs + "tutorial.md");
  std::vector<std::string> texts = texts_in("template");
  for (std::string& text : texts_in("examples")) texts.push_back(std::move(text));
  std::vector<std::string> blocks = blocks_of(tutorial, "cpp");
  CHECK(blocks.size() > 10);
  for (std::string& block : blocks_of(tutorial, "cmake")) blocks.push_back(std::move(block));
  for (const std::string& block : blocks) {
    INFO(block);
    CHECK(std::ranges::any_of(
        texts, [&](const std::string& text) { return text.find(block) != std::string::npos; }));
  }
}

TEST_CASE("the tutorial names all examples, which are of 80 lines at most", "[docs]") {
  const std::string tutorial = gas_test::read_text(docs + "tutorial.md");
  int seen = 0;
  for (const auto& file : std::filesystem::directory_iterator(docs + "examples")) {
    const std::string text = gas_test::read_text(file.path());
    INFO(file.path());
    CHECK(std::ranges::count(text, '\n') <= 80);
    CHECK_THAT(tutorial, Catch::Contains("| `" + file.path().filename().string() + "` |"));
    ++seen;
  }
  CHECK(seen == 10);
}

TEST_CASE("the messages that the tutorial quotes are the compiler's", "[docs]") {
  const std::string tutorial = gas_test::read_text(docs + "tutorial.md");
  std::string known;  // from wrong_programs/mistakes.txt, which is compiled
  std::istringstream lines(
      gas_test::read_text(GAS_SOURCE "/tests/gas/wrong_programs/mistakes.txt"));
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with("?")) known += line + '\n';
  const std::size_t table = tutorial.find("| you wrote |");
  const std::string rows = tutorial.substr(table, tutorial.find("\n\n", table) - table);
  const std::regex message(R"(\n\|[^\n]*? \| (``?) ?(.*?) ?\1 \|)");
  int seen = 0;
  for (std::sregex_iterator i(rows.begin(), rows.end(), message), end; i != end; ++i, ++seen) {
    INFO((*i)[2]);
    CHECK(known.find((*i)[2]) != std::string::npos);
  }
  CHECK(seen == 10);
}

TEST_CASE("links between the documents lead somewhere", "[docs]") {
  const std::regex link(R"(\]\(([^)#: ]+)(#[^)]*)?\))");
  for (const char* document : {"tutorial.md", "coming_from.md", "programs.md", "semantics.md"}) {
    const std::string text = gas_test::read_text(docs + document);
    for (std::sregex_iterator i(text.begin(), text.end(), link), end; i != end; ++i) {
      INFO(document << ": " << (*i)[1]);
      CHECK(std::filesystem::exists(docs + (*i)[1].str()));
    }
  }
}
