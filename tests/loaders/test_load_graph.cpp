#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <bit>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdlib>
#include <map>
#include <set>
#include <sstream>
#include <thread>

#include "loaders/load_graph.hpp"
#include "tests/loaders/files.hpp"
#include "tests/loaders/whole_graph.hpp"
#include "tests/support/ranks.hpp"

using namespace gas;
using namespace gas::loaders;
using namespace gas_test;

namespace {

/// Lines of words; comments and empty lines left out.
std::vector<std::vector<std::string>> words_of(const std::string& text, const char* comments) {
  std::vector<std::vector<std::string>> all;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    for (char& c : line)
      if (c == ',' || c == '\r') c = ' ';
    std::istringstream fields(line);
    std::vector<std::string> words;
    for (std::string word; fields >> word;) words.push_back(word);
    if (!words.empty() && std::string(comments).find(words[0][0]) == std::string::npos)
      all.push_back(words);
  }
  return all;
}

/// Rows by a map; `less` orders ids.
template <class Id, class Convert>
Whole naive_edges(const std::string& text, bool bipartite, Convert convert) {
  std::set<Id> left, right;
  const auto lines = words_of(text, "#%");
  for (const auto& words : lines) {
    left.insert(convert(words[0]));
    (bipartite ? right : left).insert(convert(words[1]));
  }
  Whole whole;
  const auto number = [](const std::set<Id>& ids, std::vector<std::string>& texts) {
    std::map<Id, VertexId> rows;
    for (const Id& id : ids) {
      std::ostringstream out;
      out << id;
      texts.push_back(out.str());
      rows.emplace(id, rows.size());
    }
    return rows;
  };
  const auto rows = number(left, whole.source_ids);
  const auto columns = bipartite ? number(right, whole.target_ids) : rows;
  for (const auto& words : lines) {
    whole.source.push_back(rows.at(convert(words[0])));
    whole.target.push_back(columns.at(convert(words[1])));
    if (words.size() > 2) whole.value.push_back(std::stof(words[2]));
  }
  whole.sources = rows.size();
  whole.targets = columns.size();
  return whole;
}

Whole naive_numbers(const std::string& text, bool bipartite) {
  return naive_edges<unsigned long long>(text, bipartite,
                                         [](const std::string& s) { return std::stoull(s); });
}

Whole naive_names(const std::string& text, bool bipartite) {
  return naive_edges<std::string>(text, bipartite, [](const std::string& s) { return s; });
}

std::string random_edges(unsigned seed, unsigned long long ids, bool weighted, bool named) {
  std::mt19937_64 random(seed);
  // Names have one sort of separator in a file.
  std::vector<const char*> separators{" ", "\t", ",", " , ", "   ", ",\t"};
  if (named) separators = {",", " , ", ",   ", ","};
  std::string text = "# a comment\n\n% another\r\n";
  for (int i = 0; i < 700; ++i) {
    const std::string separator = separators[random() % separators.size()];
    const char* const mark = named ? "n" : "";
    text += fmt::format("{}{}{}{}{}{}", random() % 9 == 0 ? " " : "", mark, random() % ids,
                        separator, mark, random() % ids);
    if (weighted) text += fmt::format("{}{}", separator, static_cast<double>(random() % 1000) / 64);
    text += random() % 7 == 0 ? " \r\n" : "\n";
    if (random() % 50 == 0) text += " # 1 2 3\n\n";
  }
  return text;
}

}  // namespace

TEST_CASE("edge lists are what a naive parser reads", "[ranks]") {
  unsigned seed = 1;
  for (const bool weighted : {false, true}) {
    for (const unsigned long long ids : {50ULL, 100000ULL, 9223372036854775808ULL}) {
      for (const bool bipartite : {false, true}) {
        const std::string text = random_edges(++seed, ids, weighted, false);
        check_everywhere("graph.txt", text, naive_numbers(text, bipartite),
                         {.bipartite = bipartite});
      }
    }
  }
  for (const bool bipartite : {false, true}) {
    const std::string text = random_edges(++seed, 300, true, true);
    check_everywhere("names.csv", text, naive_names(text, bipartite), {.bipartite = bipartite});
  }
}

TEST_CASE("a side whose ids are 0 … n − 1 may stand beside one of 64-bit ids", "[ranks]") {
  std::mt19937_64 random(78);
  for (const int first_wide : {0, 400})  // line: small blocks before it have 32-bit ids alone
    for (const bool swapped : {false, true}) {
      std::string text;
      for (int i = 0; i < 600; ++i) {
        const std::uint64_t row = static_cast<std::uint64_t>(i) * 7 % 30;
        const std::uint64_t id = i < first_wide ? random() % 1000 : random() >> (1 + random() % 40);
        text += fmt::format("{} {} {}\n", swapped ? id : row, swapped ? row : id, i % 5);
      }
      CAPTURE(first_wide, swapped);
      check_everywhere("g", text, naive_numbers(text, true), {.bipartite = true});
    }
}

TEST_CASE("values that floats do not hold stay doubles where that is asked for", "[ranks]") {
  std::mt19937_64 random(77);
  for (const bool named : {false, true})
    for (const bool exact : {false, true}) {
      std::string text;
      std::vector<double> values;
      for (int i = 0; i < 600; ++i) {
        // The first blocks of some readers hold nothing but floats.
        const double value = i > 400 && !exact ? static_cast<double>(random()) / 1e9
                                               : static_cast<double>(random() % 4096) / 4;
        text += fmt::format("{0}{1} {0}{2} {3:.17g}\n", named ? "v" : "", random() % 90,
                            random() % 90, value);
        values.push_back(value);
      }
      Whole expected = named ? naive_names(text, false) : naive_numbers(text, false);
      check_everywhere("g", text, expected);  // not asked for
      if (!exact) {
        expected.value.clear();
        expected.wide_value = values;
      }
      check_everywhere("g", text, expected, {.wide = true});
    }
  const std::string far = "0 1 2\n0 1 1e-50\n1 2 1e39\n";
  Whole expected = naive_numbers("0 1\n0 1\n1 2\n", false);
  expected.wide_value = {2, 1e-50, 1e39};
  check_everywhere("g", far, expected, {.wide = true});
  const TemporaryFolder folder;
  const std::string g = folder.file("g", far), h = folder.file("h", "0 1 1e999\n");
  CHECK(failure(2, g) ==
        "g:3:5: found '1e39', expected a number that a 32-bit float holds, at most 3.4e38 in size");
  CHECK(failure(2, h, {.wide = true}) ==
        "h:1:5: found '1e999', expected a number that a 64-bit float holds, at most 1.7e308 in "
        "size");
}

TEST_CASE("how large a number is depends on its digits and its exponent", "[ranks]") {
  const std::string zeros(400, '0');
  const std::string large = "1" + zeros + "e-1", small = "0." + zeros + "1e+5";
  const std::string usual = "1" + zeros + "e-400", text = "0 1 " + small + "\n1 2 " + usual + "\n";
  Whole expected = naive_numbers("0 1\n1 2\n", false);
  expected.value = {0, 1};
  check_everywhere("g", text, expected);
  const TemporaryFolder folder;
  CHECK_THAT(failure(2, folder.file("h", "0 1 " + large + "\n")),
             Catch::Contains("expected a number that a 32-bit float holds"));
}

TEST_CASE("names are any bytes but separators and NUL", "[ranks]") {
  const std::string text = "1 b#%\n\"x\" \xc3\xa4\n1:2 \xff\n1 1\n";
  check_everywhere("graph", text, naive_names(text, false));
}

TEST_CASE("line ends, byte order mark, last newline, nothing at all", "[ranks]") {
  const Whole expected = naive_numbers("0 1\n1 2\n", false);
  for (const std::string text : {"0 1\n1 2", "0 1\r\n1 2\r\n",
                                 "\xef\xbb\xbf"
                                 "0 1\n1 2\n",
                                 "\n\n0,1\n\n1\t2\n\n\n", "0 1\r\n1 2"})
    check_everywhere("g", text, expected);
  for (const std::string text : {"", "\n", "# nothing", "\xef\xbb\xbf"})
    check_everywhere("g", text, Whole{});
}

TEST_CASE("one line longer than any block", "[ranks]") {
  const std::string text = std::string(5000, 'a') + " " + std::string(300000, 'b') + "\nc d\n";
  check_everywhere("g", text, naive_names(text, false));
}

TEST_CASE("values of every size", "[ranks]") {
  const std::string text =
      "1 2 +1.5\n1 2 1e-60\n1 2 -1e-400\n1 2 7\n1 2 3.4028234e38\n1 2 .5\n1 2 5.\n1 2 1E2\n";
  Whole expected = naive_numbers("1 2\n1 2\n1 2\n1 2\n1 2\n1 2\n1 2\n1 2\n", false);
  expected.value = {1.5F, 0, 0, 7, 3.4028234e38F, .5F, 5, 100};
  check_everywhere("g", text, expected);
}

TEST_CASE("values are the nearest floats", "[ranks]") {
  std::mt19937_64 random(9);
  std::vector<std::string> words{"0",
                                 "-0",
                                 "+0.0",
                                 "007.250",
                                 "5.",
                                 ".5",
                                 "-.5",
                                 "+.5",
                                 "1e3",
                                 "1.e3",
                                 "8388608.5",
                                 "8388609.5",
                                 "16777217.0",
                                 "16777217",
                                 "999999999999999",
                                 "0.00000000000001",
                                 "1234567890123456789",
                                 "123456789012345.6789",
                                 "00000000000000000000000000001.5"};
  for (int i = 0; i < 3000; ++i) {
    // In the middle of two floats but for what 15 digits do not say, as written and cut short.
    const double exponent = std::ldexp(1.0, static_cast<int>(random() % 40) - 30);
    const double middle = static_cast<double>((random() >> 40 << 1) | 1) * exponent;
    words.push_back(fmt::format("{:.15g}", middle));
    words.push_back(fmt::format("{:.{}f}", middle, random() % 14));
    words.push_back(fmt::format("{:.{}g}", -middle, 1 + random() % 9));
  }
  std::string text;
  Whole expected;
  for (const std::string& word : words) {
    text += "0 1 " + word + "\n";
    expected.value.push_back(std::strtof(word.c_str(), nullptr));
  }
  const TemporaryFolder folder;
  const std::string path = folder.file("g", text);
  for (const int ranks : rank_counts()) {
    const Whole whole = load(ranks, path);
    REQUIRE(whole.value.size() == words.size());
    for (std::size_t i = 0; i < words.size(); ++i)
      if (std::bit_cast<std::uint32_t>(whole.value[i]) !=
          std::bit_cast<std::uint32_t>(expected.value[i]))
        FAIL_CHECK(words[i] << " was read as " << whole.value[i]);
  }
}

TEST_CASE("numbers of every length", "[ranks]") {
  std::mt19937_64 random(10);
  std::string text;
  for (int i = 0; i < 2000; ++i) {
    const std::uint64_t one = random() >> (1 + random() % 63),
                        two = random() >> (1 + random() % 63);
    text += fmt::format("{:0{}}{}{}\n", one, 1 + random() % 25, i % 2 ? "," : "\t", two);
  }
  const Whole expected = naive_numbers(text, false);
  const TemporaryFolder folder;
  const std::string path = folder.file("g", text);
  for (const int ranks : rank_counts()) CHECK(load(ranks, path) == expected);
}

TEST_CASE("numbers at the end of a block or file, with every line end", "[ranks]") {
  const TemporaryFolder folder;
  const std::string largest = "9223372036854775807";
  for (const char* const separator : {" ", "\t", ",", " , "})
    for (const std::string line_end : {"\n", "\r\n", "   \n", " \t \r\n"}) {
      std::string text;  // narrow ids, then ids too large for four bytes
      for (std::size_t digits = 1; digits <= largest.size(); ++digits)
        text += fmt::format("{}{}{}{}", digits, separator, largest.substr(0, digits), line_end);
      const std::string last = fmt::format("77{}{}", separator, largest);
      for (std::size_t left = 0; left <= largest.size() - 1; ++left) {
        const std::string all = text + last.substr(0, last.size() - left);
        const std::string path = folder.file("g", all);
        const Whole expected = naive_numbers(all, false);
        for (const std::size_t block : {std::size_t{24}, std::size_t{60}, std::size_t{1} << 16})
          CHECK(load(1, path, {}, block) == expected);
        if (left % 7 == 0) CHECK(load(3, path, {.threads = 2}, 24) == expected);
      }
    }
}

TEST_CASE("a bad character behind any number of digits is found where its number begins",
          "[ranks]") {
  const TemporaryFolder folder;
  const std::string number = "123456789012345678";
  for (std::size_t digits = 0; digits <= number.size(); ++digits)
    for (const char bad : {'x', '/', ':', '-', '.', '\x80', '\x01'})
      for (const char* const behind : {"", "\n", " 4\n", "7 5\n6 7\n"}) {
        const std::string token = number.substr(0, digits) + bad;
        const std::string path = folder.file("g", "1 2\n3 4\n" + token + behind);
        INFO(token << behind);
        for (const std::size_t block : {std::size_t{8}, std::size_t{1} << 16})
          CHECK_THAT(failure(1, path, {.block_bytes = block}), Catch::StartsWith("g:3:1: found '"));
      }
  for (const char* const id :
       {"9223372036854775808", "18446744073709551616", "18446744073709551617",
        "99999999999999999999", "36893488147419103233", "184467440737095516170"})
    CHECK_THAT(failure(1, folder.file("g", fmt::format("1 2\n{} 4", id))),
               Catch::StartsWith(fmt::format("g:2:1: found '{}', expected a number from 0", id)));
}

TEST_CASE("a hub with half of the edges", "[ranks]") {
  std::string text;
  for (int i = 0; i < 500; ++i) text += fmt::format("{} {}\n", i % 2 ? 7 : i, i * 3);
  check_everywhere("g", text, naive_numbers(text, false));
}

TEST_CASE("libsvm is what a naive parser reads", "[ranks]") {
  std::mt19937_64 random(5);
  std::string text = "# no row\n";
  Whole expected;
  for (int row = 0; row < 300; ++row) {
    const char* labels[] = {"+1", "-1", "0", "2.5"};
    const std::string label = labels[random() % 4];
    text += label;
    expected.labels.push_back(std::stod(label));
    for (std::uint64_t i = random() % 6; i > 0; --i) {
      const std::uint64_t column = 1 + random() % 90;
      text += fmt::format(" {}:{}", column, random() % 20);
      const std::string value = text.substr(text.rfind(':') + 1);
      expected.source.push_back(gas::to_vertex_id(expected.labels.size() - 1));
      expected.target.push_back(gas::to_vertex_id(column - 1));
      expected.value.push_back(std::stof(value));
      expected.targets = std::max(expected.targets, column);
    }
    text += row % 9 == 0 ? " # 5:5\r\n" : row % 11 == 0 ? " \n\n" : "\n";
  }
  expected.sources = expected.labels.size();
  for (std::uint64_t i = 1; i <= expected.sources; ++i)
    expected.source_ids.push_back(std::to_string(i));
  for (std::uint64_t i = 1; i <= expected.targets; ++i)
    expected.target_ids.push_back(std::to_string(i));
  check_everywhere("data.svm", text, expected);
  check_everywhere("data", text, expected, {.format = Format::libsvm});

  Whole fewer = expected;
  fewer.source.clear(), fewer.target.clear(), fewer.value.clear();
  for (std::size_t i = 0; i < expected.source.size(); ++i) {
    if (expected.target[i] >= 40) continue;
    fewer.source.push_back(expected.source[i]);
    fewer.target.push_back(expected.target[i]);
    fewer.value.push_back(expected.value[i]);
  }
  fewer.targets = 40;
  fewer.target_ids.resize(40);
  check_everywhere("data.libsvm", text, fewer, {.columns = 40});
}

TEST_CASE("docword keeps every declared row", "[ranks]") {
  std::mt19937_64 random(6);
  Whole expected;
  expected.sources = 70;
  expected.targets = 30;
  std::string text;
  for (int i = 0; i < 400; ++i) {
    const std::uint64_t document = random() % 60, word = random() % 30, count = 1 + random() % 9;
    text += fmt::format("{} {} {}\n", document + 1, word + 1, count);
    expected.source.push_back(gas::to_vertex_id(document));
    expected.target.push_back(gas::to_vertex_id(word));
    expected.value.push_back(static_cast<float>(count));
  }
  for (int i = 1; i <= 70; ++i) expected.source_ids.push_back(std::to_string(i));
  for (int i = 1; i <= 30; ++i) expected.target_ids.push_back(std::to_string(i));
  check_everywhere("docword.test.txt", "70\n30\n400\n" + text, expected);
  check_everywhere("x", "70\r\n30\n400\n" + text, expected, {.format = Format::docword});
}

TEST_CASE("trivial ids are known as such", "[ranks]") {
  const TemporaryFolder folder;
  for (const int ranks : rank_counts()) {
    const auto trivial = [&](const char* text, Format format = Format::edges) {
      const std::string path = folder.file("g", text);
      return run_ranks<int>(ranks, [&](Transport& comm) {
               return static_cast<int>(load_graph(comm, of_rank_0(comm, path), {.format = format})
                                           .source_ids.trivial());
             })[0] != 0;
    };
    CHECK(trivial("0 1\n2 1\n"));
    CHECK_FALSE(trivial("0 1\n3 1\n"));
    CHECK_FALSE(trivial("1 2\n"));
    CHECK_FALSE(trivial("a b\n"));
    CHECK(trivial("1\n1\n1\n1 1 1\n", Format::docword));
    CHECK(trivial("1 1:1\n", Format::libsvm));
    CHECK_FALSE(
        trivial("%%MatrixMarket matrix coordinate pattern general\n1 1 1\n1 1\n", Format::mtx));
    CHECK_FALSE(trivial("2 1\n2\n1\n", Format::metis));
  }
}

TEST_CASE("errors name the first bad place of the file", "[ranks]") {
  struct Bad {
    std::string name, text, message;
    GraphOptions options = {};
  };
  std::string many, many_bad;
  for (int i = 0; i < 2000; ++i) many += "12 34\n";
  many_bad = many;
  many_bad.replace(6 * 1500, 5, "12 3x");
  many_bad.replace(6 * 1900, 5, "12 3y");
  const std::string id =
      "expected a number from 0 to 9223372036854775807, as the ids of the first edge are "
      "(if ids are names, give --ids names)";
  const std::vector<Bad> table{
      {"g", "1 2\n3 x\n", "g:2:3: found 'x', " + id},
      {"g", "1 2\n3 4x\n", "g:2:3: found '4x', " + id},
      {"g", "1 2\n3 -4\n", "g:2:3: found '-4', " + id},
      {"g", "1 2\n3 9223372036854775808\n", "g:2:3: found '9223372036854775808', " + id},
      {"g", "1 2\n3 99999999999999999999999\n", "g:2:3: found '99999999999999999999999', " + id},
      {"g", "1,2\n2,3\n3,\"4\"\n",
       "g:3:3: found '\"4\"', " + id + "; if fields may be quoted, give --delimiter"},
      {"g", "1 2\n3\n", "g:2:2: found the end of the line, expected a second id"},
      {"g", "a\n", "g:1:2: found the end of the line, expected a second id"},
      {"g", "1 2\n1 2\n  3 4 5\n",
       "g:3:7: found '5', expected the end of the line after two columns, as in the first edge"},
      {"g", "1 2 1\n3 4\n",
       "g:2:4: found the end of the line, expected a finite number, the edge's value (--columns "
       "1,2 leaves the third column out)"},
      {"g", "1 2 1\n3 4 nan\n",
       "g:2:5: found 'nan', expected a finite number, the edge's value (--columns 1,2 leaves the "
       "third column out)"},
      {"g", "1 2 1\n3 4 1e39\n",
       "g:2:5: found '1e39', expected a number that a 32-bit float holds, at most 3.4e38 in size"},
      {"g", "1 2 1\n3 4 1 2\n",
       "g:2:7: found '2', expected the end of the line after three columns (--columns picks "
       "others)"},
      {"g", "1,,2\n", "g:1:3: found an empty field, expected an id"},
      {"g", ",1 2\n", "g:1:1: found an empty field, expected an id"},
      {"g", std::string("a b\nc\0d e\n", 10), "g:2:2: found a NUL byte, expected an id"},
      {"g", std::string("1 2\n1 2\0\n", 9), "g:2:3: found '2?', " + id},
      {"g",
       "\xef\xbb\xbf"
       "1 2\n3 x\n",
       "g:2:3: found 'x', " + id},
      {"g", "# c\r\n1 2\r\n\r\n3 x\r\n", "g:4:3: found 'x', " + id},
      {"g", many_bad, "g:1501:4: found '3x', " + id},
      {"s.svm", "1 1:2\nx 1:2\n", "s.svm:2:1: found 'x', expected a label (a finite number)"},
      {"s.svm", "1 0:2\n",
       "s.svm:1:3: found '0:2', expected COLUMN:VALUE with a column from 1 (for columns from 0 "
       "--index-base 0)"},
      {"s.svm", "1 3\n",
       "s.svm:1:3: found '3', expected COLUMN:VALUE, as libsvm has it (for an edge list --format "
       "edges)"},
      {"s.svm", "1 |a b\n",
       "s.svm:1:3: found '|a', expected COLUMN:VALUE; the line looks like VW (--format vw)"},
      {"s.svm", "1 -3:1\n", "s.svm:1:3: found '-3:1', expected COLUMN:VALUE with a column from 1"},
      {"s.svm",
       "1 -3:1\n",
       "s.svm:1:3: found '-3:1', expected COLUMN:VALUE with a column from 0",
       {.index_base = 0}},
      {"s.svm", "1 4294967296:2\n",
       "s.svm:1:3: found '4294967296:2', expected a column of at most 4294967295"},
      {"s.svm", "1 qid:x 1:1\n", "s.svm:1:7: found 'x', expected the number of a query"},
      {"s.svm", "1 1:1 qid:3\n",
       "s.svm:1:7: found 'qid:3', expected COLUMN:VALUE with a column from 1"},
      {"s.svm", "1 1:\n",
       "s.svm:1:5: found the end of the line, expected a finite number, the feature's value"},
      {"s.svm", "1 1:inf\n",
       "s.svm:1:5: found 'inf', expected a finite number, the feature's value"},
      {"s.svm", "1 1:1,2:2\n",
       "s.svm:1:5: found '1,2:2', expected a finite number, the feature's value"},
      {"s.svm", "1,2 1:1\n", "s.svm:1:1: found '1,2', expected a label (a finite number)"},
      {"docword.t", "",
       "docword.t:1:1: found the end of the file, expected the number of documents, at most "
       "4294967295"},
      {"docword.t", "2\n3\n",
       "docword.t:3:1: found the end of the file, expected the number of entries"},
      {"docword.t", "2\nx\n1\n",
       "docword.t:2:1: found 'x', expected the number of words, at most 4294967295"},
      {"docword.t", "4294967296\n2\n0\n",
       "docword.t:1:1: found '4294967296', expected the number of documents, at most 4294967295"},
      {"docword.t", "2 3\n1\n1 1 1\n", "docword.t:1:3: found '3', expected the end of the line"},
      {"docword.t", "2\n3\n1\n3 1 1\n",
       "docword.t:4:1: found '3', expected a document from 1 to 2"},
      {"docword.t", "2\n3\n1\n1 0 1\n", "docword.t:4:3: found '0', expected a word from 1 to 3"},
      {"docword.t", "2\n3\n1\n1 1 0\n",
       "docword.t:4:5: found '0', expected a count from 1 to 16777215"},
      {"docword.t", "2\n3\n1\n1 1 16777216\n",
       "docword.t:4:5: found '16777216', expected a count from 1 to 16777215"},
      {"docword.t", "2\n3\n1\n1 1 1.5\n",
       "docword.t:4:5: found '1.5', expected a count from 1 to 16777215"},
      {"docword.t", "2\n3\n2\n1 1 1\n",
       "docword.t:3:1: found 2 entries declared, expected 1, which is how many lines follow"},
      {"x.npy", "1 2\n",
       "x.npy: found a file of the format npy, expected a graph: edges, libsvm, ldac, vw, csv, "
       "docword, "
       "mtx, metis or hmetis"},
  };
  const TemporaryFolder folder;
  for (const Bad& bad : table) {
    GraphOptions small = bad.options;
    small.block_bytes = 50;
    const std::string path = folder.file(bad.name, bad.text);
    const std::string packed = folder.file(bad.name + ".gz", gzip(bad.text));
    for (const int ranks : rank_counts()) {
      if (ranks == 2) continue;
      INFO(bad.text.substr(0, 100) << " on " << ranks << " ranks");
      std::string message = bad.message;
      if (message.starts_with(bad.name + ":")) message.insert(bad.name.size(), ".gz");
      for (const unsigned threads : {1U, 2U, 3U}) {
        small.threads = threads;
        CHECK(failure(ranks, path, bad.options) == bad.message);
        CHECK(failure(ranks, path, small) == bad.message);
        CHECK(failure(ranks, packed, small) == message);
      }
    }
  }
}

TEST_CASE("files that cannot be read", "[ranks]") {
  const TemporaryFolder folder;
  std::string many;
  for (int i = 0; i < 100000; ++i) many += fmt::format("{} 34\n", i * 7919 % 100003);
  const std::string gz = gzip(many), zst = zstd(many);
  std::string corrupt = gz;
  corrupt[corrupt.size() / 2] = static_cast<char>(corrupt[corrupt.size() / 2] ^ 0x55);
  const std::string path = folder.file("ok", "1 2\n");
  folder.file("padded.gz", gz + std::string(70000, '\0'));
  folder.file("between.gz", gz + std::string(9, '\0') + gz);
  folder.file("behind.gz", gz + std::string(9, '\0') + std::string(99, 'x'));
  folder.file("short.gz", gz.substr(0, gz.size() / 2));
  folder.file("cut.gz", gz.substr(0, gz.size() - 3));
  folder.file("corrupt.gz", corrupt);
  corrupt = gz;  // so that only its checksum is wrong
  corrupt[corrupt.size() - 6] = static_cast<char>(corrupt[corrupt.size() - 6] ^ 0x55);
  folder.file("corrupt-tail.gz", corrupt);
  corrupt = zst;
  corrupt[corrupt.size() / 2] = static_cast<char>(corrupt[corrupt.size() / 2] ^ 0x55);
  folder.file("corrupt.zst", corrupt);
  folder.file("head.gz", gz.substr(0, 5));
  folder.file("short.zst", zst.substr(0, zst.size() / 2));
  std::string bad_and_corrupt = gzip("1 2\n3 x\n" + many.substr(0, 1000));
  bad_and_corrupt[bad_and_corrupt.size() - 6] ^= 0x55;  // its checksum
  folder.file("bad-and-corrupt.gz", bad_and_corrupt);
  folder.file("bad-then-short.gz", gzip("1 2\n3 x\n" + many).substr(0, 30000));
  for (const int ranks : rank_counts()) {
    CHECK(failure(ranks, folder.path("missing")) ==
          "missing: cannot open it: No such file or directory");
    CHECK(failure(ranks, folder.path(".")) == ".: found a folder, expected a file");
    for (const char* name : {"padded.gz", "between.gz"})  // as gzip takes them
      CHECK(failure(ranks, folder.path(name)).empty());
    CHECK(failure(ranks, folder.path("behind.gz")) ==
          "behind.gz: found bytes behind the end of the gzip data, expected none, or more of it");
    for (const char* name : {"short.gz", "cut.gz", "head.gz"})
      CHECK(failure(ranks, folder.path(name)) ==
            std::string(name) +
                ": found the end of a truncated gzip file, expected a whole gzip file");
    for (const char* name : {"corrupt.gz", "corrupt-tail.gz"})
      CHECK(failure(ranks, folder.path(name)) ==
            std::string(name) + ": found corrupt gzip data, expected a whole gzip file");
    for (const std::size_t block : {std::size_t{16}, TextInput::usual_block})
      CHECK(failure(ranks, folder.path("bad-and-corrupt.gz"), {.block_bytes = block}) ==
            "bad-and-corrupt.gz: found corrupt gzip data, expected a whole gzip file");
    CHECK(failure(ranks, folder.path("corrupt.zst")) ==
          "corrupt.zst: found corrupt zstd data, expected a whole zstd file");
    CHECK(failure(ranks, folder.path("short.zst")) ==
          "short.zst: found the end of a truncated zstd file, expected a whole zstd file");
    CHECK(failure(ranks, folder.path("bad-then-short.gz")).starts_with("bad-then-short.gz:2:3:"));
    CHECK(failure(ranks, path, {.format = Format::npy}) ==
          "the format npy holds no graph, expected edges, libsvm, ldac, vw, csv, docword, mtx, "
          "metis or "
          "hmetis");
  }
}

TEST_CASE("a file that is shorter on another rank is refused", "[ranks]") {
  const TemporaryFolder folder;
  std::string text;
  for (int i = 0; i < 3000; ++i) text += fmt::format("{} {}\n", i, i * 7 % 3000);
  folder.file("whole", text);
  folder.file("part", text.substr(0, text.size() / 2));
  for (const int ranks : rank_counts()) {
    if (ranks == 1) continue;
    const auto said = run_ranks<std::string>(ranks, [&](Transport& comm) {
      const std::string whole = of_rank_0(comm, folder.path("whole"));
      const std::string part = of_rank_0(comm, folder.path("part"));
      const std::string& mine = comm.rank() == 1 ? part : whole;
      return message_of(mine, [&] { load_graph(comm, mine, {}); });
    });
    for (const std::string& each : said) CHECK_THAT(each, Catch::Contains("bytes on rank 1"));
  }
}

TEST_CASE("several gzip members and zstd frames are one file", "[ranks]") {
  const TemporaryFolder folder;
  const std::string gz = folder.file("g.gz", gzip("0 1\n1 ") + gzip("") + gzip("2\n"));
  const std::string zst = folder.file("g.zst", zstd("0 1\n1 ") + zstd("2\n"));
  // A frame to be skipped, with which pzstd begins.
  const std::string skipped =
      folder.file("s.zst", std::string("\x50\x2a\x4d\x18\4\0\0\0abcd", 12) + zstd("0 1\n1 2\n"));
  const Whole expected = naive_numbers("0 1\n1 2\n", false);
  for (const int ranks : rank_counts()) {
    CHECK(load(ranks, gz) == expected);
    CHECK(load(ranks, zst) == expected);
    CHECK(load(ranks, skipped) == expected);
  }
}

TEST_CASE("a pipe and standard input are read as streams", "[ranks]") {
  const TemporaryFolder folder;
  const std::string text = random_edges(77, 400, true, false);
  const Whole expected = naive_numbers(text, false);
  const std::string pipe = folder.path("pipe");
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  const bool first = mpi_world() == nullptr || mpi_world()->rank() == 0;
  for (const int ranks : rank_counts()) {
    for (const bool packed : {false, true}) {
      std::jthread writer;
      if (first)
        writer = std::jthread([&] { std::ofstream(pipe) << (packed ? gzip(text) : text); });
      CHECK(load(ranks, pipe, {}, 200) == expected);
    }
    std::jthread writer;
    const int before = ::dup(STDIN_FILENO);
    if (first) {
      writer = std::jthread([&] { std::ofstream(pipe) << text; });
      const int end = ::open(pipe.c_str(), O_RDONLY);
      ::dup2(end, STDIN_FILENO);
      ::close(end);
    }
    CHECK(load(ranks, "-", {}, 200) == expected);
    ::dup2(before, STDIN_FILENO);
    ::close(before);
  }
}

TEST_CASE("format names") {
  CHECK(parse_format("libsvm") == Format::libsvm);
  CHECK(parse_format("auto") == Format::automatic);
  CHECK_THROWS_WITH(
      parse_format("libsv"),
      "unknown format 'libsv' (known: auto, edges, libsvm, vw, csv, ldac, docword, dense, "
      "npy, idx, fbin, fvecs, mtx, "
      "metis, hmetis); did you mean 'libsvm'?");
  CHECK_THROWS_AS(parse_format("mmx"), UsageError);
  CHECK(detect_format("/a.b/x.svm.gz", "", Format::edges) == Format::libsvm);
  CHECK(detect_format("docword.kos.txt.zst", "", Format::edges) == Format::docword);
  CHECK(detect_format("x.graph.gz", "", Format::edges) == Format::metis);
  CHECK(detect_format("x.hgr", "", Format::edges) == Format::hmetis);
  CHECK(detect_format("x.mtx.gz", "", Format::edges) == Format::mtx);
  CHECK(detect_format("x.graph", "%%MatrixMarket m", Format::edges) == Format::mtx);
  CHECK(detect_format("docword.d/x.txt", "", Format::edges) == Format::edges);
  CHECK(detect_format("x.fbin.gz", "", Format::dense) == Format::fbin);
  CHECK(detect_format("x.fvecs", "", Format::dense) == Format::fvecs);
  CHECK(detect_format("x.csv", "", Format::dense) == Format::dense);
  CHECK(detect_format("x.csv", "", Format::libsvm) == Format::edges);
  CHECK(detect_format("x.txt", "\x93NUMPY\x01", Format::edges) == Format::npy);
}
