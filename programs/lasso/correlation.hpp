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

/// Σ of a column's values times the numbers of its rows.
double dot(const ColumnView& column, const std::vector<double>& numbers);

/// A set of columns, no two of which, if they are of different ranks, correlate: |a·b| / (‖a‖ ‖b‖)
/// of the centred columns is below a limit. Columns of one rank may, as a rank updates its own one
/// after the other. What was found of a pair is remembered, for about a million pairs. Local; the
/// same calls give the same answers on every rank.
class UnrelatedColumns {
 public:
  /// Of columns of so many rows.
  UnrelatedColumns(std::size_t rows, double limit);
  /// What one takes at most.
  static double bytes(double rows, double columns);

  void clear();
  /// Takes column `id` into the set, if it correlates with no column of another rank in there;
  /// returns whether it did. What it views must stay until clear(). O(columns in the set) and, for
  /// pairs that are not remembered, the lesser of the entries in rows that both have and of those
  /// of the other columns.
  bool take(const ColumnView& column, std::uint32_t id, int rank);
  std::size_t count() const { return members_.size(); }

 private:
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  struct Pair {
    std::uint32_t low = none, high = none;
    bool related = false;
  };
  struct Entry {
    std::uint32_t row, next, member;
    float value;
  };
  struct Member {
    ColumnView column;
    std::uint32_t id;
    int rank;
    double product;  // with the column that is looked at
  };

  Pair& place_of(std::uint32_t a, std::uint32_t b);
  bool recall(std::uint32_t id, int rank);
  bool find(const ColumnView& column, std::uint32_t id, double by_rows);
  bool correlates(const ColumnView& column, const Member& member) const;
  bool remember(std::uint32_t a, std::uint32_t b, bool related);
  void multiply_by_rows(const ColumnView& column);
  void list();

  double rows_, limit_;
  std::vector<Pair> pairs_;   // by a hash of both, one at a place; more if many replace others
  std::size_t replaced_ = 0;  // pairs, by others, since there are so many places
  std::vector<Member> members_;
  double in_members_ = 0;               // entries
  std::vector<std::uint32_t> unknown_;  // members of which nothing is remembered
  // Of the first `listed_` members, by row, made when they are first wanted:
  std::size_t listed_ = 0;
  std::vector<std::uint32_t> heads_;  // the last entry there
  std::vector<Entry> entries_;
  std::vector<double> spread_;  // the column that is looked at, by row; else zeros
};

}  // namespace gas
