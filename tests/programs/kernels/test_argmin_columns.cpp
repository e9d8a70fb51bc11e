#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <random>
#include <string>

#include "programs/k_means/kernels/argmin_columns.hpp"

namespace {

struct Rows {
  std::size_t width;
  std::vector<float> values;
  Rows(std::size_t rows, std::size_t columns)
      : width(columns), values(rows * gas::row_stride(columns), std::nanf("")) {}  // padding unread
  std::size_t stride() const { return gas::row_stride(width); }
  std::size_t count() const { return values.size() / stride(); }
  float& at(std::size_t i, std::size_t d) { return values[i * stride() + d]; }
  float at(std::size_t i, std::size_t d) const { return values[i * stride() + d]; }
  gas::RowsView<float> view(std::size_t first, std::size_t rows) const {
    return {values.data() + first * stride(), rows, width, stride()};
  }
};

Rows normal_rows(std::size_t rows, std::size_t columns, double offset, double spread,
                 unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal(offset, spread);
  Rows made(rows, columns);
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t d = 0; d < columns; ++d) made.at(i, d) = static_cast<float>(normal(random));
  return made;
}

long double distance(const Rows& a, std::size_t i, const Rows& b, std::size_t k) {
  long double sum = 0;
  for (std::size_t d = 0; d < a.width; ++d) {
    const auto difference =
        static_cast<long double>(a.at(i, d)) - static_cast<long double>(b.at(k, d));
    sum += difference * difference;
  }
  return sum;
}

std::vector<gas::ArgMin> found(const Rows& points, const Rows& rows, const gas::BlockKernel& kernel,
                               std::size_t block) {
  gas::PackedColumns columns;
  columns.use_kernel(kernel);
  columns.assign(rows.view(0, rows.count()));
  std::vector<gas::ArgMin> nearest(points.count());
  std::vector<float> scratch;
  for (std::size_t i = 0; i < points.count(); i += block) {
    const std::size_t n = std::min(block, points.count() - i);
    gas::argmin_columns(points.view(i, n), columns, std::span(nearest).subspan(i, n), scratch);
  }
  return nearest;
}

}  // namespace

TEST_CASE("argmin_columns finds the nearest row at every level, shape and place", "[argmin]") {
  struct Shape {
    std::size_t points, rows, width;
    double offset, spread;
  };
  for (const Shape s :
       {Shape{1, 1, 1, 0, 1}, Shape{50, 17, 1, 0, 1}, Shape{97, 100, 32, 0, 1},
        Shape{60, 33, 128, 0, 1}, Shape{40, 16, 129, 0, 1}, Shape{30, 70, 300, 0, 1},
        Shape{25, 3000, 3, 0, 1}, Shape{200, 60, 20, 1e4, 1}, Shape{200, 60, 2, 1e4, 0.01},
        Shape{100, 40, 7, 0, 1e-15}, Shape{100, 40, 7, 1e15, 1e15}}) {
    INFO(s.points << " points, " << s.rows << " rows of " << s.width << " around " << s.offset);
    const Rows points = normal_rows(s.points, s.width, s.offset, s.spread, 1);
    const Rows rows = normal_rows(s.rows, s.width, s.offset, s.spread, 2);
    const gas::BlockKernels& kernels = gas::block_kernels();
    const auto reference = found(points, rows, *kernels.levels[0], points.count());
    for (std::size_t i = 0; i < points.count(); ++i) {
      std::size_t best = 0;
      for (std::size_t k = 1; k < rows.count(); ++k)
        if (distance(points, i, rows, k) < distance(points, i, rows, best)) best = k;
      REQUIRE(reference[i].row == best);
      const auto exact = static_cast<double>(distance(points, i, rows, best));
      REQUIRE(static_cast<double>(reference[i].value) == Approx(exact).epsilon(3e-7));
    }
    for (std::size_t level = 0; level < kernels.count; ++level)
      for (const std::size_t block : {std::size_t{1}, std::size_t{13}, points.count()}) {
        INFO(kernels.levels[level]->name << ", blocks of " << block);
        const auto nearest = found(points, rows, *kernels.levels[level], block);
        bool same = true;
        for (std::size_t i = 0; i < points.count(); ++i)
          same =
              same && nearest[i].row == reference[i].row && nearest[i].value == reference[i].value;
        CHECK(same);
      }
  }
}

TEST_CASE("argmin_columns: equal rows go to the lower one, near ties to the nearer", "[argmin]") {
  Rows rows(40, 5), points(3, 5);
  for (std::size_t k = 0; k < rows.count(); ++k)
    for (std::size_t d = 0; d < 5; ++d) rows.at(k, d) = k < 20 ? 7.0F : 1000.0F;
  // Rows 30 and 31 are nearer to the second point than the others by the last bit of one
  // coordinate.
  rows.at(30, 2) = rows.at(31, 2) = std::nextafter(1000.0F, 0.0F);
  for (std::size_t d = 0; d < 5; ++d) {
    points.at(0, d) = 6;
    points.at(1, d) = 990;
    points.at(2, d) = 1010;
  }
  for (std::size_t level = 0; level < gas::block_kernels().count; ++level) {
    const auto nearest = found(points, rows, *gas::block_kernels().levels[level], 3);
    CHECK(nearest[0].row == 0);
    CHECK(nearest[1].row == 30);
    CHECK(nearest[2].row == 20);
    CHECK(nearest[0].value == 5);
  }
}

TEST_CASE("argmin_columns holds out against a row far away and one point at a row", "[argmin]") {
  Rows rows = normal_rows(50, 12, 0, 1, 3);
  for (std::size_t d = 0; d < 12; ++d) rows.at(49, d) = 1e9F;
  Rows points = normal_rows(80, 12, 0, 1, 4);
  for (std::size_t d = 0; d < 12; ++d) points.at(5, d) = rows.at(33, d);
  const auto nearest = found(points, rows, *gas::block_kernels().levels[0], 80);
  for (std::size_t i = 0; i < points.count(); ++i) {
    std::size_t best = 0;
    for (std::size_t k = 1; k < rows.count(); ++k)
      if (distance(points, i, rows, k) < distance(points, i, rows, best)) best = k;
    CHECK(nearest[i].row == best);
  }
  CHECK(nearest[5].value == 0);
}

TEST_CASE("argmin_columns with bounds gives the bits of the one without, step after step",
          "[argmin]") {
  const gas::BlockKernels& levels = gas::block_kernels();
  const std::size_t level = GENERATE(std::size_t{0}, std::size_t{1}, std::size_t{2});
  if (level >= levels.count) return;
  const auto [count, width] = GENERATE(table<std::size_t, std::size_t>(
      {{1, 128}, {5, 200}, {16, 131}, {40, 784}, {100, 128}, {300, 150}}));
  INFO(levels.levels[level]->name << ", " << count << " rows of " << width);
  // Points around the rows, some of them twice; the rows are equal in pairs at the start.
  Rows rows = normal_rows(count, width, 0.3, 1, 7);
  for (std::size_t k = 3; k < count; k += 7)
    for (std::size_t d = 0; d < width; ++d) rows.at(k, d) = rows.at(k - 3, d);
  Rows points = normal_rows(700, width, 0, 0.4, 8);
  for (std::size_t i = 0; i < points.count(); ++i)
    for (std::size_t d = 0; d < width; ++d) {
      if (i % 5 == 1)
        points.at(i, d) = points.at(i - 1, d);
      else
        points.at(i, d) += rows.at(i * 31 % count, d);
      if (i % 11 == 2) points.at(i, d) = rows.at(i % count, d);
    }
  struct State {
    char other = 0;
    gas::NearBounds bounds;
  };
  std::vector<State> states(points.count());
  gas::PackedColumns columns;
  columns.use_kernel(*levels.levels[level]);
  std::vector<float> scratch;
  std::mt19937 random(9);
  std::normal_distribution<double> normal;
  std::size_t left_out = 0;
  for (int step = 0; step < 12; ++step) {
    columns.assign(rows.view(0, count));
    std::vector<gas::ArgMin> plain(points.count()), bounded(points.count());
    gas::argmin_columns(points.view(0, points.count()), columns, plain, scratch);
    for (std::size_t i = 0; i < points.count(); i += 256) {
      const std::size_t n = std::min<std::size_t>(256, points.count() - i);
      gas::argmin_columns(points.view(i, n), columns, std::span(bounded).subspan(i, n), scratch,
                          {std::span(states).subspan(i, n), &State::bounds});
    }
    for (std::size_t i = 0; i < points.count(); ++i) {
      REQUIRE(bounded[i].row == plain[i].row);
      REQUIRE(bounded[i].value == plain[i].value);
      // A bound that is not below the distance of every other row of its group would be wrong.
      const std::size_t panels = (count + 15) / 16, groups = std::min<std::size_t>(panels, 8);
      for (std::size_t g = 0; i % 29 == 0 && g < groups; ++g)
        for (std::size_t k = panels * g / groups * 16;
             k < std::min(count, panels * (g + 1) / groups * 16); ++k)
          if (k != plain[i].row)
            REQUIRE(static_cast<long double>(states[i].bounds.least[g]) <=
                    std::sqrt(distance(points, i, rows, k)));
      left_out += states[i].bounds.least[0] > 0 ? 1 : 0;
    }
    if (step == 7) continue;  // nothing moves
    const double size = step == 4 ? 1 : 0.05 / (step + 1);
    for (std::size_t k = 0; k < count; ++k)
      for (std::size_t d = 0; k % 3 != 1 && d < width; ++d)
        rows.at(k, d) += static_cast<float>(size * normal(random));
  }
  CHECK(left_out > 0);
}

TEST_CASE("argmin_columns by a blur tells which points may have another nearest row", "[argmin]") {
  const gas::BlockKernels& levels = gas::block_kernels();
  const std::size_t level = GENERATE(std::size_t{0}, std::size_t{1}, std::size_t{2});
  if (level >= levels.count) return;
  const auto [count, width, offset] =
      GENERATE(table<std::size_t, std::size_t, double>({{1, 3, 0.0},
                                                        {40, 2, 0.0},
                                                        {40, 2, 1000.0},
                                                        {90, 20, 1.0},
                                                        {100, 128, 0.0},
                                                        {300, 130, 3.0}}));
  const gas::Blur blur{GENERATE(0x1p-24, 1e-3), GENERATE(0.0, 1e-2)};
  Rows rows = normal_rows(count, width, offset, 1, 7);
  Rows points = normal_rows(400, width, offset, 1, 8);
  for (std::size_t i = 0; i < 50; ++i)  // next to the middle of two rows, or at one
    for (std::size_t d = 0; d < width; ++d) {
      const float from = rows.at(i % count, d), to = rows.at((i * i + 1) % count, d);
      points.at(i, d) = i < 40 ? from + (to - from) * (0.5F + 0.001F * static_cast<float>(i)) : to;
    }
  struct State {
    gas::NearBounds bounds;
  };
  std::vector<State> states(points.count());
  gas::PackedColumns columns;
  columns.use_kernel(*levels.levels[level]);
  std::vector<float> scratch;
  std::size_t missed = 0, beyond = 0;
  for (int step = 0; step < 4; ++step) {
    columns.assign(rows.view(0, count));
    std::vector<gas::ArgMin> plain(points.count()), blurred(points.count());
    gas::argmin_columns(points.view(0, points.count()), columns, plain, scratch);
    gas::argmin_columns(points.view(0, points.count()), columns, blurred, scratch,
                        {std::span(states), &State::bounds}, blur);
    for (std::size_t i = 0; i < points.count(); ++i) {
      REQUIRE(blurred[i].row == plain[i].row);
      REQUIRE(blurred[i].value == plain[i].value);
      long double length = 0, second = 1e30L;
      for (std::size_t d = 0; d < width; ++d)
        length += std::pow(static_cast<long double>(points.at(i, d)), 2);
      for (std::size_t k = 0; k < count; ++k)
        if (k != plain[i].row) second = std::min(second, std::sqrt(distance(points, i, rows, k)));
      const long double own = std::sqrt(distance(points, i, rows, plain[i].row));
      const long double margin =
          5 * (static_cast<long double>(blur.share) * (std::sqrt(length) + own) +
               static_cast<long double>(blur.rest));
      const bool unsure = states[i].bounds.unsure != 0;
      if (second < own + margin * 0.999L && !unsure) ++missed;
      if (second > own + margin * 1.001L && unsure) ++beyond;
    }
    for (std::size_t k = 0; k < count; k += 2)
      for (std::size_t d = 0; d < width; ++d) rows.at(k, d) += 0.001F * static_cast<float>(step);
  }
  CHECK(missed == 0);
  CHECK(beyond == 0);
}

TEST_CASE("columns_within tells all rows within a limit and few others, at every level",
          "[argmin]") {
  const std::size_t width = GENERATE(std::size_t{1}, 3, 16, 140);
  const std::size_t count = GENERATE(std::size_t{1}, 7, 16, 24, 32);
  const double offset = GENERATE(0.0, 30.0);
  const Rows rows = normal_rows(count, width, offset, 1, 5);
  const Rows points = normal_rows(301, width, offset, 1, 6);
  std::vector<float> limits, scratch;
  for (std::size_t i = 0; i < points.count(); ++i)  // at a row's own distance, or beside it
    limits.push_back(static_cast<float>(distance(points, i, rows, i % count)) *
                     (i % 3 == 0 ? 1.0F : 1.0F + (i % 3 == 1 ? 1e-6F : -1e-6F)));
  limits[8] = 0;
  limits[9] = std::numeric_limits<float>::infinity();
  for (std::size_t level = 0; level < gas::block_kernels().count; ++level) {
    INFO("level " << gas::block_kernels().levels[level]->name << " rows " << count << " of "
                  << width);
    gas::PackedColumns columns;
    columns.use_kernel(*gas::block_kernels().levels[level]);
    columns.assign(rows.view(0, count));
    std::vector<std::uint32_t> within(points.count());
    gas::columns_within(points.view(0, points.count()), columns, limits, within, scratch);
    std::size_t missed = 0, beyond = 0;
    for (std::size_t i = 0; i < points.count(); ++i)
      for (std::size_t k = 0; k < 32; ++k) {
        const bool told = (within[i] >> k & 1U) != 0;
        const long double apart = k < count ? distance(points, i, rows, k) : 1e9L;
        const auto limit = static_cast<long double>(limits[i]);
        if (apart < limit && k < count && !told) ++missed;
        if (apart > limit + 1e-4L * (limit + 1) && told) ++beyond;
      }
    CHECK(missed == 0);
    CHECK(beyond == 0);
  }
}
