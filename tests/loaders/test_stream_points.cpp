// Points read in batches.
#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "loaders/stream_points.hpp"
#include "loaders/write.hpp"
#include "tests/loaders/files.hpp"
#include "tests/support/ranks.hpp"

using namespace gas;
using namespace gas::loaders;
using namespace gas_test;

namespace {

struct Streamed {
  std::vector<std::uint64_t> batches;  // rows of each
  std::vector<double> values;
  std::vector<std::string> notes;
  bool wide = false, shared = true;  // each rank has its block of every batch

  bool operator==(const Streamed&) const = default;
};

Streamed stream(int ranks, const std::vector<std::string>& paths, std::uint64_t rows,
                const PointOptions& options = {}) {
  const auto results = run_ranks<Streamed>(ranks, [&](Transport& comm) {
    std::vector<std::string> files;
    for (const std::string& path : paths) files.push_back(of_rank_0(comm, path));
    PointStream points(comm, files, rows, options);
    Streamed all;
    while (true) {
      const LoadedPoints batch = points.next();
      all.notes.insert(all.notes.end(), batch.notes.begin(), batch.notes.end());
      if (batch.rows == 0) return all;
      const std::vector<double> mine =
          batch.wide ? batch.wide_values
                     : std::vector<double>(batch.values.begin(), batch.values.end());
      const BlockDistribution blocks{batch.rows, comm.size()};
      const bool block = mine.size() == blocks.count(comm.rank()) * batch.columns;
      all.shared = all.shared && all_min(comm, block ? 1 : 0) == 1;
      all.wide = all.wide || batch.wide;
      all.batches.push_back(batch.rows);
      const std::vector<double> whole = joined(comm, mine);
      all.values.insert(all.values.end(), whole.begin(), whole.end());
    }
  });
  for (const Streamed& result : results) CHECK(result == results[0]);
  return results[0];
}

std::string failure(int ranks, const std::string& path, std::uint64_t rows,
                    const PointOptions& options = {}) {
  const auto results = run_ranks<std::string>(ranks, [&](Transport& comm) {
    const std::string file = of_rank_0(comm, path);
    return message_of(file, [&] {
      PointStream points(comm, std::span(&file, 1), rows, options);
      while (points.next().rows > 0) {
      }
    });
  });
  for (const std::string& result : results) CHECK(result == results[0]);
  return results[0];
}

std::vector<double> numbers(std::size_t count) {
  std::mt19937 random(count);
  std::vector<double> all;
  for (std::size_t i = 0; i < count; ++i) all.push_back(static_cast<double>(random() % 999) / 8);
  return all;
}

std::string text_of(const std::vector<double>& values, std::size_t columns) {
  std::string text = "# a comment\nx,y,z\n";
  for (std::size_t i = 0; i < values.size(); ++i) {
    text += fmt::format("{}{}", values[i], (i + 1) % columns == 0 ? "\n" : ",");
    if (i % 51 == 50) text += "# another\n\n";
  }
  text.pop_back();
  return text;
}

/// Of C order, version 1.
template <class T>
std::string npy(const char* type, std::uint64_t rows, const std::vector<double>& values,
                bool fortran = false) {
  std::string dictionary =
      fmt::format("{{'descr': '{}', 'fortran_order': {}, 'shape': ({}, {}), }}\n", type,
                  fortran ? "True" : "False", rows, values.size() / rows);
  std::string file("\x93NUMPY\x01\x00", 8);
  file += static_cast<char>(dictionary.size());
  file += '\0';
  file += dictionary;
  for (const double value : values) {
    const T number = static_cast<T>(value);
    file.append(reinterpret_cast<const char*>(&number), sizeof number);
  }
  return file;
}

}  // namespace

TEST_CASE("batches are the rows of the file, in its order, alike on any ranks", "[ranks]") {
  const std::vector<double> values = numbers(300);
  const TemporaryFolder folder;
  std::vector<std::string> contents{text_of(values, 3), npy<float>("<f4", 100, values),
                                    npy<double>("<f8", 100, values)};
  for (std::size_t i = 0; i < contents.size(); ++i) {
    const std::string name = i == 0 ? "a.csv" : "a.npy";
    for (const std::string& path :
         {folder.file(name, contents[i]), folder.file(name + ".gz", gzip(contents[i])),
          folder.file(name + ".zst", zstd(contents[i]))})
      for (const int ranks : rank_counts())
        for (const std::uint64_t rows : {1U, 7U, 50U, 1000U}) {
          INFO(path << ", " << rows << " rows on " << ranks << " ranks");
          const Streamed found = stream(ranks, {path}, rows, {.threads = 2, .wide = true});
          CHECK(found.values == values);
          CHECK(found.shared);
          CHECK_FALSE(found.wide);
          std::vector<std::uint64_t> batches(100 / rows, rows);
          if (100 % rows > 0) batches.push_back(100 % rows);
          CHECK(found.batches == batches);
        }
  }
}

TEST_CASE("doubles stay where floats do not hold a batch", "[ranks]") {
  std::vector<double> values = numbers(60);
  values[40] = 1.23456789012;
  const TemporaryFolder folder;
  for (const std::string& path : {folder.file("a.csv", text_of(values, 3)),
                                  folder.file("a.npy", npy<double>("<f8", 20, values))})
    for (const int ranks : rank_counts()) {
      const Streamed found = stream(ranks, {path}, 6, {.wide = true});
      CHECK(found.values == values);
      CHECK(found.wide);
      CHECK_FALSE(stream(ranks, {path}, 6).wide);
    }
}

TEST_CASE("a batch ends where a file does", "[ranks]") {
  const TemporaryFolder folder;
  const std::vector<double> values = numbers(60);
  const std::string a = folder.file("a.csv", "1,2\n3,4\n5,6\n"), none = folder.file("b.csv", ""),
                    c = folder.file("c.csv", "7,8\n9,10");
  for (const int ranks : rank_counts()) {
    const Streamed found = stream(ranks, {a, none, c}, 2);
    CHECK(found.batches == std::vector<std::uint64_t>{2, 1, 2});
    CHECK(found.values == std::vector<double>{1, 2, 3, 4, 5, 6, 7, 8, 9, 10});
    CHECK(stream(ranks, {none}, 2).batches.empty());
  }
}

TEST_CASE("errors of batches are those of the file", "[ranks]") {
  const TemporaryFolder folder;
  const std::vector<double> values = numbers(60);
  const std::string bad = folder.file("a.csv", "1,2\n3,4\n\n5,x\n7,8\n"),
                    whole = npy<float>("<f4", 20, values);
  std::vector<double> infinite = values;
  infinite[31] = std::numeric_limits<double>::infinity();
  const std::string shorter = whole.substr(0, whole.size() - 5), longer = whole + "12345";
  for (const int ranks : rank_counts()) {
    CHECK_THAT(failure(ranks, bad, 2), Catch::StartsWith("a.csv:4:3: found"));
    CHECK_THAT(failure(ranks, folder.file("i.npy", npy<float>("<f4", 20, infinite)), 4),
               Catch::Contains("inf in row 10, column 1"));
    for (const auto& [name, file] : {std::pair{"s.npy", shorter}, {"s.npy.gz", gzip(shorter)}})
      CHECK_THAT(failure(ranks, folder.file(name, file), 7),
                 Catch::Contains("found 235 bytes of data, expected 240"));
    for (const auto& [name, file] : {std::pair{"l.npy", longer}, {"l.npy.gz", gzip(longer)}})
      CHECK_THAT(failure(ranks, folder.file(name, file), 7),
                 Catch::Contains("found 245 bytes of data, expected 240"));
    CHECK_THAT(failure(ranks, folder.file("f.npy", npy<float>("<f4", 20, values, true)), 7),
               Catch::Contains("Fortran"));
    CHECK_THAT(failure(ranks, bad, 0), Catch::Contains("0 rows"));
    CHECK_THAT(failure(ranks, bad, 1, {.sparse = true}), Catch::Contains("sparse"));
    const std::string cut = gzip(text_of(values, 3));
    CHECK_FALSE(failure(ranks, folder.file("c.csv.gz", cut.substr(0, cut.size() - 12)), 3).empty());
  }
}
