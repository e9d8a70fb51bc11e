// Tables of examples, read by load_graph and as a stream, on several ranks, plain and packed.
#include "loaders/ids/hashed.hpp"
#include "loaders/stream_examples.hpp"
#include "tests/loaders/whole_graph.hpp"

using namespace gas_test;

namespace {

/// Six features: age, city=, city=B\nonn, city=K,öln, paid=no, paid=yes; 0 and empty fields are
/// none.
const std::string text =
    "age,\"ci\"\"ty\",y,paid\r\n"
    "31,\"K,\"\"x\"\"\",1,yes\n"
    "0, A ,-1,no\n"
    "\n"
    ",\"B\nonn\",1,\n"
    "-2.5,A,-1,yes";

Whole expected_of_text() {
  Whole expected;
  expected.sources = 4;
  expected.target_ids = {"age",     "ci\"ty=A", "ci\"ty=B\\nonn", "ci\"ty=K,\"x\"",
                         "paid=no", "paid=yes"};
  expected.targets = 6;
  expected.source = {0, 0, 0, 1, 1, 2, 3, 3, 3};
  expected.target = {0, 3, 5, 1, 4, 2, 0, 1, 5};
  expected.value = {31, 1, 1, 1, 1, 1, -2.5F, 1, 1};
  expected.source_ids = {"1", "2", "3", "4"};
  expected.labels = {1, -1, 1, -1};
  return expected;
}

GraphOptions csv(const std::string& label, const std::vector<std::string>& categorical = {}) {
  GraphOptions options;
  options.format = Format::csv;
  options.examples.label = label;
  options.examples.categorical = categorical;
  return options;
}

/// What a call says of the columns, and its notes.
struct TableNotes {
  ExampleTable table;
  std::vector<std::string> notes;
};

TableNotes told(int ranks, const std::string& path, const GraphOptions& options) {
  return run_ranks<TableNotes>(ranks, [&](Transport& comm) {
    LoadedGraph graph = load_graph(comm, of_rank_0(comm, path), options);
    return TableNotes{std::move(graph.table), std::move(graph.notes)};
  })[0];
}

}  // namespace

TEST_CASE("a table of examples is the same in whatever pieces it comes", "[ranks]") {
  check_everywhere("t", text, expected_of_text(), csv("y"));
  std::string tabs = text;
  for (char& c : tabs) c = c == ',' ? '\t' : c;
  tabs.replace(tabs.find("K\t"), 2, "K,");
  check_everywhere("t.tsv", tabs, expected_of_text(), csv("y"));
}

TEST_CASE("several tables are one, whatever the order of their columns", "[ranks]") {
  const TemporaryFolder folder;
  folder.file("a", "n,c,y\n1,u,0\n2,v,1\n");
  folder.file("b", "y,n,c\n1,3,w\n");
  folder.file("both", "n,c,y\n1,u,0\n2,v,1\n3,w,1\n");
  folder.file("other", "y,c,m\n1,w,3\n");
  const auto load_two = [&](int ranks, const std::string& second) {
    return run_ranks<std::string>(ranks, [&](Transport& comm) {
      const std::vector<std::string> paths{of_rank_0(comm, folder.path("a")),
                                           of_rank_0(comm, folder.path(second))};
      const std::string both = of_rank_0(comm, folder.path("both"));
      return message_of(paths[0], [&] {
        const Whole whole = collect(comm, load_graph(comm, paths, csv("y")));
        if (!(whole == collect(comm, load_graph(comm, both, csv("y")))))
          throw InputError("another");
      });
    });
  };
  for (const int ranks : rank_counts()) {
    CHECK(load_two(ranks, "b")[0].empty());
    CHECK(load_two(ranks, "other")[0] ==
          "other:1:1: found the columns y, c, m, expected c, n, y, in any order, as in the files "
          "before");
  }
}

TEST_CASE("columns that are left out need no name in any file", "[ranks]") {
  const TemporaryFolder folder;
  folder.file("a", ",n,b=,c,y\n0,1,9,u,0\n1,2,9,v,1\n");
  folder.file("b", ",y,n,c,b=\n0,1,3,w,9\n");
  folder.file("both", "n,c,y\n1,u,0\n2,v,1\n3,w,1\n");
  GraphOptions picked = csv("y");
  picked.table.columns = {"n", "c"};
  for (const int ranks : rank_counts())
    CHECK(run_ranks<bool>(ranks, [&](Transport& comm) {
      const std::vector<std::string> paths{of_rank_0(comm, folder.path("a")),
                                           of_rank_0(comm, folder.path("b"))};
      LoadedGraph two = load_graph(comm, paths, picked);
      GraphOptions known;  // as of a model
      known.format = Format::csv;
      known.examples = two.table;
      known.examples.known = true;
      const Whole whole = collect(comm, std::move(two));
      return whole ==
                 collect(comm, load_graph(comm, of_rank_0(comm, folder.path("both")), csv("y"))) &&
             whole == collect(comm, load_graph(comm, paths, known));
    })[0]);
}

TEST_CASE("labels that are names are numbered, and categories may be said", "[ranks]") {
  const TemporaryFolder folder;
  const std::string path = folder.file("t", "zip,y,m\n017,yes,\n9,no,4\n17,maybe,\n");
  for (const int ranks : rank_counts()) {
    const Whole whole = load(ranks, path, csv("y", {"zip"}));
    CHECK(whole.labels == std::vector<double>{2, 1, 0});
    CHECK(whole.target_ids == std::vector<std::string>{"m", "zip=017", "zip=17", "zip=9"});
    GraphOptions known = csv("y");
    const TableNotes first = told(ranks, path, csv("y", {"zip"}));
    CHECK(first.table.label_names == std::vector<std::string>{"maybe", "no", "yes"});
    CHECK(first.table.categorical == std::vector<std::string>{"zip"});
    CHECK(first.table.numeric == std::vector<std::string>{"m"});
    CHECK(first.table.label_text(1) == "no");
    CHECK_THAT(first.notes.at(0), Catch::Contains("2 empty fields: read as 0 in numeric columns"));
    for (const std::vector<std::string>& items :
         {std::vector<std::string>{"1"}, {"1-2"}, {"1", "2"}, {"zip", "2"}})
      CHECK(load(ranks, path, csv("y", items)) == whole);
    CHECK(told(ranks, path, csv("y", {"1-"})).table.categorical ==
          std::vector<std::string>{"zip", "m"});
    // What is known of a table holds for another one.
    known.examples = first.table;
    const std::string other = folder.file("o", "more,m,y,zip\nx,1,yes,17\nx,2,never,a\n");
    const Whole again = load(ranks, other, known);
    CHECK(again.labels == std::vector<double>{2, 3});
    CHECK(again.target_ids == std::vector<std::string>{"m", "zip=17", "zip=a"});
    CHECK(told(ranks, other, known).notes ==
          std::vector<std::string>{"columns that the model does not have are left out: more"});
    CHECK(load(ranks, folder.file("n", "zip,m\n5,1\n"), known).labels.empty());
    CHECK(failure(ranks, folder.file("l", "zip,y\n5,1\n"), known) ==
          "l:1:1: found the columns zip, y, expected a column 'm', as the model has one");
    folder.file("with", "zip,m,y\n5,1,yes\n");
    folder.file("without", "zip,m\n5,1\n5,2\n");
    for (const bool labelled : {true, false}) {
      const std::vector<std::string> names{labelled ? "with" : "without",
                                           labelled ? "without" : "with"};
      const std::string refused = run_ranks<std::string>(ranks, [&](Transport& comm) {
        std::vector<std::string> paths;
        for (const std::string& name : names) paths.push_back(of_rank_0(comm, folder.path(name)));
        return message_of(paths[0], [&] { load_graph(comm, paths, known); });
      })[0];
      CHECK(refused == (labelled
                            ? "without:1:1: found the columns zip, m, expected a column 'y' of "
                              "labels, as in the files before"
                            : "with:1:1: found the columns zip, m, y, expected no column 'y' "
                              "of labels, as in the files before"));
    }
    GraphOptions some = csv("y");
    some.table.columns = {"m"};
    CHECK(load(ranks, path, some).target_ids == std::vector<std::string>{"m"});
  }
}

TEST_CASE("a column of decimal commas is read as categories, and said to be", "[ranks]") {
  const TemporaryFolder folder;
  const std::string path = folder.file("t", "a;b;y\n1,5;x,1;1\n2,5;2,5;0\n;1,0;1\n");
  for (const int ranks : rank_counts())
    CHECK_THAT(told(ranks, path, csv("y")).notes.at(0),
               Catch::EndsWith("t: the column 'a' is read as categories: its numbers have commas "
                               "where points are expected"));
}

TEST_CASE("without a header columns are called by their numbers", "[ranks]") {
  const TemporaryFolder folder;
  const std::string rows = "39, cook, <=50K\n17, smith, >50K\n\n17, cook, >50K\n";
  const std::string path = folder.file("t", rows);
  const std::string named = folder.file("n", "1,2,3\n" + rows);
  GraphOptions options = csv("3");
  for (const int ranks : rank_counts()) {
    CHECK_THAT(told(ranks, named, options).notes.at(0),
               Catch::Contains("n:1: '1' is read as a column's name; if the first row is an "
                               "example, give --header no"));
    const Whole expected = load(ranks, named, options);
    options.table.header = TableOptions::Header::no;
    Whole whole = load(ranks, path, options);
    CHECK(whole.target_ids == std::vector<std::string>{"1", "2=cook", "2=smith"});
    CHECK(whole.value == expected.value);
    CHECK(whole.target == expected.target);
    CHECK(whole.labels == std::vector<double>{0, 1, 1});
    CHECK(told(ranks, path, options).table.label_text(0) == "<=50K");
    options.table.columns = {"2"};
    CHECK(load(ranks, path, options).target_ids == std::vector<std::string>{"2=cook", "2=smith"});
    CHECK(failure(ranks, path, csv("3")) ==
          "t:1:11: found '<=50K', expected a name without =, which separates a column's name from "
          "a category (if the first row is no header, give --header no)");
    options = csv("3");
  }
}

TEST_CASE("columns that are likely ids are told", "[ranks]") {
  const TemporaryFolder folder;
  std::string singles = "name,day,y\n", few = "name,y\n";
  for (int i = 0; i < 40; ++i) {
    singles += fmt::format("\"p {}\",d{},{}\n", i, i % 7, i % 2);
    if (i < 19) few += fmt::format("p{},{}\n", i, i % 2);
  }
  for (const int ranks : rank_counts()) {
    const auto only_note = [&](const std::string& text) {
      const std::vector<std::string> notes = told(ranks, folder.file("t", text), csv("y")).notes;
      REQUIRE(notes.size() == 1);
      return notes[0].substr(notes[0].rfind('/') + 1);
    };
    CHECK(only_note(singles) ==
          "t: most of the first 40 rows have a category of their own in: name; each is a feature "
          "(--columns leaves out ids, dates and texts)");
    CHECK(told(ranks, folder.file("t", few), csv("y")).notes.empty());
    CHECK(only_note("RowNames,a,y\n1,2,1\n2,2,0\n") ==
          "t:1: the first column, 'RowNames', is read as data; if it numbers the rows, --columns "
          "2-3 leaves it out");
    GraphOptions chosen = csv("y");
    chosen.table.columns = {"2-"};
    CHECK(told(ranks, folder.file("t", "id,a,y\n1,2,1\n2,2,0\n"), chosen).notes.empty());
  }
  CHECK(failure(2, folder.file("t", "6,148,1\n1,85,0\n"), csv("3")) ==
        "t:1:1: found the columns 6, 148, 1, expected a column '3', as --label says (--header no "
        "calls columns 1, 2, ...)");
}

TEST_CASE("what a table may not have is told by its place", "[ranks]") {
  const TemporaryFolder folder;
  std::string late = "c,y\n";
  for (int i = 0; i < 1500; ++i) late += "a,1\n";
  const std::vector<std::pair<std::string, std::string>> bad{
      {"", " found an empty file, expected a first row that names the columns"},
      {"a,b\n1,2\n", "1:1: found the columns a, b, expected a column 'y', as --label says"},
      {"a,y\n1,1\n?,0\n",
       "3:1: found '?', expected a finite number that a 32-bit float holds, or an empty field for "
       "a "
       "missing one, in the numeric column a"},
      {"a,a,y\n1,2,1\n",
       "1:3: found 'a' again, expected another name for each column (if the first row is no "
       "header, give --header no)"},
      {"a=b,y\n1,1\n",
       "1:1: found 'a=b', expected a name without =, which separates a column's name from a "
       "category (if the first row is no header, give --header no)"},
      {",y\n1,1\n",
       "1:1: found a column without a name, expected a name for each column (if this is the row "
       "index of pandas, leave it out with --columns)"},
      {"a,y\n1,1\n\n2\n",
       "4:2: found the end of the line, expected 2 columns, as in the first row"},
      {"a\ty\n1\t1\n\n\t\n", "4:2: found an empty field, expected a label"},
      {"a,y\n1,1,5\n", "2:5: found '5', expected 2 columns, as in the first row"},
      {"a,y\n1,1\n2,\n", "3:3: found an empty field, expected a label"},
      {"a,y\n1,1\n2,u\n",
       "3:3: found 'u', expected a label (a finite number, as in the first rows)"},
      {"a,y\n1,1\nu,1\n",
       "3:1: found 'u', expected a finite number that a 32-bit float holds, or an empty field, in "
       "the numeric column a (if its values are categories, give --categorical a)"},
      {late + "7,1\n",
       "1502:1: found '7', expected a name, as in the first rows of the column c, or an empty "
       "field (if its numbers are categories, too, give --categorical c)"},
      {"a,y\n\"u\nv\",1\n\"w,1\nx,1\n",
       "4:1: found a quotation mark that is not closed, expected a "
       "closing one"},
      {"a,y\nu\"v\"w,1\n",
       "2:2: found a quotation mark inside a field, expected quotation marks around the whole "
       "field, and each one inside it doubled"},
  };
  for (const auto& [content, message] : bad)
    for (const int ranks : rank_counts())
      CHECK(failure(ranks, folder.file("t", content), csv("y")) == "t:" + message);
  CHECK(failure(2, folder.file("t", "a,y\n1,1\n"), csv("y", {"b"})) ==
        "t:1:1: found the columns a, y, expected a column 'b', as --categorical names it");
  CHECK(failure(2, folder.file("t", "a,y\n1,1\n"), csv("y", {"1-3"})) ==
        "t:1:1: found the columns a, y, expected a column '1-3', as --categorical names it");
  CHECK(failure(2, folder.file("x.svm", "1 1:1\n"),
                [] {
                  GraphOptions options = csv("y");
                  options.format = Format::automatic;
                  return options;
                }()) ==
        "x.svm: found a file of the format libsvm, expected csv: --label and --categorical are for "
        "csv only");
  CHECK(detect_format("a/x.csv.gz", "", Format::csv) == Format::csv);
  CHECK(detect_format("x", "", Format::csv) == Format::csv);
}

TEST_CASE("a stream has the same examples, hashed", "[ranks]") {
  const TemporaryFolder folder;
  std::string many = "n,c,y\n";
  for (int i = 0; i < 300; ++i)
    many += std::to_string(i) + ",\"c\n" + std::to_string(i % 7) +
            (i % 3 == 0 ? "\",no\n" : "\",yes\n");
  const std::string path = folder.file("t", many);
  const Whole whole = load(1, path, csv("y"));
  for (const int ranks : rank_counts()) {
    const auto sums = run_ranks<std::vector<double>>(ranks, [&](Transport& comm) {
      const std::string from = of_rank_0(comm, path);
      StreamOptions options{.format = Format::csv, .hash_bits = 10, .block_bytes = 200};
      options.examples.label = "y";
      ExampleStream stream(comm, std::span(&from, 1), options);
      std::vector<double> sum(2050);
      stream.each([&](const ExampleBlock& block) {
        for (std::size_t e = 0; e < block.row.size(); ++e)
          sum[block.column[e] + (block.labels[block.row[e]] == 0 ? 1024U : 0U)] +=
              static_cast<double>(block.value[e]);
        sum[2048] += static_cast<double>(block.labels.size());
        return true;
      });
      for (double& one : sum) one = all_sum(comm, one);
      sum[2049] = stream.table().label_text(0) == "no" && stream.table().label_text(1) == "yes";
      return sum;
    });
    std::vector<double> expected(2050);
    expected[2048] = 300;
    expected[2049] = 1;
    for (std::size_t e = 0; e < whole.source.size(); ++e)
      expected[hashed(whole.target_ids[whole.target[e]], 10) +
               (whole.labels[whole.source[e]] == 0 ? 1024U : 0U)] +=
          static_cast<double>(whole.value[e]);
    for (const auto& sum : sums) CHECK(sum == expected);
  }
}

TEST_CASE("the list of a stream's files may be gone before the second is read", "[ranks]") {
  const TemporaryFolder folder;
  const std::string a = folder.file("a.svm", "1 1:1\n-1 2:1\n"),
                    b = folder.file("b.svm", "1 3:1\n");
  const auto rows = run_ranks<std::uint64_t>(2, [&](Transport& comm) {
    ExampleStream stream(comm, std::vector<std::string>{of_rank_0(comm, a), of_rank_0(comm, b)});
    std::uint64_t count = 0;
    stream.each([&](const ExampleBlock& block) {
      count += block.labels.size();
      return true;
    });
    return all_sum(comm, count);
  });
  for (const std::uint64_t count : rows) CHECK(count == 3);
}
