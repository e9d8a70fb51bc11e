#include "programs/lasso/correlation.hpp"

#include <cmath>

namespace gas {

void UnrelatedColumns::clear() {
  for (const Entry& entry : entries_) heads_[entry.row] = none;
  entries_.clear();
  members_.clear();
}

bool UnrelatedColumns::take(const ColumnView& column, int rank) {
  for (Member& member : members_) member.product = -rows_ * member.mean * column.mean;
  for (std::size_t e = 0; e < column.rows.size(); ++e) {
    const double x = column.values[e];
    for (std::uint32_t at = heads_[column.rows[e]]; at != none; at = entries_[at].next)
      members_[entries_[at].member].product += x * double{entries_[at].value};
  }
  for (const Member& member : members_)
    if (member.rank != rank &&
        std::abs(member.product) >= limit_ * std::sqrt(member.square * column.square))
      return false;
  const auto number = static_cast<std::uint32_t>(members_.size());
  members_.push_back({rank, column.mean, column.square, 0});
  for (std::size_t e = 0; e < column.rows.size(); ++e) {
    std::uint32_t& head = heads_[column.rows[e]];
    entries_.push_back({column.rows[e], head, number, column.values[e]});
    head = static_cast<std::uint32_t>(entries_.size() - 1);
  }
  return true;
}

}  // namespace gas
