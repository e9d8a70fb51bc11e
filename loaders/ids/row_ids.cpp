#include "loaders/ids/row_ids.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <ranges>
#include <utility>

#include "gas/graph/error.hpp"
#include "gas/graph/types.hpp"

namespace gas::loaders {

RowIds::RowIds(Team& team, std::uint64_t rows, Numbers home) : rows_(rows), kind_(IdKind::numbers) {
  // Ascending and different, so consecutive if the last is as far from the first as there are rows.
  constexpr std::uint64_t beyond = std::uint64_t{1} << 63;
  const bool any = home.size() > 0;
  const std::uint64_t least = all_min(team, any ? home[0] : beyond);
  const std::uint64_t most = all_max(team, any ? home[home.size() - 1] : 0);
  if (rows == 0 || most - least + 1 == rows) {
    kind_ = IdKind::consecutive;
    first_ = rows == 0 ? 0 : least;
  } else {
    numbers_ = std::move(home);
    missing_ = most - least + 1 - rows;
  }
}

RowIds::RowIds(Team&, std::uint64_t rows, Names home)
    : rows_(rows), kind_(IdKind::names), names_(std::move(home)) {}

std::uint64_t RowIds::local_number(Team& team, std::size_t i) const {
  if (kind_ == IdKind::numbers) return numbers_[i];
  return first_ + HomeRange{rows_, team.size()}.first(team.rank()) + i;
}

std::string RowIds::local_text(Team& team, std::size_t i) const {
  return kind_ == IdKind::names ? std::string(names_[i]) : std::to_string(local_number(team, i));
}

namespace {

/// Where the ascending keys that at(i) gives for i < count have this one.
template <class Key, class At>
std::optional<std::size_t> find_in_order(std::size_t count, const Key& key, At at) {
  const auto places = std::views::iota(std::size_t{0}, count);
  const auto found = std::ranges::lower_bound(places, key, {}, at);
  if (found == places.end() || at(*found) != key) return std::nullopt;
  return *found;
}

}  // namespace

std::optional<std::size_t> RowIds::local_find(Team& team, std::string_view id) const {
  if (kind_ == IdKind::names)
    return find_in_order(local_count(team), id, [&](std::size_t i) { return names_[i]; });
  std::uint64_t number = 0;
  const auto [stop, code] = std::from_chars(id.data(), id.data() + id.size(), number);
  if (code != std::errc() || stop != id.data() + id.size()) return std::nullopt;
  return local_find(team, number);
}

std::optional<std::size_t> RowIds::local_find(Team& team, std::uint64_t id) const {
  return find_in_order(local_count(team), id, [&](std::size_t i) { return local_number(team, i); });
}

void RowIds::for_each(Team& team, const std::function<void(std::string_view)>& take) const {
  constexpr std::size_t piece_bytes = std::size_t{4} << 20;
  const std::size_t count = local_count(team);
  for (int from = 0; from < team.size(); ++from) {
    for (std::size_t at = 0;;) {
      std::vector<Bytes> out(static_cast<std::size_t>(team.size()));
      if (from == team.rank()) {
        Names piece;
        std::size_t bytes = 0;
        while (at < count && bytes < piece_bytes) {
          piece.push_back(local_text(team, at++));
          bytes += piece[piece.size() - 1].size() + 8;
        }
        piece.append_to(out[0], 0, piece.size());
      }
      const std::vector<Bytes> in = team.exchange(std::move(out));
      together(team, [&] {
        Names piece;
        piece.add(in[static_cast<std::size_t>(from)]);
        for (std::size_t i = 0; i < piece.size(); ++i) take(piece[i]);
      });
      const bool more = from == team.rank() && at < count;
      if (all_max(team, static_cast<int>(more)) == 0) break;
    }
  }
}

void check_rows(Team& team, std::uint64_t rows) {
  together(team, [&] {
    if (rows > max_rows)
      throw RunError(fmt::format("{} vertices of one kind, more than {}", rows, max_rows));
  });
}

}  // namespace gas::loaders
