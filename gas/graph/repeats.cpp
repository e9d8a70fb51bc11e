#include "gas/graph/repeats.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <limits>
#include <type_traits>
#include <utility>

#include "gas/base/error.hpp"
#include "gas/base/threads/parallel.hpp"

namespace gas {
namespace {

constexpr std::size_t rows_per_task = std::size_t{1} << 14;

std::size_t row_count(const SortedRows& rows) { return rows.offsets.size() - 1; }

template <class F>
void each_row(const SortedRows& rows, unsigned threads, F f) {
  const std::size_t count = row_count(rows);
  in_parallel(threads, (count + rows_per_task - 1) / rows_per_task,
              [&](unsigned, std::size_t task) {
                const std::size_t last = std::min((task + 1) * rows_per_task, count);
                for (std::size_t v = task * rows_per_task; v < last; ++v) f(v);
              });
}

bool any_repeated(const SortedRows& rows, unsigned threads) {
  std::atomic<bool> found{false};
  each_row(rows, threads, [&](std::size_t v) {
    const auto begin = rows.others.begin() + static_cast<std::ptrdiff_t>(rows.offsets[v]);
    const auto end = rows.others.begin() + static_cast<std::ptrdiff_t>(rows.offsets[v + 1]);
    if (std::adjacent_find(begin, end) != end) found.store(true, std::memory_order_relaxed);
  });
  return found;
}

/// Keeps the first of equal edges: move(to, edge) where one goes, add(to, edge) of its repeats.
template <class Move, class Add>
void join(SortedRows& rows, Move move, Add add) {
  EdgeOffset kept = 0, begin = 0;
  for (std::size_t v = 0; v < row_count(rows); ++v) {
    const EdgeOffset end = rows.offsets[v + 1], first = kept;
    for (EdgeOffset e = begin; e < end; ++e) {
      if (kept > first && rows.others[kept - 1] == rows.others[e]) {
        add(kept - 1, e);
      } else {
        rows.others[kept] = rows.others[e];
        move(kept++, e);
      }
    }
    begin = end;
    rows.offsets[v + 1] = kept;
  }
  rows.others.resize(kept);
}

}  // namespace

void add_repeats(SortedRows& rows, unsigned threads) {
  if (rows.values.empty() && rows.wide_values.empty()) rows.values.assign(rows.others.size(), 1.0F);
  if (!any_repeated(rows, threads)) return;
  with_values(rows, [&](auto& values) {
    double sum = 0;  // of the repeats so far: a float would lose the last ones of many
    join(
        rows,
        [&](EdgeOffset to, EdgeOffset e) {
          sum = values[e];
          values[to] = values[e];
        },
        [&](EdgeOffset to, EdgeOffset e) {
          sum += values[e];
          values[to] = static_cast<std::remove_reference_t<decltype(values[to])>>(sum);
        });
    values.resize(rows.others.size());
  });
}

void drop_repeats(SortedRows& rows, unsigned threads) {
  const auto nothing = [](EdgeOffset, EdgeOffset) {};
  if (any_repeated(rows, threads)) join(rows, nothing, nothing);
}

namespace {

template <class Value>
void expand(SortedRows& rows, const std::vector<Value>& counts, unsigned threads) {
  std::vector<EdgeOffset> offsets{0};
  offsets.reserve(rows.offsets.size());
  EdgeOffset total = 0;
  for (std::size_t v = 0; v < row_count(rows); ++v) {
    for (EdgeOffset e = rows.offsets[v]; e < rows.offsets[v + 1]; ++e) {
      const Value count = counts[e];
      if (!(count >= 0 && count < Value{0x1p32} &&
            count == static_cast<Value>(static_cast<std::uint32_t>(count))))
        throw InputError(fmt::format(
            "found the value {} of an edge to vertex {}, expected a whole number from 0 to "
            "4294967295",
            count, rows.others[e]));
      total += static_cast<std::uint32_t>(count);
    }
    offsets.push_back(total);
  }
  if (total >= std::numeric_limits<LocalId>::max())
    throw RunError("a rank can hold at most 2³² − 2 edges: use more ranks");
  std::vector<VertexId> others(total);
  each_row(rows, threads, [&](std::size_t v) {
    auto to = others.begin() + static_cast<std::ptrdiff_t>(offsets[v]);
    for (EdgeOffset e = rows.offsets[v]; e < rows.offsets[v + 1]; ++e)
      to = std::fill_n(to, static_cast<std::uint32_t>(counts[e]), rows.others[e]);
  });
  rows = {std::move(offsets), std::move(others), {}, {}};
}

}  // namespace

void expand_counts(SortedRows& rows, unsigned threads) {
  with_values(rows, [&](const auto& counts) {
    if (!counts.empty()) expand(rows, counts, threads);
  });
}

}  // namespace gas
