#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <ranges>
#include <string>
#include <string_view>

#include "gas/base/communicator.hpp"
#include "gas/base/id_kind.hpp"
#include "loaders/ids/keys.hpp"

namespace gas::loaders {

/// The ids that the rows of one kind have in the file: those of this rank's BlockDistribution, in
/// row order, which is ascending (names: by bytes). Consecutive numbers are not stored.
class RowIds {
 public:
  RowIds() = default;
  /// Rows whose ids are first, first + 1, …; `base`: the id of row 0 where the format counts rows
  /// (docword and libsvm: as the file does), so that nobody needs a list of them.
  RowIds(std::uint64_t rows, std::uint64_t first, std::uint64_t base = 0)
      : rows_(rows), first_(first), base_(base) {}
  /// This rank's BlockDistribution of ids. Collective.
  RowIds(Communicator& comm, std::uint64_t rows, Numbers blocks);
  RowIds(Communicator& comm, std::uint64_t rows, Names blocks);

  std::uint64_t rows() const { return rows_; }
  IdKind kind() const { return kind_; }
  /// Of row 0, if they are consecutive.
  std::uint64_t first() const { return first_; }
  /// What row 0 is called where ids.txt is left out.
  std::uint64_t base() const { return base_; }
  /// Whether the ids are base, base + 1, …, so that there is no need to write them down.
  bool trivial() const { return kind_ == IdKind::consecutive && (rows_ == 0 || first_ == base_); }
  bool named() const { return kind_ == IdKind::names; }
  /// How many numbers between the least id and the largest are no ids; 0 where it is known which
  /// ids exist, and of names.
  std::uint64_t missing() const { return missing_; }
  void set_missing(std::uint64_t count) { missing_ = count; }
  /// The id of row BlockDistribution::first + i of this rank, as it is written in ids.txt.
  std::string local_text(Communicator& comm, std::size_t i) const;
  /// The same as a number. Not for names.
  std::uint64_t local_number(Communicator& comm, std::size_t i) const;
  /// Where among this rank's rows an id is, written as local_text gives it; takes log n steps.
  std::optional<std::size_t> local_find(Communicator& comm, std::string_view id) const;
  /// The same for a number. Not for names.
  std::optional<std::size_t> local_find(Communicator& comm, std::uint64_t id) const;

  /// Gives all ids in row order, as text, to `take` on rank 0, where they arrive in pieces of
  /// bounded size. Collective.
  void for_each(Communicator& comm, const std::function<void(std::string_view id)>& take) const;
  /// The same with a value of each: take(id, values[row]). `values`, which rank 0 alone need have,
  /// are of all rows, as gas::whole gives them. UsageError on all ranks where there are more or
  /// fewer than ids. Collective.
  template <std::ranges::random_access_range Values, class Take>
  void for_each(Communicator& comm, const Values& values, Take take) const {
    together(comm, [&] {
      if (comm.rank() == 0) check_length(std::ranges::size(values));
    });
    auto next = std::ranges::begin(values);
    for_each(comm, [&](std::string_view id) { take(id, *next++); });
  }

 private:
  void check_length(std::size_t values) const;
  std::size_t local_count(Communicator& comm) const {
    return static_cast<std::size_t>(BlockDistribution{rows_, comm.size()}.count(comm.rank()));
  }

  std::uint64_t rows_ = 0;
  IdKind kind_ = IdKind::consecutive;
  std::uint64_t first_ = 0;
  std::uint64_t base_ = 0;
  std::uint64_t missing_ = 0;
  Numbers numbers_;
  Names names_;
};

/// RunError if there are more rows of one kind than max_vertices. Collective.
void check_rows(Communicator& comm, std::uint64_t rows);

}  // namespace gas::loaders
