// Edge lists as people have them: delimiters, headers, quotes, columns, sizes, several files; and
// what is said of files that are none.
#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "gas/base/error.hpp"
#include "tests/loaders/whole_graph.hpp"

using namespace gas_test;
using Header = TableOptions::Header;

namespace {

const char* const ring = "1 2\n2 3\n3 1\n";
const char* const weighted_ring = "1 2 .5\n2 3 1\n3 1 4\n";

std::string with(const std::string& delimiter, std::string text) {
  std::string changed;
  for (const char c : text) changed += c == ' ' ? delimiter : std::string(1, c);
  return changed;
}

TableOptions table(Header header, const std::string& delimiter = "",
                   const std::vector<std::string>& columns = {}) {
  return {header, delimiter, columns};
}

}  // namespace

TEST_CASE("a graph is the same between blanks, tabs, commas, semicolons and colons", "[ranks]") {
  const TemporaryFolder folder;
  for (const char* const text : {ring, weighted_ring}) {
    const Whole expected = load(1, folder.file("plain", text));
    for (const std::string delimiter : {"\t", ",", ";", "::", "  ", " , ", "; "})
      check_everywhere("g", with(delimiter, text), expected);
    for (const std::string delimiter : {"|", "::", "\t", ";", ",", "<>"}) {
      GraphOptions options;
      options.table.delimiter = delimiter;
      check_everywhere("g", with(delimiter, text), expected, options);
    }
    const std::string header = std::string("from to") + (text == ring ? "" : " weight") + "\n";
    for (const std::string delimiter : {"\t", ",", ";"})
      check_everywhere("g", with(delimiter, "# c\n\n" + header + text), expected);
  }
}

TEST_CASE("a header above numbers is skipped with a note", "[ranks]") {
  const Whole expected = load_text(1, ring).whole;
  for (const int ranks : rank_counts()) {
    const Loaded found = load_text(ranks, "src,dst\n1,2\n2,3\n3,1\n");
    CHECK(found.whole == expected);
    CHECK(found.notes ==
          std::vector<std::string>{"g.csv:1: 'src,dst' is read as the names of columns (to read it "
                                   "as a row, give --header no)"});
    // --header no makes it an edge, --header yes skips whatever it is, without a word.
    const Loaded kept = load_text(ranks, "src,dst\na,b\n", {.table = table(Header::no)});
    CHECK(kept.whole.source_ids == std::vector<std::string>{"a", "b", "dst", "src"});
    CHECK(kept.notes.empty());
    const Loaded skipped = load_text(ranks, "7 8\n1 2\n2 3\n3 1\n", {.table = table(Header::yes)});
    CHECK(skipped.whole == expected);
    CHECK(skipped.notes.empty());
    CHECK(load_text(ranks, "from,to\n1,2,3\n", {.table = table(Header::yes)}).notes ==
          std::vector<std::string>{"g.csv:1: the header names 2 columns, and its first row has 3"});
    CHECK(
        load_text(ranks, "person,friend\na,b\n", {.table = table(Header::yes)}).whole.source_ids ==
        std::vector<std::string>{"a", "b"});
    // Names above names may be an edge; a third column that is a number only below tells.
    CHECK(load_text(ranks, "a,b\nc,d\n").whole.sources == 4);
    CHECK(load_text(ranks, "source,target,weight\na,b,3\n").whole.value == std::vector<float>{3});
    // The usual names of ends are a header above whatever follows.
    for (const std::string names : {"source,target", "Source Target", "from\tto", "node_1;node_2",
                                    "SourceID,TargetID", "user_id item_id"}) {
      INFO(names);
      const std::string between(1, names[names.find_first_of(" ,;\t")]);
      for (const std::string& rows : {with(between, "a b\nb c\n"), with(between, "4 8\n8 9\n")}) {
        const Loaded below = load_text(ranks, names + "\n" + rows);
        CHECK(below.whole.sources == 3);
        REQUIRE(below.notes.size() == 1);
        CHECK_THAT(below.notes[0], Catch::Contains("is read as the names of columns"));
        CHECK(load_text(ranks, names + "\n" + rows, {.table = table(Header::no)}).whole.sources ==
              5);
      }
    }
    for (const std::string names : {"from,from", "to,from", "source,sink"})
      CHECK(load_text(ranks, names + "\na,b\n").whole.sources >= 3);
    // Between blanks another header is not looked for, but spoken of.
    const Loaded blanks = load_text(ranks, "head tail\n1 2\n");
    CHECK(blanks.whole.sources == 4);
    CHECK(blanks.notes ==
          std::vector<std::string>{"g.csv:1: ids are read as names, as in this line; if the line "
                                   "is a header, give --header yes"});
    // Nothing but a header: nothing.
    CHECK(load_text(ranks, "a,b\n", {.table = table(Header::yes)}).whole == Whole{});
  }
}

TEST_CASE("a first edge that no other one touches is told", "[ranks]") {
  std::string rows;
  for (int i = 0; i < 30; ++i) rows += fmt::format("p{},p{}\n", i % 7, i % 5);
  const std::string note =
      "the two ids of the first edge are in no other edge; if its line is a header, give --header "
      "yes";
  for (const int ranks : rank_counts())
    for (const bool bipartite : {false, true}) {
      const auto notes = [&](const std::string& text, Header header = Header::automatic) {
        return load_text(ranks, text, {.table = table(header), .bipartite = bipartite}).notes;
      };
      CHECK(notes("person,friend\n" + rows) == std::vector<std::string>{note});
      CHECK(notes("person,friend\n" + rows, Header::no).empty());
      CHECK(notes("person,friend\n" + rows, Header::yes).empty());
      CHECK(notes("person,friend\na,b\n").empty());  // too few to tell
      CHECK(notes("p3,friend\n" + rows).empty());
      CHECK(notes(rows).empty());
      CHECK(notes("p9,p3\n" + rows).empty());
    }
}

TEST_CASE("empty lines that end in CRLF are no rows", "[ranks]") {
  const Whole expected = load_text(1, ring).whole;
  for (const int ranks : rank_counts()) {
    CHECK(load_text(ranks, "\r\nfrom,to\r\n\r\n1,2\r\n2,3\r\n3,1\r\n").whole == expected);
    CHECK(load_text(ranks, "\r\n\r\n1,2\r\n2,3\r\n3,1").whole == expected);
  }
}

TEST_CASE("the row index of pandas is named in a note, and can be left out", "[ranks]") {
  const std::string text = ",src,dst\n0,1,2\n1,2,3\n2,3,1\n";
  const Whole expected = load_text(1, ring).whole;
  for (const int ranks : rank_counts()) {
    const Loaded whole = load_text(ranks, text);
    REQUIRE(whole.notes.size() == 2);
    CHECK_THAT(whole.notes[1], Catch::Contains("as pandas writes its row index") &&
                                   Catch::Contains("--columns 2-3 leaves it out"));
    CHECK(whole.whole.value == std::vector<float>{2, 3, 1});
    for (const std::vector<std::string>& columns :
         {std::vector<std::string>{"2-3"}, {"src", "dst"}, {"2", "3"}, {"2-"}}) {
      const Loaded chosen =
          load_text(ranks, text, {.table = table(Header::automatic, "", columns)});
      CHECK(chosen.whole == expected);
      for (const std::string& note : chosen.notes) CHECK_THAT(note, !Catch::Contains("pandas"));
    }
  }
}

TEST_CASE("a header above names is told by a column of numbers that is left out", "[ranks]") {
  const std::string roads = "from,to,km\nOslo,Rome,3\nRome,Bern,4\n";
  const std::string times = "when,a,b\n17,x,y\n18,y,z\n", names = "a,b,c\nx,y,z\ny,z,x\n";
  for (const auto& [text, columns, edges] :
       {std::tuple{roads, std::vector<std::string>{"1", "2"}, 2U},
        {times, {"2", "3"}, 2U},
        {names, {"1", "2"}, 3U}}) {  // nothing tells it
    GraphOptions options;
    options.table = table(Header::automatic, "", columns);
    CHECK(load_text(2, text, options).whole.source.size() == edges);
  }
}

TEST_CASE("the row index of pandas tells a header though it is left out", "[ranks]") {
  for (const int ranks : rank_counts())
    for (const std::string text : {",src,dst\n0,a,b\n1,b,c\n", ",src,dst,w\n0,a,b,7\n1,b,c,7\n"})
      CHECK(load_text(ranks, text, {.table = table(Header::automatic, "", {"2", "3"})})
                .whole.source_ids == std::vector<std::string>{"a", "b", "c"});
}

TEST_CASE("columns are picked by name and number", "[ranks]") {
  const std::string ratings =
      "userId,movieId,rating,timestamp\n1,31,2.5,1260759144\n1,1029,3.0,1260759179\n7,31,4,0\n";
  const std::string colons = "1::31::2.5::1260759144\n1::1029::3.0::1260759179\n7::31::4::0\n";
  GraphOptions options{.bipartite = true};
  Whole expected;
  expected.sources = expected.targets = 2;
  expected.source = {0, 0, 1};
  expected.target = {0, 1, 0};
  expected.value = {2.5F, 3, 4};
  expected.source_ids = {"1", "7"};
  expected.target_ids = {"31", "1029"};
  options.table.columns = {"userId", "movieId", "rating"};
  check_everywhere("ratings.csv", ratings, expected, options);
  options.table.columns = {"1", "2", "3"};
  check_everywhere("ratings.csv", ratings, expected, options);
  check_everywhere("ratings.dat", colons, expected, options);
  options.table.columns = {"2", "1"};
  const Whole swapped = load_text(2, colons, options).whole;
  CHECK(swapped.source == expected.target);
  CHECK(swapped.target == expected.source);
  CHECK(swapped.value.empty());
}

TEST_CASE("quoted fields, and names with blanks", "[ranks]") {
  Whole expected;
  expected.sources = expected.targets = 3;
  expected.source = {1, 0};
  expected.target = {2, 1};
  expected.value = {2, 3};
  expected.source_ids = {"Bo \"B\" Ek", "Smith, Ann", "\xc3\x85sa; X"};
  for (const std::string delimiter : {",", ";", "\t", "|"}) {
    GraphOptions options;
    if (delimiter == "|") options.table.delimiter = delimiter;
    const std::string text = with(delimiter,
                                  "\"Smith,_Ann\" \"\xc3\x85sa;_X\" 2\r\n"
                                  "\"Bo_\"\"B\"\"_Ek\" \"Smith,_Ann\" \"3\"\r\n");
    std::string spaced = text;
    std::replace(spaced.begin(), spaced.end(), '_', ' ');
    check_everywhere("g", spaced, expected, options);
  }
  const Whole numbers = load_text(1, ring).whole;
  check_everywhere("g", "\"1\",\"2\"\n\"2\",3\n3,\"1\"\n", numbers);
  check_everywhere("g", "\"from\",\"to\"\n1,2\n2,3\n3,1\n", numbers);
  CHECK(load_text(2, "New York\tLos Angeles\nLos Angeles\tRome\n").whole.source_ids ==
        std::vector<std::string>{"Los Angeles", "New York", "Rome"});
}

TEST_CASE("a line of sizes is no edge", "[ranks]") {
  const Whole expected = load_text(1, ring).whole;
  const Whole weighted = load_text(1, weighted_ring).whole;
  for (const std::string delimiter : {" ", ",", "\t"}) {
    check_everywhere("g", with(delimiter, std::string("# sizes\n3 3\n") + ring), expected);
    check_everywhere("g", with(delimiter, std::string("3 3\n") + weighted_ring), weighted);
  }
  for (const int ranks : rank_counts()) {
    const Loaded from_one = load_text(ranks, std::string("3 3\n") + ring);
    CHECK(from_one.whole == expected);
    CHECK(from_one.first_id == 1);
    CHECK(from_one.ids == 3);
    CHECK(from_one.notes ==
          std::vector<std::string>{"g.csv:1: '3 3' is read as the numbers of vertices and edges; "
                                   "if it is an edge, give --header no"});
    const Loaded from_zero = load_text(ranks, "4 2\n0 1\n3 1\n");
    CHECK(from_zero.whole.sources == 4);
    CHECK(from_zero.whole.source == std::vector<VertexId>{0, 3});
    CHECK(from_zero.whole.target == std::vector<VertexId>{1, 1});
    CHECK(from_zero.first_id == 0);
    CHECK(from_zero.ids == 4);
    // In several files, behind an empty one, of the edges of all of them.
    const TemporaryFolder folder;
    folder.file("none", "");
    folder.file("a", "4 3\n0 1\n");
    folder.file("b", "3 1\n1 0\n");
    folder.file("weighted", "4 2\n0 1 .5\n");
    folder.file("more", "3 1 2\n");
    const Loaded together = load_files(ranks, folder, {"none", "a", "b"});
    CHECK(together == load_files(ranks, folder, {"a", "b"}));
    CHECK(together.whole.sources == 4);
    CHECK(together.whole.source == std::vector<VertexId>{0, 3, 1});
    CHECK(together.ids == 4);
    CHECK(together.notes ==
          std::vector<std::string>{"a:1: '4 3' is read as the numbers of vertices and edges; if it "
                                   "is an edge, give --header no"});
    CHECK(load_files(ranks, folder, {"weighted", "more"}).whole.source ==
          std::vector<VertexId>{0, 3});
    CHECK(load_files(ranks, folder, {"b", "a"}).whole.source.size() == 4);
    // Each with its own; only some, which is said; one that is an edge beyond 4 bytes.
    folder.file("c", "6 1\n5 0\n");
    CHECK(load_files(ranks, folder, {"a", "b"}).ids == 4);
    folder.file("own", "4 1\n0 1\n");
    const Loaded each = load_files(ranks, folder, {"own", "none", "c"});
    CHECK(each.ids == 6);
    CHECK(each.whole.source == std::vector<VertexId>{0, 5});
    const Loaded some = load_files(ranks, folder, {"a", "c"});
    CHECK(some.whole.source.size() == 4);
    CHECK(some.notes.size() == 1);
    const Loaded far = load_text(ranks, "5000000000 2\n0 1\n1 2\n");
    CHECK(far.whole.source == std::vector<VertexId>{3, 0, 1});
    CHECK(far.whole.target == std::vector<VertexId>{2, 1, 2});
    // Where vertices are declared, too.
    const GraphOptions five{.sources = {.given = true, .count = 5}};
    const Loaded declared = load_text(ranks, "4 2\n0 1\n3 1\n", five);
    CHECK(declared.whole.sources == 5);
    CHECK(declared.whole.source == std::vector<VertexId>{0, 3});
    CHECK(declared.notes.size() == 1);
    CHECK(load_text(ranks, "4 3\n0 1\n3 1\n", five).whole.source == std::vector<VertexId>{4, 0, 3});
    const auto refusals = run_ranks<std::string>(ranks, [&](Transport& comm) {
      const std::string path = of_rank_0(comm, folder.path("weighted"));
      return message_of(path, [&] { load_graph(comm, path, five); });
    });
    for (const std::string& refusal : refusals)
      CHECK_THAT(refusal, Catch::Contains("weighted:1:1: found '4 2', expected 3 columns"));
    // Another number of lines, an id beyond n, two kinds of ids, --header no: an edge.
    CHECK(load_text(ranks, "4 3\n0 1\n3 1\n").whole.source.size() == 3);
    CHECK(load_text(ranks, "4 2\n0 1\n4 1\n").whole.source.size() == 3);
    CHECK(load_text(ranks, "2 2\n1 2\n3 1\n").whole.source.size() == 3);
    CHECK(load_text(ranks, "3 3\n" + std::string(ring), {.bipartite = true}).whole.source.size() ==
          4);
    CHECK(load_text(ranks, "3 3\n" + std::string(ring), {.table = table(Header::no)})
              .whole.source.size() == 4);
    CHECK(load_text(ranks, "1 0\n").whole.source.size() == 1);
    CHECK(load_text(ranks, "4 2\n0 1\n3 1\n4294967296 1\n").whole.source.size() == 4);
  }
  // Larger than a block: the rows are those that --vertices would declare.
  std::string rest;
  for (int i = 0; i < 4000; ++i) rest += fmt::format("{} {}\n", i, 4999 - i % 7);
  check_everywhere("g", "5000 4000\n" + rest,
                   load_text(1, rest, {.sources = {.given = true, .count = 5000}}).whole);
  // More vertices than there may be: an edge.
  CHECK(load_text(1, "8589934593 4000\n" + rest).whole.source.size() == 4001);
}

TEST_CASE("three numbers that may be sizes are an edge, with a note", "[ranks]") {
  for (const std::string between : {" ", ","}) {
    std::string text = "3 3 4\n1 2 5\n2 3 6\n3 1 7\n1 3 8\n", edge = "3 3 4";
    for (std::string* each : {&text, &edge}) std::ranges::replace(*each, ' ', between[0]);
    for (const int ranks : rank_counts()) {
      const Loaded found = load_text(ranks, text);
      CHECK(found.whole.source.size() == 5);
      REQUIRE(found.notes.size() == 1);
      CHECK_THAT(found.notes[0],
                 Catch::Contains(":1: '" + edge + "' is read as an edge; if it tells"));
    }
  }
  CHECK(load_text(2, "3 3 2\n1 2 5\n").notes.empty());  // fewer than the ids
}

TEST_CASE("several files are one graph", "[ranks]") {
  const TemporaryFolder folder;
  std::string all, part[3];
  for (int i = 0; i < 3000; ++i) {
    const std::string line = fmt::format("{} {} {}\n", i * 7919 % 503, i % 419, i % 17);
    all += line;
    part[i < 100 ? 0 : i < 101 ? 1 : 2] += line;
  }
  folder.file("all", all);
  folder.file("a", part[0]);
  folder.file("b.gz", gzip("# b\n" + part[1]));
  folder.file("c.csv", with(",", "from to weight\n" + part[2]));
  folder.file("empty", "# nothing\n");
  for (const std::string name : {"names", "n1", "n2"}) {
    std::string text;
    std::istringstream lines(name == "names" ? all : name == "n1" ? part[0] : part[1] + part[2]);
    for (std::string line; std::getline(lines, line);)
      text += "x" + line.replace(line.find(' '), 1, " y") + "\n";
    folder.file(name, text);
  }
  for (const int ranks : rank_counts())
    for (const unsigned threads : {1U, 2U}) {
      GraphOptions options;
      options.threads = threads;
      for (const std::size_t block : {TextInput::usual_block, std::size_t{300}}) {
        options.block_bytes = block;
        const Whole expected = load_files(ranks, folder, {"all"}, options).whole;
        CHECK(load_files(ranks, folder, {"a", "b.gz", "c.csv"}, options).whole == expected);
        CHECK(load_files(ranks, folder, {"empty", "a", "b.gz", "empty", "c.csv"}, options).whole ==
              expected);
        CHECK(load_files(ranks, folder, {"n1", "n2"}, options).whole ==
              load_files(ranks, folder, {"names"}, options).whole);
      }
    }
  folder.file("wrong", "1 2 3\n4 x 5\n");
  folder.file("two", "1 2\n");
  folder.file("x.mtx", "%%MatrixMarket matrix coordinate pattern general\n1 1 1\n1 1\n");
  const auto refused = [&](int ranks, const std::vector<std::string>& names) {
    return run_ranks<std::string>(ranks, [&](Transport& comm) {
      std::vector<std::string> paths;
      for (const std::string& name : names) paths.push_back(of_rank_0(comm, folder.path(name)));
      return message_of(paths[0], [&] { load_graph(comm, paths); });
    })[0];
  };
  for (const int ranks : rank_counts()) {
    CHECK_THAT(refused(ranks, {"a", "b.gz", "wrong"}),
               Catch::StartsWith("wrong:2:3: found 'x', expected a number"));
    CHECK(refused(ranks, {"a", "two"}) ==
          "two:1:1: found 2 columns, expected as many as in the files before");
    CHECK(refused(ranks, {"a", "n1"}).starts_with("n1:1:1: found 'x0', expected a number"));
    CHECK(refused(ranks, {"a", "x.mtx"}) ==
          "x.mtx: found a file of the format mtx, expected edges, as that of the files before");
    CHECK(refused(ranks, {"x.mtx", "x.mtx"}) ==
          "x.mtx: found several files, one of the format mtx, which declares its sizes, expected "
          "one file only, or several of the format edges, libsvm, ldac, vw or csv");
    CHECK(refused(ranks, {"a", "missing"}) == "missing: cannot open it: No such file or directory");
  }
}

TEST_CASE("files without an edge, and numbers after names, in several files", "[ranks]") {
  const TemporaryFolder folder;
  folder.file("empty", "# nothing\n");
  folder.file("names", "alice bob\n");
  folder.file("a.csv", "B00A,17\n");
  folder.file("b.csv", "17,42\n");
  folder.file("ab.csv", "B00A,17\n17,42\n");
  folder.file("head.csv", "src,dst\n");
  folder.file("edges.csv", "src,dst\n1,2\n2,10\n");
  folder.file("more.csv", "src,dst\n10,3\n");
  folder.file("all.csv", "src,dst\n1,2\n2,10\n10,3\n");
  folder.file("empty.vw", "\n");
  folder.file("u.vw", "| a\n| b\n");
  for (const int ranks : rank_counts()) {
    const auto loaded = [&](const std::vector<std::string>& names, Header header = {}) {
      GraphOptions options;
      options.table.header = header;
      return load_files(ranks, folder, names, options).whole;
    };
    CHECK(loaded({"empty", "empty", "names"}) == loaded({"names"}));
    CHECK(loaded({"a.csv", "b.csv"}) == loaded({"ab.csv"}));
    // Other programs write a header where a part has no row.
    CHECK(loaded({"edges.csv", "head.csv", "more.csv"}) == loaded({"all.csv"}));
    CHECK(loaded({"head.csv", "edges.csv"}, Header::yes) == loaded({"edges.csv"}));
    CHECK(loaded({"empty.vw", "u.vw"}) == loaded({"u.vw"}));
    const std::string refused = run_ranks<std::string>(ranks, [&](Transport& comm) {
      const std::vector<std::string> paths{of_rank_0(comm, folder.path("head.csv")),
                                           of_rank_0(comm, folder.path("edges.csv"))};
      return message_of(paths[0], [&] { load_graph(comm, paths); });
    })[0];
    CHECK_THAT(refused, Catch::StartsWith("head.csv:1:1: found one row without a number"));
  }
}

TEST_CASE("what a table cannot be is said with its place", "[ranks]") {
  struct Bad {
    std::string text, message;
    TableOptions options = {};
  };
  const auto columns = [](const std::vector<std::string>& names) {
    return table(Header::automatic, "", names);
  };
  const std::vector<Bad> bad{
      {"1::2::3::4\n",
       "g:1:10: found '4', expected two or three columns (--columns SOURCE,TARGET,VALUE picks "
       "them)"},
      {"a,b,1,x\n",
       "g:1:7: found 'x', expected two or three columns (--columns SOURCE,TARGET,VALUE picks "
       "them)"},
      {"1,2,3,4\n",
       "g:1:7: found '4', expected the end of the line after three columns (--columns picks "
       "others)"},
      {"from,to\n1,5,6\n2,6,7\n",
       "g:1:1: found the names of 2 columns, expected those of all 3, as --columns takes them by "
       "name (R leaves out that of its row names: give --columns by number)",
       columns({"from", "to"})},
      {"a,b,1\nc,d\n", "g:2:4: found the end of the line, expected 3 columns, as in the first row"},
      {"a,b\nc,d,1\n", "g:2:5: found '1', expected 2 columns, as in the first row"},
      {"a,b\nc,\n", "g:2:3: found an empty field, expected an id"},
      {"a;b,c\n",
       "g:1:2: found both commas and semicolons, expected one of them between fields (to choose "
       "one, give --delimiter)"},
      {"\"a,b\n",
       "g:1:1: found a quotation mark that is not closed in its line, expected a closing "
       "one"},
      {"a,b\n\"c\"d,e\n",
       "g:2:4: found 'd', expected the delimiter ',' after a closing quotation mark"},
      {"a,b,1\nc,d,x\n",
       "g:2:5: found 'x', expected a finite number, the edge's value (--columns 1,2 leaves the "
       "third column out)"},
      {"a,b,1\nc,d,1e39\n",
       "g:2:5: found '1e39', expected a number that a 32-bit float holds, at most 3.4e38 in size"},
      {"1;2\n3;4x\n",
       "g:2:3: found '4x', expected a number from 0 to 9223372036854775807, as the ids of the "
       "first edge are (if ids are names, give --ids names)"},
      {"from,to\n1,2\nx,3\n",
       "g:3:1: found 'x', expected a number from 0 to 9223372036854775807, as the ids of the "
       "first edge are (if ids are names, give --ids names)"},
      {"1\t4\n5\t\t1\n",
       "g:2:2: found two tabs side by side, expected a field between them (if they are one gap, "
       "give "
       "--delimiter blanks)"},
      {"1,2\n3,,4\n",
       "g:2:3: found an empty field, expected a number from 0 to 9223372036854775807, as the ids "
       "of "
       "the first edge are (if ids are names, give --ids names)"},
      {"from,to\n1,2\n",
       "g:1:1: found the columns from, to, expected one column 'until', as --columns names it",
       columns({"from", "until"})},
      {"a,a\n1,2\n",
       "g:1:1: found the columns a, a, expected one column 'a', as --columns names it",
       columns({"a", "2"})},
      {"1,2\n", "g:1:1: found 2 columns, expected column 3, as --columns names it",
       columns({"1", "3"})},
      {"7\n", "g:1:1: found column 1 twice in --columns, expected each column once",
       columns({"1", "1-1"})},
      {"a,b\n1,2\n", "g:2:1: found column 2 twice in --columns, expected each column once",
       columns({"1-2", "b"})},
      {"a,b,c\n1,2\n3,4\n", "g:2:1: found 2 columns, expected column c, as --columns names it",
       columns({"a", "c"})},
      {"5 3\n1 2 1\n2 3 1\n",
       "g:1:1: found '5 3', expected 3 columns, as in the next line, or the numbers of "
       "vertices "
       "and of the 2 edges that follow"},
      {"1 2:1 7:.5\n",
       "g:1:3: found '2:1', expected a second id; the line looks like libsvm or ldac (if it is, "
       "give --format)"},
      {"30\n20\n100\n1 1 2\n",
       "g:1:3: found the end of the line, expected a second id (if the file is docword, give "
       "--format docword)"},
  };
  const TemporaryFolder folder;
  for (const Bad& each : bad) {
    const std::string path = folder.file("g", each.text);
    for (const int ranks : rank_counts()) {
      INFO(each.text << " on " << ranks << " ranks");
      CHECK(failure(ranks, path, {.table = each.options}) == each.message);
    }
  }
  CHECK(failure(2, folder.file("g", "1 2:1\n"), {.format = Format::edges}).empty());
  CHECK_THROWS_AS(parse_delimiter("x"), UsageError);
  CHECK_THROWS_AS(parse_delimiter(""), UsageError);
  CHECK_THROWS_AS(parse_delimiter("."), UsageError);
  CHECK(parse_delimiter("tab") == "\t");
  CHECK_THROWS_AS(parse_columns("a,,b"), UsageError);
  CHECK(parse_columns("a,2,3-5") == std::vector<std::string>{"a", "2", "3-5"});
  CHECK(failure(2, folder.file("x.svm", "1 1:1\n"), {.table = table(Header::yes)}) ==
        "x.svm: found a file of the format libsvm, expected an edge list or csv: --header, "
        "--delimiter and --columns are for these only");
}

TEST_CASE("ids that are numbers can be read as names", "[ranks]") {
  TableOptions names;
  names.names = true;
  for (const int ranks : rank_counts())
    for (const std::string text : {"007 7\n7 x\n", "007,7\n7,x\n", "source,target\n007,7\n7,x\n"}) {
      INFO(text << " on " << ranks << " ranks");
      const Loaded found = load_text(ranks, text, {.table = names});
      CHECK(found.whole.source_ids == std::vector<std::string>{"007", "7", "x"});
      CHECK(found.whole.source == std::vector<VertexId>{0, 1});
      CHECK(found.whole.target == std::vector<VertexId>{1, 2});
      CHECK(found.notes.size() == (text.starts_with("source") ? 1U : 0U));
    }
  // A first line "n m" is an edge then, and ids that are declared are names, too.
  const TemporaryFolder folder;
  folder.file("g", "3 2\n1 2\n2 3\n");
  CHECK(load_text(2, "3 2\n1 2\n2 3\n", {.table = names}).whole.source.size() == 3);
  for (const int ranks : rank_counts()) {
    const std::string list = folder.file("list", "01\n1\n2\n3\n");
    const auto sources = run_ranks<std::vector<std::string>>(ranks, [&](Transport& comm) {
      const LoadedGraph graph =
          load_graph(comm, of_rank_0(comm, folder.path("g")),
                     {.table = names, .sources = {.given = true, .file = of_rank_0(comm, list)}});
      return collect(comm, graph).source_ids;
    })[0];
    CHECK(sources == std::vector<std::string>{"01", "1", "2", "3"});
  }
  CHECK(failure(2, folder.file("x.svm", "1 1:1\n"), {.table = names}) ==
        "x.svm: found a file of the format libsvm, expected an edge list: --ids is for edge lists "
        "only");
}

TEST_CASE("columns that are likely not meant are told", "[ranks]") {
  const std::string rows =
      "g.csv:1: the first column, 'id', is read as data; if it numbers the rows, --columns 2-3 "
      "leaves it out";
  const std::string time =
      "g.csv:2: '1082040961' looks like a time in seconds or milliseconds, and is read as the "
      "value of an edge (--columns 1,2 leaves it out)";
  for (const int ranks : rank_counts()) {
    CHECK(load_text(ranks, "id,a,b\n0,1,2\n1,2,3\n").notes.back() == rows);
    CHECK(load_text(ranks, "a b 3\n1 2 1082040961\n", {.table = table(Header::yes)}).notes ==
          std::vector<std::string>{time});
    for (const std::string value : {"1", "2500000", "0.5", "5000000000", "1.5e9"})
      CHECK(load_text(ranks, "1 2 " + value + "\n2 3 1\n").notes.empty());
    CHECK(load_text(ranks, "1 2 1082040961123\n").notes.size() == 1);
    CHECK(load_text(ranks, "1 2 1082040961\n",
                    {.table = table(Header::automatic, "", {"1", "2", "3"})})
              .notes.empty());
    CHECK(load_text(ranks, "1 2 1082040961\n", {.table = table(Header::automatic, "", {"1", "2"})})
              .notes.empty());
  }
}

TEST_CASE("what is not read says what it looks like", "[ranks]") {
  const TemporaryFolder folder;
  const auto zeros = [](const std::string& text) {
    std::string wide;
    for (const char c : text) wide += std::string(1, c) + std::string(1, '\0');
    return wide;
  };
  const std::vector<std::pair<std::string, std::string>> kinds{
      {"PAR1\x15" + std::string(20, '\4'), "a Parquet file"},
      {"\x89HDF\r\n\x1a\n" + std::string(20, '\4'), "an HDF5 file"},
      {"\xfd" + std::string("7zXZ\0", 5) + std::string(20, '\4'), "an xz file"},
      {"BZh91AY&SY" + std::string(20, '\4'), "a bzip2 file"},
      {"PK\x03\x04" + std::string(20, '\4'), "a zip file (npz, xlsx and others)"},
      {"\xff\xfe" + zeros("1 2\n3 4\n"), "UTF-16 text"},
      {zeros("1 2\n3 4\n"), "UTF-16 text"},
      {"{\"s\": 1, \"t\": 2}\n", "JSON"},
      {"[\n {\"s\": 1}]\n", "JSON"},
      {"[[1, 2], [3, 4]]\n", "JSON"},
      {"<?xml version=\"1.0\"?>\n<graphml>\n", "XML"},
      {"<!DOCTYPE html>\n<html>\n", "a web page"},
      {"MATLAB 5.0 MAT-file, Platform: GLNXA64\1", "a MATLAB file"},
      {"a.txt" + std::string(252, '\0') + "ustar\0" + std::string(300, '\0'), "a tar archive"},
      {"c 9th challenge\nc\np sp 3 2\na 1 2 7\na 2 3 1\n", "a DIMACS graph"},
      {"p edge 3 2\ne 1 2\ne 2 3\n", "a DIMACS graph"},
      {"Creator \"ann\"\r\ngraph\r\n[\r\n  node [ id 1 ]\r\n]\r\n", "a GML graph"},
      {"graph [\n  directed 0\n]\n", "a GML graph"},
      {"*Vertices 2\n1 \"a\"\n2 \"b\"\n*Edges\n1 2\n", "a Pajek network"},
      {"digraph {\n a -> b\n}\n", "a DOT graph"},
      {"nodedef>name VARCHAR,label VARCHAR\ns1,Site 1\n", "a GDF graph"},
      {"sep=;\na;b\n", "Excel's line about the separator"},
  };
  for (const auto& [text, kind] : kinds)
    for (const char* name : {"g", "g.gz", "x.svm", "docword.x"})
      for (const int ranks : {1, 2}) {
        const std::string path = folder.file(name, std::string(name) == "g.gz" ? gzip(text) : text);
        CHECK_THAT(
            failure(ranks, path),
            Catch::StartsWith(fmt::format("{}: found what looks like {}, expected ", name, kind)));
      }
  // Names that begin alike.
  CHECK(failure(1, folder.file("g", "PAR1 PAR2\n")).empty());
  CHECK(failure(1, folder.file("g", "BZh91 x\n")).empty());
  CHECK(failure(1, folder.file("g", "{a} {b}\n")).empty());
  CHECK(failure(1, folder.file("g", "c d\np sp\n")).empty());
  CHECK(failure(1, folder.file("g", "graph b\n[ c\n")).empty());
  CHECK(failure(1, folder.file("g", "c d")).empty());
  CHECK(failure(1, folder.file("x.bvecs", "\1")) ==
        "x.bvecs: found a file of bytes (.bvecs), expected text, npy, fbin or fvecs "
        "(numpy.fromfile and numpy.save make npy)");
}

TEST_CASE("columns of libsvm from 0", "[ranks]") {
  Whole expected;
  expected.sources = 3;
  expected.targets = 4;
  expected.source = {0, 0, 2};
  expected.target = {0, 3, 1};
  expected.value = {1, 2, 3};
  expected.source_ids = {"1", "2", "3"};
  expected.target_ids = {"0", "1", "2", "3"};
  expected.labels = {1, -1, 1};
  check_everywhere("x.svm", "1 0:1 3:2\n-1\n1 1:3\n", expected, {.index_base = 0});
  const TemporaryFolder folder;
  folder.file("q.svm", "1 qid:3 1:1 4:2 # x\n-1 qid:4\n1 2:3\n");
  for (std::string& id : expected.target_ids) id = std::to_string(std::stoi(id) + 1);
  for (const int ranks : rank_counts()) {
    const Loaded loaded = load_files(ranks, folder, {"q.svm"});
    CHECK(loaded.whole == expected);
    CHECK(loaded.notes == std::vector<std::string>{"q.svm: query ids (qid:N) are ignored"});
  }
  folder.file("a.svm", "1 1:1 4:2\n");
  folder.file("b.svm", "-1\n1 2:3\n");
  for (const int ranks : rank_counts())  // which of them has such ids is not told
    CHECK_THAT(
        load_files(ranks, folder, {"q.svm", "a.svm"}).notes.at(0),
        Catch::StartsWith("q.svm, ") && Catch::EndsWith("a.svm: query ids (qid:N) are ignored"));
  for (const int ranks : rank_counts())
    CHECK(load_files(ranks, folder, {"a.svm", "b.svm"}).whole == expected);
}

TEST_CASE("ldac", "[ranks]") {
  Whole expected;
  expected.sources = 4;
  expected.targets = 8;
  expected.source = {0, 0, 2, 3};
  expected.target = {0, 7, 2, 0};
  expected.value = {3, 1, 5, 1};
  expected.source_ids = {"0", "1", "2", "3"};
  expected.target_ids = {"0", "1", "2", "3", "4", "5", "6", "7"};
  check_everywhere("x.ldac", "2 0:3 7:1\n0\n1 2:5\r\n1 0:1\n", expected);
  check_everywhere("x", "2 0:3 7:1\n0\n1 2:5\n1 0:1", expected, {.format = Format::ldac});
  const TemporaryFolder folder;
  folder.file("a.ldac", "2 0:3 7:1\n0\n");
  folder.file("b.ldac", "1 2:5\n1 0:1\n");
  for (const int ranks : rank_counts())
    CHECK(load_files(ranks, folder, {"a.ldac", "b.ldac"}).whole == expected);
  const std::vector<std::pair<std::string, std::string>> bad{
      {"2 0:3\n", "1:1: found 2 pairs declared, expected 1, which is how many follow"},
      {"1 0:3\n1 3\n", "2:3: found '3', expected WORD:COUNT with a word from 0 to 4294967293"},
      {"1 0:.5\n", "1:5: found '.5', expected a count from 0 to 16777215"},
      {"1 0:16777216\n", "1:5: found '16777216', expected a count from 0 to 16777215"},
      {"x 0:5\n", "1:1: found 'x', expected the number of pairs in the line"},
  };
  for (const auto& [text, message] : bad)
    for (const int ranks : rank_counts())
      CHECK(failure(ranks, folder.file("x.ldac", text)) == "x.ldac:" + message);
}

TEST_CASE("VW", "[ranks]") {
  Whole expected;
  expected.sources = 4;
  expected.targets = 5;
  expected.source = {0, 0, 0, 1, 3, 3};
  expected.target = {2, 3, 0, 1, 4, 4};
  expected.target_ids = {"ab", "f^a", "f^b", "s^c", "x"};
  expected.value = {1, 1, 6, .5F, 2, 1};
  expected.source_ids = {"1", "2", "3", "4"};
  expected.labels = {1, -1, 1, -1};
  const std::string text = "1 'tag|f b |s c |:2 ab:3\n-1 1.0 |f a:.5\n\n1 |\n-1 | x:2 x\n";
  // A scale goes with the name of a namespace, which may be empty.
  check_everywhere("x.vw", text, expected);
  check_everywhere("x", text, expected, {.format = Format::vw});
  const TemporaryFolder folder;
  folder.file("a.vw", text.substr(0, text.find("\n\n") + 1));
  folder.file("b.vw", text.substr(text.find("\n\n") + 1));
  Whole unlabelled = expected;
  unlabelled.labels.clear();
  folder.file("u.vw", "'tag|f b |s c |:2 ab:3\n|f a:.5\n|\n| x:2 x\n");
  for (const int ranks : rank_counts()) {
    CHECK(load_files(ranks, folder, {"a.vw", "b.vw"}).whole == expected);
    CHECK(load_files(ranks, folder, {"u.vw"}).whole == unlabelled);
  }
  const std::vector<std::pair<std::string, std::string>> bad{
      {"1 2 |f a\n",
       "1:3: found '2', expected an importance weight of 1, or none: others are not supported"},
      {"1 1 .5 |f a\n", "1:5: found '.5', expected '|': initial predictions are not supported"},
      {"1|f a\n", "1:1: found '1', expected a blank before '|', or a tag that begins with '"},
      {"x |f a\n", "1:1: found 'x', expected a label (a finite number)"},
      {"1 |f a\n|f a\n", "2:1: found no label, expected one, as in the first line"},
      {"|f a\n1 |f a\n", "2:1: found a label, expected none, as in the first line"},
      {"1 a:1\n",
       "1:6: found the end of the line, expected '|' and the features after it, as in VW"},
      {"1 |f a:x\n", "1:8: found 'x', expected a finite number, the feature's value"},
      {"1 |f :1\n", "1:6: found ':1', expected FEATURE or FEATURE:VALUE"},
  };
  for (const auto& [line, message] : bad)
    for (const int ranks : rank_counts())
      CHECK(failure(ranks, folder.file("x.vw", line)) == "x.vw:" + message);
}
