#include "loaders/ids/row_ids.hpp"

#include <fmt/format.h>

#include <utility>

#include "gas/base/error.hpp"
#include "gas/base/text/parse_number.hpp"
#include "gas/base/types.hpp"

namespace gas::loaders {

RowIds::RowIds(Communicator& comm, std::uint64_t rows, Numbers blocks)
    : rows_(rows), kind_(IdKind::numbers) {
  // Ascending and different, so consecutive if the last is as far from the first as there are rows.
  constexpr std::uint64_t beyond = std::uint64_t{1} << 63;
  const bool any = blocks.size() > 0;
  const std::uint64_t least = all_min(comm, any ? blocks[0] : beyond);
  const std::uint64_t most = all_max(comm, any ? blocks[blocks.size() - 1] : 0);
  if (rows == 0 || most - least + 1 == rows) {
    kind_ = IdKind::consecutive;
    first_ = rows == 0 ? 0 : least;
  } else {
    numbers_ = std::move(blocks);
    missing_ = most - least + 1 - rows;
  }
}

RowIds::RowIds(Communicator&, std::uint64_t rows, Names blocks)
    : rows_(rows), kind_(IdKind::names), names_(std::move(blocks)) {}

std::uint64_t RowIds::local_number(Communicator& comm, std::size_t i) const {
  if (kind_ == IdKind::numbers) return numbers_[i];
  return first_ + BlockDistribution{rows_, comm.size()}.first(comm.rank()) + i;
}

std::string RowIds::local_text(Communicator& comm, std::size_t i) const {
  return kind_ == IdKind::names ? std::string(names_[i]) : std::to_string(local_number(comm, i));
}

namespace {

/// Where the ascending keys that at(i) gives for i < count have this one.
template <class Key, class At>
std::optional<std::size_t> find_in_order(std::size_t count, const Key& key, At at) {
  std::size_t first = 0;
  for (std::size_t left = count; left > 0;) {
    const std::size_t half = left / 2;
    const bool before = at(first + half) < key;
    first += before ? half + 1 : 0;
    left = before ? left - half - 1 : half;
  }
  if (first == count || at(first) != key) return std::nullopt;
  return first;
}

}  // namespace

std::optional<std::size_t> RowIds::local_find(Communicator& comm, std::string_view id) const {
  if (kind_ == IdKind::names)
    return find_in_order(local_count(comm), id, [&](std::size_t i) { return names_[i]; });
  std::uint64_t number = 0;
  if (!parse_number(id, number)) return std::nullopt;
  return local_find(comm, number);
}

std::optional<std::size_t> RowIds::local_find(Communicator& comm, std::uint64_t id) const {
  return find_in_order(local_count(comm), id, [&](std::size_t i) { return local_number(comm, i); });
}

void RowIds::check_length(std::size_t values) const {
  if (values != rows_)
    throw UsageError(fmt::format("RowIds::for_each: found {} values for {} ids", values, rows_));
}

void RowIds::for_each(Communicator& comm, const std::function<void(std::string_view)>& take) const {
  constexpr std::size_t piece_bytes = std::size_t{4} << 20;
  const std::size_t count = local_count(comm);
  for (int from = 0; from < comm.size(); ++from) {
    for (std::size_t at = 0;;) {
      std::vector<Bytes> out(static_cast<std::size_t>(comm.size()));
      if (from == comm.rank()) {
        Names piece;
        std::size_t bytes = 0;
        while (at < count && bytes < piece_bytes) {
          piece.push_back(local_text(comm, at++));
          bytes += piece[piece.size() - 1].size() + 8;
        }
        piece.append_to(out[0], 0, piece.size());
      }
      const std::vector<Bytes> in = comm.exchange(std::move(out));
      together(comm, [&] {
        Names piece;
        piece.add(in[static_cast<std::size_t>(from)]);
        for (std::size_t i = 0; i < piece.size(); ++i) take(piece[i]);
      });
      const bool more = from == comm.rank() && at < count;
      if (all_max(comm, static_cast<int>(more)) == 0) break;
    }
  }
}

void check_rows(Communicator& comm, std::uint64_t rows) {
  together(comm, [&] {
    if (rows > max_vertices)
      throw RunError(
          fmt::format("found {} vertices of one kind, expected at most {}", rows, max_vertices));
  });
}

}  // namespace gas::loaders
