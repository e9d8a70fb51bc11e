#include "programs/lasso/correlation.hpp"

#include <algorithm>
#include <cmath>

#include "gas/base/random.hpp"

namespace gas {
namespace {

constexpr std::size_t least_places = 1U << 12U, most_places = 1U << 20U;  // for pairs

}  // namespace

double dot(const ColumnView& column, const std::vector<double>& numbers) {
  double even = 0, odd = 0;
  std::size_t e = 0;
  for (; e + 1 < column.rows.size(); e += 2) {
    even += double{column.values[e]} * numbers[column.rows[e]];
    odd += double{column.values[e + 1]} * numbers[column.rows[e + 1]];
  }
  if (e < column.rows.size()) even += double{column.values[e]} * numbers[column.rows[e]];
  return even + odd;
}

UnrelatedColumns::UnrelatedColumns(std::size_t rows, double limit)
    : rows_(static_cast<double>(rows)),
      limit_(limit),
      pairs_(least_places),
      heads_(rows, none),
      spread_(rows) {}

double UnrelatedColumns::bytes(double rows, double columns) {
  const double places = std::clamp(columns * columns, 1.0 * least_places, 1.0 * most_places);
  return rows * (sizeof(std::uint32_t) + sizeof(double)) + places * sizeof(Pair);
}

UnrelatedColumns::Pair& UnrelatedColumns::place_of(std::uint32_t a, std::uint32_t b) {
  const auto [low, high] = std::minmax(a, b);
  return pairs_[Random(low).bits(high) & (pairs_.size() - 1)];
}

void UnrelatedColumns::clear() {
  for (const Entry& entry : entries_) heads_[entry.row] = none;
  entries_.clear();
  members_.clear();
  listed_ = 0;
  in_members_ = 0;
}

bool UnrelatedColumns::take(const ColumnView& column, std::uint32_t id, int rank) {
  // About how long they take, in steps along a column: from an entry to the next one of its row;
  // and a look at what is remembered of a pair.
  constexpr double jump = 3, look = 16;
  const auto size = static_cast<double>(column.rows.size());
  const double by_rows = jump * size * (1 + in_members_ / std::max(rows_, 1.0));
  bool related = false;
  if (by_rows <= look * static_cast<double>(members_.size())) {
    multiply_by_rows(column);
    related = std::ranges::any_of(members_, [&](const Member& member) {
      return member.rank != rank && correlates(column, member);
    });
  } else {
    related = recall(id, rank);
    if (!related && !unknown_.empty()) related = find(column, id, by_rows);
  }
  if (related) return false;
  members_.push_back({column, id, rank, 0});
  in_members_ += size;
  return true;
}

/// Is a member of another rank remembered as related? Else unknown_ are those that are not.
bool UnrelatedColumns::recall(std::uint32_t id, int rank) {
  unknown_.clear();
  for (std::uint32_t m = 0; m < members_.size(); ++m) {
    const Member& member = members_[m];
    if (member.rank == rank) continue;
    const Pair& pair = place_of(id, member.id);
    if (pair.low != std::min(id, member.id) || pair.high != std::max(id, member.id))
      unknown_.push_back(m);
    else if (pair.related)
      return true;
  }
  return false;
}

/// Is an unknown member related? Remembers those that were looked at.
bool UnrelatedColumns::find(const ColumnView& column, std::uint32_t id, double by_rows) {
  double by_pairs = 2 * static_cast<double>(column.rows.size());
  for (const std::uint32_t m : unknown_)
    by_pairs += static_cast<double>(members_[m].column.rows.size());
  if (by_rows < by_pairs) {
    multiply_by_rows(column);
    bool related = false;
    for (const std::uint32_t m : unknown_)
      related = remember(id, members_[m].id, correlates(column, members_[m])) || related;
    return related;
  }
  for (std::size_t e = 0; e < column.rows.size(); ++e)
    spread_[column.rows[e]] = double{column.values[e]};
  const bool related = std::ranges::any_of(unknown_, [&](std::uint32_t m) {
    Member& member = members_[m];
    member.product = dot(member.column, spread_);
    return remember(id, member.id, correlates(column, member));
  });
  for (const std::uint32_t row : column.rows) spread_[row] = 0;
  return related;
}

/// By the member's product.
bool UnrelatedColumns::correlates(const ColumnView& column, const Member& member) const {
  const double centred = member.product - rows_ * member.column.mean * column.mean;
  return std::abs(centred) >= limit_ * std::sqrt(member.column.square * column.square);
}

/// Returns `related`.
bool UnrelatedColumns::remember(std::uint32_t a, std::uint32_t b, bool related) {
  if (place_of(a, b).low != none && ++replaced_ > pairs_.size() / 2 &&
      pairs_.size() < most_places) {
    pairs_ = std::vector<Pair>(4 * pairs_.size());
    replaced_ = 0;
  }
  place_of(a, b) = {std::min(a, b), std::max(a, b), related};
  return related;
}

/// Sets the product of each member with the column.
void UnrelatedColumns::multiply_by_rows(const ColumnView& column) {
  list();
  for (Member& member : members_) member.product = 0;
  for (std::size_t e = 0; e < column.rows.size(); ++e) {
    const double x = column.values[e];
    for (std::uint32_t at = heads_[column.rows[e]]; at != none; at = entries_[at].next)
      members_[entries_[at].member].product += x * double{entries_[at].value};
  }
}

void UnrelatedColumns::list() {
  for (; listed_ < members_.size(); ++listed_) {
    const ColumnView& column = members_[listed_].column;
    for (std::size_t e = 0; e < column.rows.size(); ++e) {
      std::uint32_t& head = heads_[column.rows[e]];
      entries_.push_back(
          {column.rows[e], head, static_cast<std::uint32_t>(listed_), column.values[e]});
      head = static_cast<std::uint32_t>(entries_.size() - 1);
    }
  }
}

}  // namespace gas
