#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace gas {

/// A sparse column, less its mean in every row where a problem is centred.
struct ColumnView {
  std::span<const std::uint32_t> rows;
  std::span<const float> values;
  double mean = 0;    // 0 where it is not centred
  double square = 0;  // Σ (x − mean)² over all rows
};

/// A set of columns, no two of which, if they are of different ranks, correlate: |a·b| / (‖a‖ ‖b‖)
/// of the centred columns is below a limit. Columns of one rank may, as a rank updates its own one
/// after the other. Local.
class UnrelatedColumns {
 public:
  /// Of columns of so many rows. Takes 4 bytes per row.
  UnrelatedColumns(std::size_t rows, double limit)
      : rows_(static_cast<double>(rows)), limit_(limit), heads_(rows, none) {}

  void clear();
  /// Takes it into the set, if it correlates with no column of another rank in there; returns
  /// whether it did. O(entries that it shares rows with, and the columns in the set).
  bool take(const ColumnView& column, int rank);
  std::size_t count() const { return members_.size(); }

 private:
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  struct Entry {
    std::uint32_t row, next, member;
    float value;
  };
  struct Member {
    int rank;
    double mean, square;
    double product;  // with the column that is looked at
  };

  double rows_, limit_;
  std::vector<std::uint32_t> heads_;  // by row: the last entry there
  std::vector<Entry> entries_;
  std::vector<Member> members_;
};

}  // namespace gas
