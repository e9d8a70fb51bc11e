#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "loaders/ids/keys.hpp"
#include "loaders/ids/row_ids.hpp"
#include "loaders/text/file_order.hpp"

namespace gas::loaders {

/// The rows of ids that occur on any rank: 0 … n−1 in ascending order of id.
struct Numbering {
  std::vector<std::uint64_t> row_of;  // by the number that this rank's Interner gave
  RowIds ids;
};

namespace detail {

/// Where these sorted keys are cut into those of each rank: at keys that lie evenly among at most
/// 64 of each rank, so that all ranks cut at the same ones.
template <class Keys>
std::vector<std::size_t> cuts_at_splitters(Communicator& comm, const Keys& keys,
                                           const std::vector<std::uint32_t>& sorted) {
  constexpr std::size_t samples = 64;
  const auto ranks = static_cast<std::size_t>(comm.size());
  Bytes mine;
  for (std::size_t i = 0; i < std::min(samples, sorted.size()); ++i) {
    const std::size_t at = sorted[i * sorted.size() / std::min(samples, sorted.size())];
    keys.append_to(mine, at, at + 1);
  }
  Keys all;
  for (const Bytes& bytes : comm.exchange(std::vector<Bytes>(ranks, mine))) all.add(bytes);
  std::vector<std::size_t> order(all.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return all[a] < all[b]; });

  std::vector<std::size_t> cuts{0};
  for (std::size_t i = 1; i < ranks; ++i) {
    if (order.empty()) {
      cuts.push_back(0);
      continue;
    }
    const auto splitter = all[order[i * order.size() / ranks]];
    const auto cut =
        std::lower_bound(sorted.begin(), sorted.end(), splitter,
                         [&](std::uint32_t key, const auto& value) { return keys[key] < value; });
    cuts.push_back(static_cast<std::size_t>(cut - sorted.begin()));
  }
  cuts.push_back(sorted.size());
  return cuts;
}

}  // namespace detail

/// Numbers the different keys of all ranks. Every key goes to the rank that owns its range of keys
/// (cut at sampled splitters) and its row comes back; no rank holds them all. Collective.
template <class Keys>
Numbering number_rows(Communicator& comm, const Keys& keys) {
  const auto ranks = static_cast<std::size_t>(comm.size());
  std::vector<std::uint32_t> sorted(keys.size());
  std::iota(sorted.begin(), sorted.end(), 0U);
  std::sort(sorted.begin(), sorted.end(),
            [&](std::uint32_t a, std::uint32_t b) { return keys[a] < keys[b]; });
  const std::vector<std::size_t> cuts = detail::cuts_at_splitters(comm, keys, sorted);

  std::vector<Bytes> out(ranks);
  for (std::size_t to = 0; to < ranks; ++to)
    for (std::size_t i = cuts[to]; i < cuts[to + 1]; ++i)
      keys.append_to(out[to], sorted[i], sorted[i] + 1);
  Keys owned;
  std::vector<std::size_t> begins{0};
  for (const Bytes& bytes : comm.exchange(std::move(out))) {
    owned.add(bytes);
    begins.push_back(owned.size());
  }

  std::vector<std::size_t> order(owned.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return owned[a] < owned[b]; });
  Keys different;
  std::vector<std::uint64_t> rows(owned.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (i == 0 || owned[order[i - 1]] != owned[order[i]]) different.push_back(owned[order[i]]);
    rows[order[i]] = different.size() - 1;
  }
  const std::vector<std::uint64_t> counts = all_gather(comm, std::uint64_t{different.size()});
  const auto me = counts.begin() + comm.rank();
  const std::uint64_t first = std::accumulate(counts.begin(), me, std::uint64_t{0});
  const std::uint64_t total = std::accumulate(me, counts.end(), first);

  std::vector<std::vector<std::uint64_t>> answers(ranks);
  for (std::size_t to = 0; to < ranks; ++to)
    for (std::size_t i = begins[to]; i < begins[to + 1]; ++i)
      answers[to].push_back(first + rows[i]);
  Numbering numbering;
  numbering.row_of.resize(keys.size());
  std::size_t next = 0;
  for (const auto& block : all_to_all(comm, answers))
    for (const std::uint64_t row : block) numbering.row_of[sorted[next++]] = row;

  // From owners to blocks; blocks arrive by owner, which is the order of keys.
  const std::vector<std::uint64_t> bounds = block_bounds(total, comm.size());
  std::vector<Bytes> blocks(ranks);
  for (std::size_t to = 0; to < ranks; ++to) {
    const std::uint64_t begin = std::max(first, bounds[to]);
    const std::uint64_t end = std::min(first + different.size(), bounds[to + 1]);
    if (begin < end)
      different.append_to(blocks[to], static_cast<std::size_t>(begin - first),
                          static_cast<std::size_t>(end - first));
  }
  Keys ids;
  for (const Bytes& bytes : comm.exchange(std::move(blocks))) ids.add(bytes);
  numbering.ids = RowIds(comm, total, std::move(ids));
  return numbering;
}

}  // namespace gas::loaders
