#include <catch2/catch.hpp>

#include "loaders/labels.hpp"
#include "loaders/load_graph.hpp"
#include "loaders/read_small.hpp"
#include "tests/loaders/files.hpp"
#include "tests/support/ranks.hpp"

using namespace gas;
using namespace gas::loaders;
using namespace gas_test;

namespace {

struct Outcome {
  std::vector<double> labels;
  std::string message;
};

/// The labels of the vertices of `graph`.
Outcome join(int ranks, const std::string& graph, const std::string& labels) {
  const TemporaryFolder folder;
  const std::string graph_path = folder.file("graph", graph);
  const std::string label_path = folder.file("labels", labels);
  const auto results = run_ranks<Outcome>(ranks, [&](Transport& comm) {
    const LoadedGraph loaded = load_graph(comm, of_rank_0(comm, graph_path));
    const std::string path = of_rank_0(comm, label_path);
    Outcome outcome;
    outcome.message = message_of(
        path, [&] { outcome.labels = joined(comm, read_labels(comm, path, loaded.source_ids)); });
    return outcome;
  });
  for (const Outcome& result : results) {
    CHECK(result.labels == results[0].labels);
    CHECK(result.message == results[0].message);
  }
  return results[0];
}

}  // namespace

TEST_CASE("labels are joined by id or by row", "[ranks]") {
  using Labels = std::vector<double>;
  for (const int ranks : rank_counts()) {
    CHECK(join(ranks, "0 1\n1 2\n", "2 7\n\n# x\n0 +1\r\n1,-1").labels == Labels{1, -1, 7});
    CHECK(join(ranks, "10 500\n30 20\n", "30 3\n10 1\n500 5\n20 2\n").labels == Labels{1, 2, 3, 5});
    CHECK(join(ranks, "b a\nc \xff\n", "\xff 4\na 1\nc 3\nb 2\n").labels == Labels{1, 2, 3, 4});
    CHECK(join(ranks, "b a\nc d\n", "4\n3\n2.5\n1").labels == Labels{4, 3, 2.5, 1});
    CHECK(join(ranks, "", "").labels.empty());
  }
}

TEST_CASE("labels that do not fit are located", "[ranks]") {
  struct Bad {
    std::string graph, labels, message;
  };
  const std::vector<Bad> table{
      {"0 1\n", "0 1\n7 1\n",
       "labels:2:1: found the unknown id '7', expected each data row's id once"},
      {"5 9\n", "9 1\n 0 1\n",
       "labels:2:2: found the unknown id '0', expected each data row's id once"},
      {"a b\n", "b 1\nab 1\na 1\n0 2\n",
       "labels:2:1: found the unknown id 'ab', expected each data row's id once"},
      {"0 1\n2 3\n", "3 1\n3 1\n0 1\n0 2\n",
       "labels:2:1: found the repeated id '3', expected each data row's id once"},
      {"0 1\n2 3\n", "3 1\n1 1\n",
       "labels: found no label of the data row '0', expected a label of every data row"},
      {"a b\n", "1\n",
       "labels: found no label of the data row 'b', expected a label of every data row"},
      {"a b\n", "1\n2\n3\n",
       "labels:3:1: found '3', expected the end of the file after 2 labels, one per data row"},
      {"0 1\n", "0 1\nx 1\n", "labels:2:1: found 'x', expected a numeric id"},
      {"0 1\n", "0 1\n1 x\n", "labels:2:3: found 'x', expected a label (a finite number)"},
      {"0 1\n", "0 1\n1\n",
       "labels:2:2: found the end of the line, expected a label (a finite number)"},
      {"0 1\n", "0 1 1\n", "labels:1:5: found '1', expected the end of the line"},
  };
  for (const Bad& bad : table)
    for (const int ranks : rank_counts())
      CHECK(join(ranks, bad.graph, bad.labels).message == bad.message);
}

TEST_CASE("exactly two labels make a binary task", "[ranks]") {
  for (const int ranks : rank_counts()) {
    const auto classify = [&](const std::vector<double>& all) {
      return run_ranks<std::string>(ranks, [&](Transport& comm) {
        std::vector<double> mine;
        const BlockDistribution blocks{all.size(), comm.size()};
        for (std::size_t i = 0; i < blocks.count(comm.rank()); ++i)
          mine.push_back(all[static_cast<std::size_t>(blocks.first(comm.rank())) + i]);
        std::string text;
        const std::string error = message_of("/x/f", [&] {
          const BinaryLabels binary = binary_labels(comm, "f", mine);
          for (const std::int8_t sign : joined(comm, binary.sign)) text += sign > 0 ? '+' : '-';
          text += std::to_string(static_cast<int>(binary.smaller)) + "/" +
                  std::to_string(static_cast<int>(binary.larger));
        });
        return text + error;
      })[0];
    };
    CHECK(classify({2, 1, 1, 2, 2}) == "+--++1/2");
    CHECK(classify({-1, 0}) == "-+-1/0");
    CHECK(classify({1, 1, 1}) == "f: found the labels 1, expected exactly two different values");
    CHECK(classify({3, 1, 2}) ==
          "f: found the labels 1, 2, 3, expected exactly two different values");
    CHECK(classify({9, 8, 7, 6, 5, 4, 3, 2}) ==
          "f: found the labels 2, 3, 4, …, expected exactly two different values");
    CHECK(classify({}) == "f: found no labels, expected exactly two different values");
  }
}

TEST_CASE("lines of a vocabulary", "[ranks]") {
  const TemporaryFolder folder;
  const std::string path = folder.file("v",
                                       "\xef\xbb\xbf"
                                       "one\r\ntwo words\n\nlast");
  const std::string bad = folder.file("b", std::string("a\nb\0c\n", 6));
  for (const int ranks : rank_counts()) {
    const auto lines = run_ranks<std::vector<std::string>>(
        ranks, [&](Transport& comm) { return read_lines(comm, of_rank_0(comm, path)); });
    for (const auto& result : lines)
      CHECK(result == std::vector<std::string>{"one", "two words", "", "last"});
    const auto messages = run_ranks<std::string>(ranks, [&](Transport& comm) {
      const std::string whole = of_rank_0(comm, bad);
      return message_of(whole, [&] { read_lines(comm, whole); });
    });
    for (const auto& message : messages) CHECK(message == "b:2:2: found a NUL byte, expected text");
  }
}
