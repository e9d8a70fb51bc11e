// Vectors as fbin, fvecs, and half floats.
#include <fmt/format.h>

#include <bit>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "loaders/load_points.hpp"
#include "loaders/sample/input_sizes.hpp"
#include "loaders/stream_points.hpp"
#include "tests/loaders/files.hpp"
#include "tests/support/ranks.hpp"

using namespace gas;
using namespace gas::loaders;
using namespace gas_test;

namespace {

std::string word(auto value) { return {reinterpret_cast<const char*>(&value), sizeof value}; }

std::vector<float> numbers(std::size_t count) {
  std::mt19937 random(7);
  std::vector<float> all;
  for (std::size_t i = 0; i < count; ++i)
    all.push_back(static_cast<float>(random() % 1000) / 7 - 50);
  return all;
}

std::string fbin(std::int32_t rows, std::int32_t columns, const std::vector<float>& values) {
  std::string file = word(rows) + word(columns);
  for (const float value : values) file += word(value);
  return file;
}

std::string fvecs(std::size_t columns, const std::vector<float>& values) {
  std::string file;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i % columns == 0) file += word(static_cast<std::int32_t>(columns));
    file += word(values[i]);
  }
  return file;
}

struct Read {
  std::uint64_t rows = 0, columns = 0;
  std::vector<float> values;
  bool operator==(const Read&) const = default;
};

/// At once, and in batches of three rows.
Read read(int ranks, const std::string& path, bool batches) {
  const auto results = run_ranks<Read>(ranks, [&](Transport& comm) {
    const std::string file = of_rank_0(comm, path);
    if (!batches) {
      const LoadedPoints points = load_points(comm, file, {.threads = 2, .wide = true});
      CHECK_FALSE(points.wide);
      return Read{points.rows, points.columns, joined(comm, points.values)};
    }
    PointStream stream(comm, std::span(&file, 1), 3, {.wide = true});
    Read all;
    while (true) {
      const LoadedPoints points = stream.next();
      if (points.rows == 0) return all;
      const std::vector<float> some = joined(comm, points.values);
      all.rows += points.rows;
      all.columns = points.columns;
      all.values.insert(all.values.end(), some.begin(), some.end());
    }
  });
  for (const Read& result : results) CHECK(result == results[0]);
  return results[0];
}

std::string failure(int ranks, const std::string& path) {
  const auto results = run_ranks<std::string>(ranks, [&](Transport& comm) {
    const std::string file = of_rank_0(comm, path);
    return message_of(file, [&] { load_points(comm, file); });
  });
  for (const std::string& result : results) CHECK(result == results[0]);
  return results[0];
}

/// By its definition.
double half(std::uint32_t bits) {
  const std::uint32_t exponent = bits >> 10U & 31U, mantissa = bits & 1023U;
  const double size = exponent == 0 ? std::ldexp(mantissa, -24)
                                    : std::ldexp(1024 + mantissa, static_cast<int>(exponent) - 25);
  return (bits >> 15U) != 0 ? -size : size;
}

}  // namespace

TEST_CASE("fbin and fvecs are the floats they hold", "[ranks]") {
  const TemporaryFolder folder;
  const std::vector<float> values = numbers(5 * 11);
  // So many rows that the header begins as one of IDX does.
  const std::vector<float> many = numbers(0x080000);
  const std::string a = folder.file("a.fbin", fbin(11, 5, values)),
                    gz = folder.file("a.fbin.gz", gzip(fbin(11, 5, values))),
                    b = folder.file("b.fvecs", fvecs(5, values)),
                    idx = folder.file("i.fbin", fbin(0x080000, 1, many));
  for (const int ranks : rank_counts())
    for (const bool batches : {false, true}) {
      for (const std::string& path : {a, gz, b}) {
        INFO(path << " on " << ranks);
        CHECK(read(ranks, path, batches) == Read{11, 5, values});
      }
      if (!batches) CHECK(read(ranks, idx, false) == Read{0x080000, 1, many});
    }
  const PointSizes of_fbin = point_sizes(std::span(&a, 1), {}),
                   of_fvecs = point_sizes(std::span(&b, 1), {});
  CHECK(of_fbin.rows == 11);
  CHECK(of_fbin.columns == 5);
  CHECK(of_fvecs.rows == 11);
  CHECK(of_fvecs.columns == 5);
  // As gzip, UTF-16 and JSON begin.
  for (const int rows : {0x8b1f, 0xfeff, 0x10040, 0x227b}) {
    const std::vector<float> column = numbers(static_cast<std::size_t>(rows));
    const Read expected{static_cast<std::uint64_t>(rows), 1, column};
    CHECK(read(2, folder.file("like.fbin", fbin(rows, 1, column)), false) == expected);
    CHECK(read(1, folder.file("like.fbin.gz", gzip(fbin(rows, 1, column))), false) == expected);
  }
  for (const int ranks : rank_counts()) {
    CHECK(read(ranks, folder.file("n.fbin", fbin(0, 5, {})), false) == Read{0, 5, {}});
    CHECK(read(ranks, folder.file("n.fvecs", ""), false) == Read{0, 0, {}});
  }
}

TEST_CASE("half floats are what their bits say", "[ranks]") {
  std::vector<float> expected;
  std::string data;
  for (std::uint32_t bits = 0; bits < 0x10000U; ++bits)
    if ((bits & 0x7c00U) != 0x7c00U) {
      expected.push_back(static_cast<float>(half(bits)));
      data += word(static_cast<std::uint16_t>(bits));
    }
  const auto npy = [](std::size_t count, const std::string& content) {
    const std::string dictionary =
        fmt::format("{{'descr': '<f2', 'fortran_order': False, 'shape': ({}, 2), }}\n", count / 2);
    std::string file("\x93NUMPY\x01\x00", 8);
    file += static_cast<char>(dictionary.size());
    return file + '\0' + dictionary + content;
  };
  const TemporaryFolder folder;
  const std::string path = folder.file("h.npy", npy(expected.size(), data));
  for (const int ranks : rank_counts())
    CHECK(read(ranks, path, false) == Read{expected.size() / 2, 2, expected});
  for (const std::uint16_t bits :
       {std::uint16_t{0x7c00}, std::uint16_t{0xfc00}, std::uint16_t{0x7e01}})
    CHECK_THAT(failure(2, folder.file("i.npy", npy(2, word(bits) + word(bits)))),
               Catch::Contains("in row 0, column 0 (from 0), expected finite numbers"));
}

TEST_CASE("no length of fbin and fvecs is believed", "[ranks]") {
  const TemporaryFolder folder;
  const std::vector<float> values = numbers(20);
  std::vector<float> bad = values;
  bad[13] = std::numeric_limits<float>::quiet_NaN();
  std::string uneven = fvecs(5, values);
  uneven.replace(2 * 24, 4, word(std::int32_t{4}));
  for (const int ranks : rank_counts()) {
    const auto check = [&](const std::string& name, const std::string& content,
                           const std::string& message) {
      INFO(name << ": " << message);
      CHECK_THAT(failure(ranks, folder.file(name, content)), Catch::Contains(message));
    };
    check("a.fbin", fbin(5, 5, values), "found 80 bytes of data, expected 100");
    check("a.fbin.gz", gzip(fbin(5, 5, values)), "found 80 bytes of data, expected 100");
    check("b.fbin", fbin(3, 5, values), "found 80 bytes of data, expected 60");
    check("c.fbin", fbin(2147483647, 200000000, values), "found 80 bytes of data");
    check("d.fbin", fbin(-1, 5, values), "found -1 rows");
    check("e.fbin", fbin(4, -5, values), "rows of -5 numbers");
    check("f.fbin", "1234567", "found 7 bytes, expected a header of 8");
    check("g.fbin", fbin(4, 5, bad), "found nan in row 2, column 3 (from 0)");
    check("a.fvecs", fvecs(5, values) + "1", "found 97 bytes, expected a multiple of 24");
    check("b.fvecs", fvecs(5, bad), "found nan in row 2, column 3 (from 0)");
    check("c.fvecs", uneven, "found 4 numbers in row 2 (from 0), expected 5");
    check("d.fvecs", word(std::int32_t{0}) + word(1.0F), "rows of 0 numbers");
    check("e.fvecs", word(std::int32_t{1000000000}), "rows of 1000000000 numbers");
    check("f.fvecs", "12", "found 2 bytes");
    check("g.fvecs.gz", gzip(fvecs(5, values)), "expected a plain file");
  }
}
