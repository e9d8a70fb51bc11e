// The quickstart's data, from a made-up list of packages.
#include <catch2/catch.hpp>
#include <sstream>

#include "tests/tools/support/process.hpp"

using namespace gas_test;

namespace {

/// 450 packages in groups of 15; each group has three words of its own, and every tenth group is
/// libraries. Package i depends on package 0, and on a virtual package that package 1 provides.
std::string made_up_dump() {
  std::ostringstream dump;
  for (int i = 0; i < 450; ++i) {
    const int group = i / 15;
    const std::string letter(1, static_cast<char>('a' + group % 26));
    const std::string word = letter + letter + std::string(1, static_cast<char>('a' + group / 26));
    dump << "Package: p" << i << "\nVersion: 1\n";
    if (i == 1) dump << "Provides: virtual (= 1), other\n";
    dump << "Depends: p0 (>= 1) | p5, virtual, unknown\n";
    dump << "Description: the " << word << "x and " << word << "y packages " << i << "\n";
    dump << "Description-md5: sum" << i << "\n";
    dump << "Section: " << (group % 10 == 0 ? "libs" : "misc") << "\n\n";
  }
  return dump.str();
}

/// The first group's full descriptions, of which two at a time are the same but for a number.
std::string made_up_translation() {
  std::ostringstream text;
  for (int i = 0; i < 15; ++i) {
    text << "Package: p" << i << "\nDescription-md5: sum" << i << "\nDescription-en: first group "
         << i << "\n";
    for (int times = 0; times <= i / 2; ++times) text << " aaax\n";
    text << " aaay\n .\n ninth number" << i << "\n\n";
  }
  return text.str();
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

}  // namespace

TEST_CASE("the package corpus has documents, a task and a graph", "[quickstart]") {
  const TemporaryFolder folder;
  write_text(folder / "dump", made_up_dump());
  write_text(folder / "translation", made_up_translation());
  const Finished made = Process({"python3", GAS_SOURCE "/tools/support/packages/package_corpus.py",
                                 folder / "out", folder / "dump", folder / "translation"})
                            .wait();
  REQUIRE(made.err == "");
  REQUIRE(made.code == 0);
  CHECK(made.out == "450 packages; 8 different descriptions over 62 words\n");

  // Three words must remain: only the group with the long descriptions has them ("number1" is rare,
  // "first" says nothing).
  CHECK(read_text(folder / "out/packages.txt").starts_with("p0\np2\np4\n"));
  const auto vocabulary = lines_of(read_text(folder / "out/vocab.txt"));
  CHECK(std::ranges::is_sorted(vocabulary));
  const auto docword = lines_of(read_text(folder / "out/docword.txt"));
  REQUIRE(docword.size() == 3 + 8 * 4);
  CHECK(docword[0] == "8");
  CHECK(docword[1] == "62");
  CHECK(docword[2] == "32");
  CHECK(docword[3] == "1 1 1");
  CHECK(docword[7] == "2 1 2");  // aaax twice
  CHECK(vocabulary[0] == "aaax");

  const auto train = lines_of(read_text(folder / "out/train.svm"));
  const auto test = lines_of(read_text(folder / "out/test.svm"));
  CHECK(train.size() + test.size() == 450);
  CHECK(test.size() > 45);
  CHECK(test.size() < 180);
  int libraries = 0;
  for (const auto* lines : {&train, &test})
    for (const std::string& line : *lines) libraries += line.starts_with("+1 ") ? 1 : 0;
  CHECK(libraries == 45);

  const auto depends = lines_of(read_text(folder / "out/depends.txt"));
  CHECK(depends.size() == 2 * 450 - 2);  // neither package depends on itself
  CHECK(depends[0] == "p0\tp1");
  CHECK(depends.back() == "p449\tp1");
}
