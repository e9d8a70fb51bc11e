#include "gas/graph/sorted_rows.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <limits>
#include <span>
#include <utility>

#include "gas/base/page_array.hpp"
#include "gas/base/threads/parallel.hpp"

namespace gas {
namespace {

constexpr std::size_t chunk = std::size_t{1} << 19;  // edges per task

std::size_t chunks(std::size_t size) { return (size + chunk - 1) / chunk; }

struct Arc {
  LocalId owner;
  VertexId other;
};
template <class Value>
struct ValuedArc {
  LocalId owner;
  VertexId other;
  Value value;
};

bool ascending(const std::vector<LocalId>& keys, unsigned threads) {
  std::atomic<bool> holds{true};
  in_parallel(threads, chunks(keys.size()), [&](unsigned, std::size_t task) {
    if (!holds.load(std::memory_order_relaxed)) return;
    const auto first = keys.begin() + static_cast<std::ptrdiff_t>(task * chunk);
    const auto last =
        keys.begin() + static_cast<std::ptrdiff_t>(std::min((task + 1) * chunk + 1, keys.size()));
    if (!std::is_sorted(first, last)) holds.store(false, std::memory_order_relaxed);
  });
  return holds;
}

/// Where each key begins among these ascending ones.
std::vector<EdgeOffset> offsets_of(const std::vector<LocalId>& ascending_keys, std::size_t keys,
                                   unsigned threads) {
  const std::size_t size = ascending_keys.size();
  std::vector<EdgeOffset> offsets(keys + 1, 0);
  in_parallel(threads, chunks(size), [&](unsigned, std::size_t task) {
    for (std::size_t e = task * chunk; e < std::min((task + 1) * chunk, size); ++e) {
      const std::size_t before = e == 0 ? 0 : std::size_t{ascending_keys[e - 1]} + 1;
      for (std::size_t v = before; v <= ascending_keys[e]; ++v) offsets[v] = e;
    }
  });
  const std::size_t after = size == 0 ? 0 : std::size_t{ascending_keys.back()} + 1;
  std::fill(offsets.begin() + static_cast<std::ptrdiff_t>(after), offsets.end(), size);
  return offsets;
}

template <class Value>
void sort_row(std::span<VertexId> others, std::span<Value> values,
              std::vector<std::pair<VertexId, Value>>& scratch) {
  if (std::is_sorted(others.begin(), others.end())) return;
  if (values.empty()) {
    std::sort(others.begin(), others.end());
    return;
  }
  scratch.clear();
  for (std::size_t i = 0; i < others.size(); ++i) scratch.emplace_back(others[i], values[i]);
  std::stable_sort(scratch.begin(), scratch.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  for (std::size_t i = 0; i < others.size(); ++i) std::tie(others[i], values[i]) = scratch[i];
}

template <class Value>
void sort_each_row(SortedRows& rows, std::vector<Value>& values, unsigned threads) {
  const std::size_t size = rows.others.size();
  const std::size_t owners = rows.offsets.size() - 1;
  // A task has the rows that begin in its chunk.
  in_parallel(threads, chunks(size), [&](unsigned, std::size_t task) {
    std::vector<std::pair<VertexId, Value>> scratch;
    const auto row_at = [&](std::size_t e) {
      return static_cast<std::size_t>(
          std::lower_bound(rows.offsets.begin(), rows.offsets.end(), e) - rows.offsets.begin());
    };
    const std::size_t last = std::min(row_at((task + 1) * chunk), owners);
    for (std::size_t v = row_at(task * chunk); v < last; ++v) {
      const auto begin = rows.offsets[v], count = rows.offsets[v + 1] - begin;
      sort_row(std::span(rows.others).subspan(begin, count),
               values.empty() ? std::span<Value>() : std::span(values).subspan(begin, count),
               scratch);
    }
  });
}

SortedRows sort_in_place(LooseEdges edges, std::size_t owners, unsigned threads) {
  SortedRows rows{offsets_of(edges.owner, owners, threads), std::move(edges.other),
                  std::move(edges.value), std::move(edges.wide_value)};
  with_values(rows, [&](auto& values) { sort_each_row(rows, values, threads); });
  return rows;
}

/// Values of edges in, and out.
template <class Value>
std::vector<Value>& column(LooseEdges& edges) {
  if constexpr (std::is_same_v<Value, double>)
    return edges.wide_value;
  else
    return edges.value;
}
template <class Value>
std::vector<Value>& column(SortedRows& rows) {
  if constexpr (std::is_same_v<Value, double>)
    return rows.wide_values;
  else
    return rows.values;
}

/// Deals edges into blocks of 2^shift owner vertices and sorts each block.
template <class Entry, class Value>
class BlockSort {
 public:
  BlockSort(LooseEdges edges, std::size_t owners, std::uint64_t others, unsigned threads)
      : edges_(std::move(edges)), owners_(owners), threads_(threads) {
    const std::size_t wanted = std::clamp<std::size_t>(edges_.size() >> 15U, 1, 1024);
    while ((owners - 1) >> shift_ >= wanted) ++shift_;
    blocks_ = ((owners - 1) >> shift_) + 1;
    const auto bits = static_cast<unsigned>(std::bit_width(others - 1));
    passes_ = (bits + 10) / 11;
    digit_bits_ = passes_ == 0 ? 0 : (bits + passes_ - 1) / passes_;
  }

  SortedRows run() {
    deal();
    rows_.offsets.resize(owners_ + 1);
    rows_.offsets[owners_] = entries_.size();
    rows_.others.reserve(entries_.size());
    if constexpr (valued) column<Value>(rows_).reserve(entries_.size());
    std::vector<std::vector<Entry>> scratch(threads_);
    // Some blocks at a time: the rows grow as entries go back to the system.
    const std::size_t some = std::max<std::size_t>(16 * threads_, blocks_ / 16);
    for (std::size_t first = 0; first < blocks_; first += some) {
      const std::size_t last = std::min(first + some, blocks_);
      rows_.others.resize(begins_[last]);
      if constexpr (valued) column<Value>(rows_).resize(begins_[last]);
      in_parallel(threads_, last - first,
                  [&](unsigned thread, std::size_t i) { sort_block(first + i, scratch[thread]); });
    }
    return std::move(rows_);
  }

 private:
  static constexpr bool valued = !std::is_same_v<Entry, Arc>;

  /// Calls f(owner end, other end, edge) for each edge of a chunk and way, ends as they are called.
  template <class F>
  void each(std::size_t task, F f) const {
    const std::size_t last = std::min((task + 1) * chunk, edges_.size());
    const bool both_ways = edges_.both_ways;
    for (std::size_t e = task * chunk; e < last; ++e) {
      const LocalId owner = edges_.owner[e], other = edges_.other[e];
      f(owner, other, e);
      if (both_ways && owner != other) f(other, owner, e);
    }
  }

  void deal() {
    const std::size_t tasks = chunks(edges_.size());
    std::vector<std::uint64_t> next(tasks * blocks_, 0);  // by chunk, then block
    in_parallel(threads_, tasks, [&](unsigned, std::size_t task) {
      std::uint64_t* const counts = next.data() + task * blocks_;
      each(task, [&](LocalId owner, VertexId, std::size_t) { ++counts[owner >> shift_]; });
    });
    begins_.resize(blocks_ + 1);
    std::uint64_t total = 0;
    for (std::size_t block = 0; block < blocks_; ++block) {
      begins_[block] = total;
      for (std::size_t task = 0; task < tasks; ++task)
        total += std::exchange(next[task * blocks_ + block], total);
    }
    begins_[blocks_] = total;
    entries_ = PageArray<Entry>(total);
    Entry* const entries = entries_.data();
    [[maybe_unused]] const std::vector<Value>& values = column<Value>(edges_);
    in_parallel(threads_, tasks, [&](unsigned, std::size_t task) {
      std::uint64_t* const at = next.data() + task * blocks_;
      const VertexId* const row_of = edges_.row_of.empty() ? nullptr : edges_.row_of.data();
      each(task, [&](LocalId owner, VertexId other, std::size_t e) {
        Entry& entry = entries[at[owner >> shift_]++];
        entry.owner = owner;
        entry.other = row_of ? row_of[other] : other;
        if constexpr (valued) entry.value = values[e];
      });
      const auto used = [&](auto& list) {
        if (list.empty()) return;
        const std::size_t count = std::min(chunk, list.size() - task * chunk);
        release_pages(list.data() + task * chunk, count * sizeof(list[0]));
      };
      used(edges_.owner);
      used(edges_.other);
      used(column<Value>(edges_));
    });
    edges_ = {};
  }

  /// By other end, digit by digit, then by owner end, into the rows.
  void sort_block(std::size_t block, std::vector<Entry>& scratch) {
    Entry* from = entries_.data() + begins_[block];
    const std::size_t size = begins_[block + 1] - begins_[block];
    if (scratch.size() < size) scratch.resize(size);
    Entry* to = scratch.data();
    std::array<std::size_t, 2048> next;
    for (unsigned pass = 0; pass < passes_; ++pass) {
      const unsigned down = pass * digit_bits_;
      const VertexId mask = (VertexId{1} << digit_bits_) - 1;
      next.fill(0);
      for (std::size_t i = 0; i < size; ++i) ++next[from[i].other >> down & mask];
      std::size_t sum = 0;
      for (std::size_t digit = 0; digit <= mask; ++digit) sum += std::exchange(next[digit], sum);
      for (std::size_t i = 0; i < size; ++i) to[next[from[i].other >> down & mask]++] = from[i];
      std::swap(from, to);
    }

    const std::size_t first = block << shift_;
    const std::size_t count = std::min(std::size_t{1} << shift_, owners_ - first);
    std::vector<EdgeOffset> at(count, 0);
    for (std::size_t i = 0; i < size; ++i) ++at[from[i].owner - first];
    EdgeOffset sum = begins_[block];
    for (std::size_t v = 0; v < count; ++v) {
      rows_.offsets[first + v] = sum;
      sum += std::exchange(at[v], sum);
    }
    [[maybe_unused]] std::vector<Value>& values = column<Value>(rows_);
    for (std::size_t i = 0; i < size; ++i) {
      const EdgeOffset position = at[from[i].owner - first]++;
      rows_.others[position] = from[i].other;
      if constexpr (valued) values[position] = from[i].value;
    }
    release_pages(entries_.data() + begins_[block], size * sizeof(Entry));
  }

  LooseEdges edges_;
  std::size_t owners_;
  unsigned threads_;
  unsigned shift_ = 0;
  std::size_t blocks_ = 0;
  unsigned passes_ = 0, digit_bits_ = 0;
  std::vector<std::uint64_t> begins_;  // of each block among the entries
  PageArray<Entry> entries_;
  SortedRows rows_;
};

}  // namespace

SortedRows sort_rows(LooseEdges edges, std::size_t owners, std::uint64_t others, unsigned threads) {
  if (edges.size() == 0) return {std::vector<EdgeOffset>(owners + 1, 0), {}, {}, {}};
  if (!edges.both_ways && ascending(edges.owner, threads))
    return sort_in_place(std::move(edges), owners, threads);
  if (!edges.wide_value.empty())
    return BlockSort<ValuedArc<double>, double>(std::move(edges), owners, others, threads).run();
  if (!edges.value.empty())
    return BlockSort<ValuedArc<float>, float>(std::move(edges), owners, others, threads).run();
  return BlockSort<Arc, float>(std::move(edges), owners, others, threads).run();
}

}  // namespace gas
