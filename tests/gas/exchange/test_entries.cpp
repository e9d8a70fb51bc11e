#include <array>
#include <catch2/catch.hpp>
#include <cstdint>
#include <cstring>
#include <random>
#include <vector>

#include "gas/engine/replicas/partial_entries.hpp"

namespace gas {
namespace {

/// A row of `width` elements, of which `nonzeros` are not zero.
std::vector<std::int32_t> row_of(std::size_t width, std::size_t nonzeros, unsigned seed) {
  std::vector<std::int32_t> row(width);
  std::mt19937 random(seed);
  for (std::size_t left = nonzeros; left > 0;)
    if (std::int32_t& x = row[random() % width]; x == 0) {
      x = static_cast<std::int32_t>(left % 2 == 0 ? left : left << 20U);
      --left;
    }
  return row;
}

using Rows = PartialEntries<HistogramOf<std::int32_t>>;

/// Of zeros, to which entry i is added.
std::vector<std::int32_t> entry(const Rows& rows, std::size_t i, std::size_t width) {
  std::vector<std::int32_t> row(width);
  HistogramOf<std::int32_t> into(row);
  rows.add_to(into, i);
  return row;
}

}  // namespace

#if __has_builtin(__builtin_clear_padding)
TEST_CASE("equal values are news to nobody, whatever is between their members", "[entries]") {
  struct Padded {
    double sum;
    bool met;
    void operator+=(const Padded& more) { sum += more.sum, met = met || more.met; }
  };
  std::array<std::byte, sizeof(Padded)> memory[2];
  std::memset(&memory[0], 0x11, sizeof(Padded));
  std::memset(&memory[1], 0x77, sizeof(Padded));
  Padded value[2];
  for (std::size_t i = 0; i < 2; ++i) {
    std::memcpy(&value[i], &memory[i], sizeof(Padded));
    value[i].sum = 2.5;
    value[i].met = true;
  }
  CHECK(bytes_of(value[0]) == bytes_of(value[1]));
  PartialEntries<Padded> to;
  to.resize(1, 0);
  for (std::size_t i = 0; i < 2; ++i) {
    const auto* at = reinterpret_cast<const std::byte*>(&value[i]);
    CHECK(to.read_news(at, 0) == (i == 0));
  }
}
#endif

TEST_CASE("a row is written as its nonzeros or as a whole, whichever is shorter", "[entries]") {
  for (const std::size_t width : {1U, 2U, 3U, 8U, 100U, 4000U})
    for (const std::size_t nonzeros :
         {std::size_t{0}, std::size_t{1}, width / 3, width / 2, width}) {
      const std::vector<std::int32_t> row = row_of(width, nonzeros, 7);
      Bytes out(3);  // something stands before it
      append_row<std::int32_t>(out, row);
      CHECK(out.size() == 3 + 4 + std::min(8 * nonzeros, 4 * width));
      append_row<std::int32_t>(out, row);
      const std::byte* at = out.data() + 3;
      for (int i = 0; i < 2; ++i) {
        std::vector<std::int32_t> back(width, -1);
        read_row<std::int32_t>(at, back);
        CHECK(back == row);
      }
      CHECK(at == out.data() + out.size());
    }
}

TEST_CASE("partial accumulators that are rows are replaced, added and told apart", "[entries]") {
  constexpr std::size_t width = 50;
  const std::vector<std::vector<std::int32_t>> given = {
      row_of(width, 0, 1), row_of(width, 3, 2), row_of(width, 4, 3), row_of(width, width, 4)};
  Rows from, to;
  from.resize(2, width);
  to.resize(2, width);
  CHECK(from.zero(1));
  std::vector<std::int32_t> sum(width);
  for (const std::size_t next : {3U, 1U, 1U, 2U, 0U, 0U, 3U}) {
    const std::vector<std::int32_t> before = entry(to, 1, width);
    std::vector<std::int32_t> row = given[next];
    from.put(1, HistogramOf<std::int32_t>(row));
    CHECK(from.zero(1) == (next == 0));
    CHECK(entry(from, 1, width) == row);
    Bytes out;
    from.writer()(0, out);  // nobody put one: zeros
    from.writer()(1, out);
    const std::byte* at = out.data();
    CHECK_FALSE(to.read_news(at, 0));
    CHECK(to.read_news(at, 1) == (before != row));
    CHECK(at == out.data() + out.size());
    CHECK(entry(to, 1, width) == row);
    HistogramOf<std::int32_t> into(sum);
    to.add_to(into, 1);
  }
  for (std::size_t k = 0; k < width; ++k)
    CHECK(sum[k] == 2 * given[3][k] + 2 * given[1][k] + given[2][k]);
  to.clear(1);
  CHECK(entry(to, 1, width) == given[0]);
}

}  // namespace gas
