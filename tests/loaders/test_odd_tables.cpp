// Tables that look like something else: head lines in lists of vertices, files with other headers,
// first lines of sizes beside --columns, numbers that are no ids, lines that end in CR alone.
#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "gas/base/error.hpp"
#include "loaders/load_points.hpp"
#include "tests/loaders/whole_graph.hpp"

using namespace gas_test;
using Header = TableOptions::Header;

namespace {

using Texts = std::vector<std::string>;

/// What some files of a folder are refused with.
std::string refusal(int ranks, const TemporaryFolder& folder, const Texts& names,
                    const GraphOptions& options = {}) {
  const auto results = run_ranks<std::string>(ranks, [&](Transport& comm) {
    Texts paths;
    for (const std::string& name : names) paths.push_back(of_rank_0(comm, folder.path(name)));
    GraphOptions all = options;
    if (!all.sources.file.empty())
      all.sources.file = of_rank_0(comm, folder.path(all.sources.file));
    return message_of(paths[0], [&] { load_graph(comm, paths, all); });
  });
  for (const std::string& result : results) CHECK(result == results[0]);
  return results[0];
}

/// Vertices of "list" for edges of "g".
GraphOptions listed(Header header = Header::automatic) {
  return {.table = {header, "", {}}, .sources = {.given = true, .file = "list"}};
}

}  // namespace

TEST_CASE("a head line of a list of vertices", "[ranks]") {
  const TemporaryFolder folder;
  const auto load_listed = [&](int ranks, const GraphOptions& options) {
    const auto results = run_ranks<Loaded>(ranks, [&](Transport& comm) {
      GraphOptions here = options;
      here.sources.file = of_rank_0(comm, folder.path("list"));
      const LoadedGraph graph = load_graph(comm, of_rank_0(comm, folder.path("g")), here);
      std::vector<std::string> notes;
      for (const std::string& note : graph.notes) notes.push_back(note.substr(note.rfind('/') + 1));
      return Loaded{collect(comm, graph), notes};
    });
    for (const Loaded& result : results) CHECK(result == results[0]);
    return results[0];
  };
  const Texts numbers{"0", "1", "2", "10"};
  for (const int ranks : rank_counts()) {
    // Above numbers, to edges with numbers.
    folder.file("g", "1 2\n2 10\n");
    for (const std::string head : {"id\tname", "id", "# c\n\nid name", "\tname"}) {
      folder.file("list", head + "\n10\tD\n0\tA\n1\tB\n2\tC\n");
      const Loaded found = load_listed(ranks, listed());
      CHECK(found.whole.source_ids == numbers);
      CHECK(found.whole.source == std::vector<VertexId>{1, 2});
      REQUIRE(found.notes.size() == 1);
      CHECK_THAT(found.notes[0], Catch::StartsWith("list:") &&
                                     Catch::Contains("is read as the names of columns (to "
                                                     "read it as an id, give --header no)"));
      CHECK(load_listed(ranks, listed(Header::yes)).whole.source_ids.size() == 4);
      CHECK_THAT(refusal(ranks, folder, {"g"}, listed(Header::no)),
                 Catch::Contains("expected a number from 0 to 9223372036854775807, as the ids of "
                                 "edges are") ||
                     Catch::Contains("an id before it"));
    }
    // A number is no header, whatever --header says of the edges.
    folder.file("list", "0\n1\n2\n10\n");
    CHECK(load_listed(ranks, listed()).notes.empty());
    folder.file("g", "from to\n1 2\n2 10\n");
    CHECK(load_listed(ranks, listed(Header::yes)).whole.source_ids == numbers);
    // To edges with names the first line is an id, unless --header yes.
    folder.file("g", "b a\na c\n");
    folder.file("list", "id\na\nb\nc\n");
    CHECK(load_listed(ranks, listed()).whole.source_ids == Texts{"a", "b", "c", "id"});
    folder.file("g", "from to\nb a\na c\n");
    const Loaded skipped = load_listed(ranks, listed(Header::yes));
    CHECK(skipped.whole.source_ids == Texts{"a", "b", "c"});
    CHECK(skipped.notes.size() == 1);
    folder.file("list", "a\nb\nc\n");
    CHECK_THAT(refusal(ranks, folder, {"g"}, listed(Header::yes)),
               Catch::StartsWith("g:2:3: found 'a', expected an id that ") &&
                   Catch::EndsWith("list lists below its header"));
  }
}

TEST_CASE("ids of a list are numbers where those of edges are", "[ranks]") {
  const TemporaryFolder folder;
  folder.file("g", "3 7\n7 100\n");
  const std::string expected =
      ", expected a number from 0 to 9223372036854775807, as the ids of edges are";
  const std::vector<std::pair<std::string, std::string>> bad{
      {"3\n7\nx\n100\n", "list:3:1: found 'x'"},
      {"# c\n3\n  7.5 y\n", "list:3:3: found '7.5'"},
      {"-1\n3\n7\n100\n", "list:1:1: found '-1'"},
      {"id\nname\n3\n7\n", "list:1:1: found 'id'"},
      {"id\n", "list:1:1: found 'id'"},
      {"id\n3\n7\n9223372036854775808\n", "list:4:1: found '9223372036854775808'"},
  };
  for (const auto& [list, found] : bad)
    for (const int ranks : rank_counts()) {
      folder.file("list", list);
      CHECK(refusal(ranks, folder, {"g"}, listed()) == found + expected);
    }
}

TEST_CASE("an id of a list that has a comma for a tab is told", "[ranks]") {
  const TemporaryFolder folder;
  folder.file("g", "ann bob\n");
  for (const int ranks : rank_counts()) {
    folder.file("list", "ann,Ann\nbob,Bob\n");
    CHECK_THAT(refusal(ranks, folder, {"g"}, listed()),
               Catch::StartsWith("g:1:1: found 'ann', expected an id that ") &&
                   Catch::EndsWith(
                       "list lists (a tab, not a comma, separates an id from its name there)"));
    folder.file("list", "ann\tAnn\n");
    CHECK_THAT(refusal(ranks, folder, {"g"}, listed()),
               Catch::StartsWith("g:1:5: found 'bob', expected an id that ") &&
                   Catch::EndsWith("list lists"));
  }
}

TEST_CASE("columns count from 1", "[ranks]") {
  for (const std::string columns : {"0,2", "1,0", "0-2", "0-", "00", "2-0"})
    CHECK_THROWS_WITH(parse_columns(columns),
                      fmt::format("--columns: found '{}', expected columns counted from 1, or "
                                  "names",
                                  columns));
  CHECK(parse_columns("10,a0,a-0") == Texts{"10", "a0", "a-0"});
  // A first row of numbers is no header, even if they are no ids.
  const GraphOptions picked{.table = {Header::automatic, "", {"1", "2"}}};
  for (const int ranks : rank_counts()) {
    CHECK(load_text(ranks, "1.5,2.5,x\n1,2,y\n", picked).whole.source.size() == 2);
    CHECK(load_text(ranks, "-1,-2\n1,2\n", picked).whole.source.size() == 2);
  }
}

TEST_CASE("headers of several files name the same columns", "[ranks]") {
  const TemporaryFolder folder;
  folder.file("a.csv", "source,target,x\n1,2,3\n");
  folder.file("b.csv", "# c\ntarget,source,x\n2,3,3\n");
  folder.file("c.csv", "source,target,y\n2,3,3\n");
  folder.file("d.csv", "2,3,3\n");
  const auto with_columns = [](const Texts& columns) {
    return GraphOptions{.table = {Header::automatic, "", columns}};
  };
  for (const int ranks : rank_counts()) {
    CHECK_THAT(refusal(ranks, folder, {"a.csv", "d.csv", "b.csv"}),
               Catch::StartsWith("b.csv:2:1: found the columns target, source, x, expected source, "
                                 "target, x as in ") &&
                   Catch::EndsWith("a.csv"));
    CHECK_THAT(refusal(ranks, folder, {"a.csv", "c.csv"}), Catch::StartsWith("c.csv:1:1: found"));
    CHECK(load_files(ranks, folder, {"a.csv", "c.csv"}, with_columns({"1", "2"})).whole.source ==
          std::vector<VertexId>{0, 1});
    CHECK(load_files(ranks, folder, {"a.csv", "b.csv"}, with_columns({"source", "target"}))
              .whole.source == std::vector<VertexId>{0, 2});
  }
}

TEST_CASE("headers of several files of points name the same columns", "[ranks]") {
  const TemporaryFolder folder;
  folder.file("a.csv", "x,y\n1,2\n");
  folder.file("b.csv", "y,x\n2,1\n");
  for (const int ranks : rank_counts()) {
    const auto refusals = run_ranks<std::string>(ranks, [&](Transport& comm) {
      const Texts paths{of_rank_0(comm, folder.path("a.csv")),
                        of_rank_0(comm, folder.path("b.csv"))};
      return message_of(paths[0], [&] { load_points(comm, paths, {}); });
    });
    for (const std::string& text : refusals)
      CHECK_THAT(text, Catch::StartsWith("b.csv:1:1: found the columns y, x, expected x, y as in"));
  }
}

TEST_CASE("a first line of sizes beside --columns", "[ranks]") {
  const auto options = [](const Texts& columns, Header header = Header::automatic) {
    return GraphOptions{.table = {header, "", columns}};
  };
  for (const int ranks : rank_counts()) {
    for (const std::string rows : {"0 1\n1 2\n2 3\n", "0 1 7 x\n1 2 7 y\n2 3 7 z\n"})
      for (const Texts& columns : {Texts{"1", "2"}, {"2", "1"}, {"1-2"}}) {
        const Loaded found = load_text(ranks, "5 3\n" + rows, options(columns));
        CHECK(found.ids == 5);
        CHECK(found.whole.source.size() == 3);
        CHECK(found.notes == Texts{"g.csv:1: '5 3' is read as the numbers of vertices and edges; "
                                   "if it is an edge, give --header no"});
      }
    CHECK(load_text(ranks, "5 3\n0 1 7 x\n1 2 7 y\n2 3 7 z\n", options({"1", "2", "3"}))
              .whole.value == std::vector<float>{7, 7, 7});
    CHECK(load_text(ranks, "5,3\n0,1\n1,2\n2,3\n", {.table = {Header::automatic, ",", {}}}).ids ==
          5);
    // No sizes: an edge, where it was, in the order of --columns.
    const Loaded edge = load_text(ranks, "5 4\n0 1\n1 2\n", options({"2", "1"}));
    CHECK(edge.whole.source == std::vector<VertexId>{3, 1, 2});
    CHECK(edge.whole.target == std::vector<VertexId>{4, 0, 1});
    CHECK(load_text(ranks, "5 3\n0 1\n1 2\n2 3\n", options({"1", "2"}, Header::no))
              .whole.source.size() == 4);
    // To names they would be no sizes.
    const TemporaryFolder folder;
    folder.file("g", "5 9\n0 1 x y\n");
    CHECK_THAT(refusal(ranks, folder, {"g"}, options({"1", "2"})),
               Catch::StartsWith("g:1:1: found '5 9', expected 4 columns, as in the next line"));
  }
}

TEST_CASE("numbers that are no ids are names, with a note", "[ranks]") {
  const std::vector<std::pair<std::string, std::string>> odd{
      {"-1 0\n", "-1"}, {"0 1.0\n", "1.0"}, {"9223372036854775808 1\n", "9223372036854775808"}};
  for (const int ranks : rank_counts()) {
    for (const auto& [text, id] : odd) {
      const Loaded found = load_text(ranks, text);
      CHECK(found.whole.sources == 2);
      CHECK(
          found.notes ==
          Texts{fmt::format(
              "g.csv:1: ids are read as names, because '{}' is not a whole number from 0 to 2^63-1",
              id)});
    }
    for (const std::string plain : {"a b\n", "nan inf\n", "1 a\n", "1 2\n"})
      CHECK(load_text(ranks, plain).notes.empty());
    CHECK(load_text(ranks, "a b\nx,y;z c\n").whole.sources == 4);
  }
}

TEST_CASE("a carriage return ends no line", "[ranks]") {
  const std::string message =
      ": found a carriage return within a line, expected lines that end in LF or CRLF "
      "(tr '\\r' '\\n' makes LF of CR)";
  const std::vector<std::pair<std::string, std::string>> bad{
      {"1 2\r3 4\r", "1:4"},           {"# c\r1 2\r", "1:4"},
      {"a b\r\nc d\re f\r\n", "2:4"},  {"1 2\n3 4\n5 6\r7 8\n", "3:4"},
      {"1 2\n3 4\n# c\r7 8\n", "3:4"}, {"a,b\nc,d\n\"e\rf\",g\n", "3:3"},
      {"1;2\n3;4\n5;6\r7;8\n", "3:4"}, {"a;b\nc;d\n# e\rf;g\n", "3:4"},
  };
  const TemporaryFolder folder;
  for (const auto& [text, place] : bad)
    for (const int ranks : rank_counts()) {
      INFO(text);
      folder.file("g", text);
      CHECK(refusal(ranks, folder, {"g"}) == "g:" + place + message);
    }
  folder.file("g", "1 2\n");
  folder.file("list", "1\r2\r");
  CHECK(refusal(2, folder, {"g"}, listed()) == "list:1:2" + message);
  CHECK(load_text(2, "1 2\r\n3 4\r").whole.source.size() == 2);
}
