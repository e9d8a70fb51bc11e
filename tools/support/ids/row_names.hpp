#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gas/base/communicator.hpp"
#include "gas/base/types.hpp"
#include "loaders/ids/row_ids.hpp"

namespace gas::tools {

constexpr VertexId no_row = static_cast<VertexId>(-1);

/// The ids of rows, on every rank: first, first + 1, …, or a list.
class IdList {
 public:
  IdList() = default;
  IdList(std::uint64_t count, std::uint64_t first) : count_(count), first_(first) {}
  explicit IdList(std::vector<std::string> list);
  /// Of the rows of a graph. Collective.
  IdList(Communicator& comm, const loaders::RowIds& rows);

  std::uint64_t count() const { return count_; }
  std::uint64_t first() const { return first_; }
  const std::vector<std::string>& list() const { return list_; }
  /// Whether they are what nobody needs a list of (RowIds::trivial).
  bool trivial() const { return list_.empty() && first_ == base_; }
  /// Local.
  std::string text(std::uint64_t i) const;

  /// For each of these the row of the same id among `others`, or no_row.
  std::vector<VertexId> rows_among(const IdList& others) const;

 private:
  std::uint64_t count_ = 0;
  std::uint64_t first_ = 0;
  std::uint64_t base_ = 0;
  std::vector<std::string> list_;  // empty: consecutive numbers
};

/// The row that each row of `ids` has among those `known` by id, or no_row; on every rank.
/// Collective.
std::vector<VertexId> rows_among(Communicator& comm, const loaders::RowIds& ids,
                                 const std::vector<std::string>& known);

/// The row of this id, or no_row; on every rank. Collective.
VertexId row_of(Communicator& comm, const loaders::RowIds& ids, std::string_view id);

/// The ids of these rows, for the rank that asks; each may ask for others. Collective.
std::vector<std::string> texts_of(Communicator& comm, const loaders::RowIds& ids,
                                  std::span<const VertexId> rows);

/// All ids, on every rank. Collective.
std::vector<std::string> all_ids(Communicator& comm, const loaders::RowIds& ids);

}  // namespace gas::tools
