#include <fmt/format.h>

#include <array>
#include <bit>
#include <catch2/catch.hpp>
#include <cstring>
#include <sstream>
#include <stdexcept>

#include "gas/base/error.hpp"
#include "loaders/load_points.hpp"
#include "loaders/read_small.hpp"
#include "loaders/write.hpp"
#include "tests/loaders/files.hpp"
#include "tests/support/ranks.hpp"

using namespace gas;
using namespace gas::loaders;
using namespace gas_test;

namespace {

struct Whole {
  std::uint64_t rows = 0, columns = 0;
  std::vector<float> values;

  bool operator==(const Whole&) const = default;
};

Whole load(int ranks, const std::string& path, const PointOptions& options) {
  const auto results = run_ranks<Whole>(ranks, [&](Transport& comm) {
    const LoadedPoints points = load_points(comm, of_rank_0(comm, path), options);
    const BlockDistribution blocks{points.rows, comm.size()};
    const bool mine = points.values.size() == blocks.count(comm.rank()) * points.columns;
    Whole whole{points.rows, points.columns, joined(comm, points.values)};
    if (!mine) whole.rows = ~std::uint64_t{0};
    return whole;
  });
  for (const Whole& result : results) CHECK(result == results[0]);
  return results[0];
}

std::string failure(int ranks, const std::string& path, Format format = Format::automatic,
                    unsigned threads = 1) {
  const auto results = run_ranks<std::string>(ranks, [&](Transport& comm) {
    const std::string whole = of_rank_0(comm, path);
    return message_of(whole, [&] {
      load_points(comm, whole, {.format = format, .threads = threads, .block_bytes = 40});
    });
  });
  for (const std::string& result : results) CHECK(result == results[0]);
  return results[0];
}

void check_everywhere(const std::string& name, const std::string& content, const Whole& expected) {
  const TemporaryFolder folder;
  const std::string plain = folder.file(name, content);
  const std::string gz = folder.file(name + ".gz", gzip(content));
  const std::string zst = folder.file(name + ".zst", zstd(content));
  for (const int ranks : rank_counts()) {
    INFO(name << " on " << ranks << " ranks");
    for (const std::string& path : {plain, gz, zst}) {
      CHECK(load(ranks, path, {.block_bytes = 90}) == expected);
      CHECK(load(ranks, path, {}) == expected);
      CHECK(load(ranks, path, {.threads = 3, .block_bytes = 500}) == expected);
    }
  }
}

/// An npy file made by hand. `data`: in the order of the file.
template <class T>
std::string npy(const std::string& type, bool fortran, const std::string& shape,
                const std::vector<T>& data, char version = 1) {
  std::string dictionary = fmt::format("{{'descr': '{}', 'fortran_order': {}, 'shape': {}, }}\n",
                                       type, fortran ? "True" : "False", shape);
  std::string file("\x93NUMPY", 6);
  file += version;
  file += '\0';
  file += static_cast<char>(dictionary.size());
  file += '\0';
  if (version > 1) file += std::string(2, '\0');
  file += dictionary;
  file.append(reinterpret_cast<const char*>(data.data()), data.size() * sizeof(T));
  return file;
}

/// An IDX file made by hand: the header's four bytes, the sizes, and the values of row after row.
template <class T>
std::string idx(char code, const std::vector<std::uint32_t>& shape, const std::vector<T>& data) {
  std::string file{'\0', '\0', code, static_cast<char>(shape.size())};
  const auto append = [&](auto value) {
    const char* bytes = reinterpret_cast<const char*>(&value);
    for (std::size_t i = sizeof value; i-- > 0;) file += bytes[i];  // this machine: little endian
  };
  for (const std::uint32_t extent : shape) append(extent);
  for (const T value : data) append(value);
  return file;
}

Whole random_points(std::uint64_t rows, std::uint64_t columns) {
  std::mt19937_64 random(rows * 31 + columns);
  Whole points{rows, columns, {}};
  for (std::uint64_t i = 0; i < rows * columns; ++i)
    points.values.push_back(static_cast<float>(random() % 200) - 100);
  return points;
}

template <class T>
std::vector<T> in_file(const Whole& points, bool fortran) {
  std::vector<T> data;
  for (std::uint64_t i = 0; i < points.rows * points.columns; ++i) {
    const std::uint64_t at = fortran ? i % points.rows * points.columns + i / points.rows : i;
    data.push_back(static_cast<T>(points.values[static_cast<std::size_t>(at)]));
  }
  return data;
}

}  // namespace

TEST_CASE("dense text is what a naive parser reads", "[ranks]") {
  for (const char* separator : {" ", "\t", ",", ", "}) {
    for (const char* header : {"", "x,y,z\n", "# 1 2\n\n\"a b\" c\r\n"}) {
      std::mt19937_64 random(3);
      std::string text = header;
      Whole expected{200, 3, {}};
      for (int row = 0; row < 200; ++row) {
        for (int column = 0; column < 3; ++column) {
          const std::string word = fmt::format("{:.3f}", static_cast<double>(random() % 9999) / 77);
          if (column > 0) text += separator;
          text += word;
          expected.values.push_back(std::stof(word));
        }
        text += row % 5 ? "\n" : "\r\n\n";
      }
      if (separator[0] == '\t') text.pop_back();
      check_everywhere("points.csv", text, expected);
    }
  }
}

TEST_CASE("few points and none", "[ranks]") {
  check_everywhere("p", "", {});
  check_everywhere("p", "x y\n", {});
  check_everywhere("p", "5", {1, 1, {5}});
  check_everywhere("p",
                   "\xef\xbb\xbf"
                   "-1e3,2\n",
                   {1, 2, {-1000, 2}});
}

TEST_CASE("npy of every type and order", "[ranks]") {
  for (const auto& [rows, columns] : {std::pair{37U, 5U}, std::pair{2U, 70U}, std::pair{1U, 1U}}) {
    const Whole points = random_points(rows, columns);
    const std::string shape = fmt::format("({}, {})", rows, columns);
    for (const bool fortran : {false, true}) {
      const auto check = [&]<class T>(const char* type, T) {
        check_everywhere("p.npy", npy(type, fortran, shape, in_file<T>(points, fortran)), points);
      };
      check("<f4", float{});
      check("<f8", double{});
      check("<i4", std::int32_t{});
      check("<i8", std::int64_t{});
      check("|i1", std::int8_t{});
      check("<i2", std::int16_t{});
    }
  }
  check_everywhere("p", npy<std::uint8_t>("|u1", false, "(3,)", {1, 2, 255}, 2),
                   {3, 1, {1, 2, 255}});
  check_everywhere("p", npy<float>("<f4", false, "(0, 7)", {}), {0, 7, {}});
}

TEST_CASE("idx of every type", "[ranks]") {
  const Whole points = random_points(37, 12);
  const auto check = [&]<class T>(char code, T) {
    const std::vector<T> data = in_file<T>(points, false);
    check_everywhere("p", idx(code, {37, 12}, data), points);
    check_everywhere("p-idx3-ubyte", idx(code, {37, 3, 4}, data), points);
  };
  check(0x09, std::int8_t{});
  check(0x0b, std::int16_t{});
  check(0x0c, std::int32_t{});
  check(0x0d, float{});
  check(0x0e, double{});
  check_everywhere("p.csv", idx<std::uint8_t>(0x08, {3}, {1, 128, 255}), {3, 1, {1, 128, 255}});
  check_everywhere("p", idx<std::int32_t>(0x0c, {1, 2}, {-70000, 1 << 30}),
                   {1, 2, {-70000, 0x1p30F}});
  check_everywhere("p", idx<double>(0x0e, {1, 1}, {0.1}), {1, 1, {0.1F}});
  check_everywhere("p", idx<float>(0x0d, {0, 7}, {}), {0, 7, {}});
  check_everywhere("p", idx<float>(0x0d, {5, 2, 0}, {}), {5, 0, {}});
}

TEST_CASE("bad points are located", "[ranks]") {
  const float nan = std::bit_cast<float>(0x7fc00000U);
  struct Bad {
    std::string name, content, message;
  };
  const std::vector<Bad> table{
      {"p", "1 2\n3\n",
       "p:2:2: found the end of the line, expected 2 columns, as in the first row"},
      {"p", "1 2\n3 4 5\n", "p:2:5: found '5', expected 2 columns, as in the first row"},
      {"p", "1,2\n3,x\n",
       "p:2:3: found 'x', expected a finite number (--columns picks "
       "columns)"},
      {"p", "1,2\n3,nan\n",
       "p:2:3: found 'nan', expected a finite number (--columns picks "
       "columns)"},
      {"p", "1,x\n3,2\n",
       "p:1:3: found 'x', expected a finite number (--columns picks "
       "columns)"},
      {"p", "a,b\nc,d\n",
       "p:2:1: found 'c', expected a finite number (--columns picks "
       "columns)"},
      {"p", "1,,2\n",
       "p:1:3: found an empty field, expected a finite number (--columns "
       "picks columns)"},
      {"p", "-1 3:1 7:.5\n",
       "p:1:4: found '3:1', expected a finite number; the line looks like libsvm or ldac (if it "
       "is, give --format)"},
      {"p", "1,2,\n",
       "p:1:5: found an empty field, expected a finite number (--columns picks columns)"},
      {"p", "x,y\n1,\n3,4\n",
       "p:2:3: found an empty field, expected a finite number (--columns picks columns)"},
      {"p", "x,y\n1\n3,4\n",
       "p:2:2: found the end of the line, expected 2 columns, as in the header"},
      {"p", "a b\n1 2\n\n3 1e50\n",
       "p:4:3: found '1e50', expected a number that a 32-bit float holds, at most 3.4e38 in size"},
      {"p.npy", "1 2\n", "p.npy: found no npy header, expected an npy file"},
      {"p", npy<float>("<f4", false, "(2, 2)", {1, 2, 3}),
       "p: found 12 bytes of data, expected 16, as the header declares"},
      {"p", npy<float>("<f4", false, "(1, 2)", {1, 2, 3}),
       "p: found 12 bytes of data, expected 8, as the header declares"},
      {"p", npy<float>("<f4", false, "(2, 2)", {1, 2, nan, 3}),
       "p: found nan in row 1, column 0 (from 0), expected finite numbers"},
      {"p", npy<float>("<f4", true, "(2, 2)", {1, nan, 2, 3}),
       "p: found nan in row 1, column 0 (from 0), expected finite numbers"},
      {"p", npy<float>(">f4", false, "(1, 1)", {1}),
       "p: found elements of type '>f4', expected little-endian integers of 1 to 8 bytes or floats "
       "of 2, 4 or 8"},
      {"p", npy<float>("<f4", false, "(99999999999, 99999999999)", {1}),
       "p: found a shape beyond any memory, expected at most 2^60 bytes of data"},
      {"p", npy<float>("<f4", false, "(1, 1, 1)", {1}),
       "p: found 3 dimensions, expected 2 (points and coordinates), or 1"},
      {"p", npy<float>("<f4", false, "(1, x)", {1}),
       "p: found shape '(1, x', expected dimensions in parentheses"},
      {"p", idx<float>(0x0d, {2, 2}, {1, 2, 3}),
       "p: found 12 bytes of data, expected 16, as the header declares"},
      {"p", idx<std::uint8_t>(0x08, {2, 2}, {1, 2, 3, 4, 5}),
       "p: found 5 bytes of data, expected 4, as the header declares"},
      {"p", idx<float>(0x0d, {2, 1, 2}, {1, 2, 3, nan}),
       "p: found nan in row 1, column 1 (from 0), expected finite numbers"},
      {"p", idx<double>(0x0e, {1}, {1e300}),
       "p: found inf in row 0, column 0 (from 0), expected finite numbers"},
      {"p", idx<float>(0x0a, {1}, {1}),
       "p: found elements of type 0x0a, expected 0x08 or 0x09 (one byte), 0x0b, 0x0c (integers), "
       "0x0d or 0x0e (floats)"},
      {"p", idx<float>(0x0d, {}, {}),
       "p: found 0 dimensions, expected at least one: the first is the number of rows"},
      {"p", idx<float>(0x0d, {1, 1}, {}).substr(0, 11),
       "p: found a truncated IDX header, expected a size for each dimension"},
      {"p", idx<float>(0x0d, {4000000000, 4000000000}, {1}),
       "p: found a shape beyond any memory, expected at most 2^60 bytes of data"},
      {"p.svm", "1 1:1\n",
       "p.svm: found a file of the format libsvm, expected points: dense, npy, idx, fbin or "
       "fvecs"},
  };
  const TemporaryFolder folder;
  for (const Bad& bad : table) {
    const std::string path = folder.file(bad.name, bad.content);
    for (const int ranks : rank_counts()) {
      INFO(bad.message << " on " << ranks << " ranks");
      CHECK(failure(ranks, path) == bad.message);
      CHECK(failure(ranks, path, Format::automatic, 3) == bad.message);
    }
  }
  // A stream cannot know its size beforehand; a lie about it must not cost memory.
  std::vector<std::string> lies;
  for (const bool fortran : {false, true})
    lies.push_back(
        folder.file(fmt::format("lie{}.npy.gz", lies.size()),
                    gzip(npy<float>("<f4", fortran, "(100000000000, 1000000)", {1, 2, 3}))));
  const std::string another =
      folder.file("lie-idx.gz", gzip(idx<float>(0x0d, {4000000000, 10000000}, {1, 2, 3})));
  for (const int ranks : rank_counts()) {
    for (const std::string& lie : lies)
      CHECK_THAT(
          failure(ranks, lie),
          Catch::StartsWith("lie") &&
              Catch::EndsWith(
                  "found 12 bytes of data, expected 400000000000000000, as the header declares"));
    CHECK(failure(ranks, another).starts_with("lie-idx.gz: found 12 bytes"));
  }
  const std::string longer =
      folder.file("longer.npy.gz", gzip(npy<float>("<f4", false, "(1, 1)", {1, 2, 3, 4})));
  for (const int ranks : rank_counts())
    CHECK(failure(ranks, longer) ==
          "longer.npy.gz: found 16 bytes of data, expected 4, as the header declares");
  const std::string marked = "\xef\xbb\xbf" + idx<float>(0x0d, {1}, {1});
  for (const std::string& content : {marked, gzip(marked)})
    for (const int ranks : rank_counts())
      CHECK(failure(ranks, folder.file("marked", content), Format::idx) ==
            "marked: found a byte order mark (BOM), as at the start of text, expected a file of "
            "the format idx");
  const std::string forced = folder.file("no.idx", "1 2\n");
  for (const int ranks : rank_counts())
    CHECK(failure(ranks, forced, Format::idx) ==
          "no.idx: found no IDX header, expected an IDX file");
}

TEST_CASE("what is written is read back", "[ranks]") {
  const TemporaryFolder folder;
  const std::uint64_t rows = 1237, columns = 3;
  for (const int ranks : rank_counts()) {
    const std::string path = folder.path("w.npy");
    const auto same = run_ranks<int>(ranks, [&](Transport& comm) {
      const std::string whole = of_rank_0(comm, path);
      // Rows in no order, unevenly shared: row r is on rank (r·r) mod ranks.
      std::vector<VertexId> mine;
      std::vector<double> values;
      for (VertexId r = rows; r-- > 0;) {
        if (r * r % static_cast<VertexId>(comm.size()) != static_cast<VertexId>(comm.rank()))
          continue;
        mine.push_back(r);
        for (std::uint64_t c = 0; c < columns; ++c)
          values.push_back(static_cast<double>(r * columns + c));
      }
      const std::uint64_t shape[2] = {rows, columns};
      write_npy(comm, whole, shape, std::span<const VertexId>(mine),
                std::span<const double>(values));
      const NpyArray array = read_npy(comm, whole);
      bool right = array.shape == std::vector<std::uint64_t>{rows, columns} &&
                   array.values.size() == rows * columns;
      for (std::size_t i = 0; right && i < array.values.size(); ++i)
        right = array.values[i] == static_cast<double>(i);
      const LoadedPoints points = load_points(comm, whole);
      right = right && points.rows == rows && points.columns == columns;
      return static_cast<int>(right);
    });
    for (const int right : same) CHECK(right == 1);
    if (std::filesystem::exists(path))
      CHECK(std::filesystem::file_size(path) % 64 == 1237 * 24 % 64);
    CHECK_FALSE(std::filesystem::exists(path + ".partial"));
  }
}

TEST_CASE("no file appears that is not whole", "[ranks]") {
  const TemporaryFolder folder;
  for (const int ranks : rank_counts()) {
    const auto write = [&](const std::string& name, std::vector<VertexId> rows) {
      const auto messages = run_ranks<std::string>(ranks, [&](Transport& comm) {
        const std::string path = of_rank_0(comm, folder.path(name));
        if (comm.rank() > 0) rows.clear();
        return message_of(path, [&, mine = rows] {
          const std::uint64_t shape[1] = {3};
          const std::vector<float> values(mine.size());
          write_npy(comm, path, shape, std::span<const VertexId>(mine),
                    std::span<const float>(values));
        });
      });
      for (const std::string& message : messages) CHECK(message == messages[0]);
      return messages[0];
    };
    // Each rank has its own copy of `rows` only under mpirun; threads share it, so one rank here.
    if (ranks > 1 && mpi_world() == nullptr) continue;
    CHECK(write("a.npy", {0, 2}) == "a.npy: row 1 is missing");
    CHECK(write("a.npy", {0, 2, 1, 2}) == "a.npy: row 2 is given twice");
    CHECK(write("a.npy", {0, 1, 2, 3}) == "a.npy: row 3 is beyond the last");
    CHECK(write("no/a.npy", {0, 1, 2}) == "a.npy: cannot write it: No such file or directory");
    CHECK_FALSE(std::filesystem::exists(folder.path("a.npy")));
    CHECK_FALSE(std::filesystem::exists(folder.path("a.npy.partial")));
  }
}

TEST_CASE("empty lines that end in CRLF are no rows of points", "[ranks]") {
  check_everywhere("p.csv", "\r\nx,y\r\n\r\n1,2\r\n3,4\r\n", {2, 2, {1, 2, 3, 4}});
}

TEST_CASE("what may be decimal commas, or a header that names less, is told", "[ranks]") {
  const TemporaryFolder folder;
  const std::vector<std::array<std::string, 2>> cases = {
      {"1,5 2,5\n",
       "p:1: blanks and commas both separate its 4 numbers: expected decimal points, where these "
       "are decimal commas"},
      {"1,5 -2,5\n",
       "p:1: blanks and commas both separate its 4 numbers: expected decimal points, where these "
       "are decimal commas"},
      {"1,5, 2,5\n", ""},
      {"1,5 \n", ""},
      {"id,x\n1,5\n2,9\n",
       "p:1: the first column, 'id', is read as data; if it numbers the rows, --columns 2 leaves "
       "it "
       "out"},
      {"id\n1\n2\n", ""},
      {"x y\n1 2 3\n", "p:1: the header names 2 columns, and its first row has 3"},
      {"1,\t2\n", ""},
      {"x,y\n1, 2\n", ""},
      {"0,1,2\n.5,.5,.5\n",
       "p:1: '0,1,2' is read as a row of numbers; if these are the names of columns, give --header "
       "yes"},
      {"0 1\n1 0\n", ""},
      {"0 1\n1 .5\n",
       "p:1: '0 1' is read as a row of numbers; if these are the names of columns, give --header "
       "yes"},
      {"0,1\n", ""},
      {"1,2\n3,4\n", ""},
      {",0,1\n0,.5,.5\n",
       "p:1: the first column has no name, as pandas writes its row index; it is read as data "
       "(--columns 2-3 leaves it out)"}};
  for (const auto& [text, note] : cases) {
    folder.file("p", text);
    for (const int ranks : rank_counts())
      CHECK(run_ranks<std::string>(ranks, [&](Transport& comm) {
              const std::vector<std::string> path{of_rank_0(comm, folder.path("p"))};
              const std::vector<std::string> notes = load_points(comm, path, {}).notes;
              return notes.empty() ? "" : notes.back().substr(notes.back().rfind('/') + 1);
            })[0] == note);
  }
}

TEST_CASE("missing numbers between tabs, and decimal commas there, are refused", "[ranks]") {
  const TemporaryFolder folder;
  const std::vector<std::array<std::string, 2>> bad = {
      {"1\t\t3\n1\t2\t\n",
       "p:1:3: found an empty field, expected a finite number (--columns picks "
       "columns)"},
      {"1\t2\t3\n1\t\t2\t4\n",
       "p:2:2: found two tabs side by side, expected a field between them (if they are one gap, "
       "give "
       "--delimiter blanks)"},
      {"1\t2\t3\n1\t2\t\n",
       "p:2:5: found the end of the line, expected 3 columns, as "
       "in the first row"},
      {"x\ty\n1,5\t2,5\n",
       "p:2:1: found both tabs and commas between numbers, expected one of them, and decimal "
       "points"},
  };
  for (const auto& [text, message] : bad)
    for (const int ranks : rank_counts()) CHECK(failure(ranks, folder.file("p", text)) == message);
}

TEST_CASE("tables of points: delimiters, quotes, columns, several files", "[ranks]") {
  const TemporaryFolder folder;
  const auto read = [&](int ranks, const std::vector<std::string>& names,
                        const PointOptions& options = {}) {
    return run_ranks<std::pair<std::vector<float>, std::vector<std::string>>>(
        ranks, [&](Transport& comm) {
          std::vector<std::string> paths;
          for (const std::string& name : names) paths.push_back(of_rank_0(comm, folder.path(name)));
          const LoadedPoints points = load_points(comm, paths, options);
          if (points.columns != 2) throw std::runtime_error("not two columns");
          return std::pair(joined(comm, points.values), points.notes);
        })[0];
  };
  const std::vector<float> expected{1, 2.5F, 3, -4, 5e3F, 6};
  folder.file("blanks", "1 2.5\n3 -4\n5e3 6\n");
  folder.file("semicolons", "x;y\n1;2.5\n3;-4\n5e3;6\n");
  folder.file("quotes", "\"x, mm\",y\n\"1\",\"2.5\"\n3,-4\n5e3,6\n");
  folder.file("a", "1::2.5\n");
  folder.file("b", "x\ty\n3\t-4\n");
  folder.file("c.gz", gzip("5e3;6\n"));
  folder.file("iris.csv", ",long,wide,kind\n7,1,2.5,a\n8,3,-4,b\n9,5e3,6,a\n");
  folder.file("named", "1 2\n1 2.5\n3 -4\n5e3 6\n");
  for (const int ranks : rank_counts()) {
    for (const char* name : {"blanks", "semicolons", "quotes"}) {
      const auto [values, notes] = read(ranks, {name});
      CHECK(values == expected);
      CHECK(notes.empty());
    }
    CHECK(read(ranks, {"a", "b", "c.gz"}).first == expected);
    PointOptions options;
    for (const std::vector<std::string>& columns : std::vector<std::vector<std::string>>{
             {"long", "wide"}, {"2", "3"}, {"2-3"}, {"2", "wide"}}) {
      options.table.columns = columns;
      CHECK(read(ranks, {"iris.csv"}, options).first == expected);
    }
    options.table.columns.clear();
    options.table.header = TableOptions::Header::yes;
    CHECK(read(ranks, {"named"}, options).first == expected);
    options.table.header = TableOptions::Header::automatic;
    options.table.columns = {"1", "1-1"};
    CHECK_THROWS_WITH(
        read(ranks, {"blanks"}, options),
        Catch::Contains("found column 1 twice in --columns, expected each column once"));
  }
}
