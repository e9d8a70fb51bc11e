#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "gas/base/error.hpp"
#include "loaders/ids/keys.hpp"
#include "loaders/ids/row_ids.hpp"
#include "loaders/text/file_order.hpp"

namespace gas::loaders {

/// The rows of ids that occur on any rank: 0 … n−1 in ascending order of id.
struct Numbering {
  std::vector<VertexId> row_of;  // by the number that this rank's Interner gave
  RowIds ids;
};

namespace detail {

/// The places of these keys in ascending order of key.
template <class Keys>
std::vector<std::uint32_t> in_order(const Keys& keys) {
  std::vector<std::uint32_t> places(keys.size());
  std::iota(places.begin(), places.end(), 0U);
  std::sort(places.begin(), places.end(),
            [&](std::uint32_t a, std::uint32_t b) { return keys[a] < keys[b]; });
  return places;
}

/// The keys that other ranks wrote, rank after rank, and where those of each begin; a block is
/// given back once it is read.
template <class Keys>
Keys exchanged(Communicator& comm, std::vector<Bytes> out, std::vector<std::size_t>& begins) {
  std::vector<Bytes> in = comm.exchange(std::move(out));
  Keys keys;
  keys.reserve(in);
  begins = {0};
  for (Bytes& bytes : in) {
    keys.add(bytes);
    release(bytes);
    begins.push_back(keys.size());
  }
  return keys;
}

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
/// (cut at sampled splitters) and its row comes back; no rank holds them all. RunError for more
/// than max_vertices. Collective.
template <class Keys>
Numbering number_rows(Communicator& comm, Keys keys) {
  const auto ranks = static_cast<std::size_t>(comm.size());
  std::vector<std::uint32_t> sorted = detail::in_order(keys);
  const std::vector<std::size_t> cuts = detail::cuts_at_splitters(comm, keys, sorted);

  std::vector<Bytes> out(ranks);
  for (std::size_t to = 0; to < ranks; ++to)
    keys.append_to(out[to], std::span(sorted).subspan(cuts[to], cuts[to + 1] - cuts[to]));
  keys = Keys();
  std::vector<std::size_t> begins;
  Keys owned = detail::exchanged<Keys>(comm, std::move(out), begins);
  together(comm, [&] {
    if (owned.size() > max_vertices)
      throw RunError("found more than 4294967295 ids to number on one rank: start more ranks");
  });

  // Equal keys get the same row; `order` then has the place of one of each.
  std::vector<std::uint32_t> order = detail::in_order(owned);
  std::vector<VertexId> rows(owned.size());
  std::size_t different = 0;
  for (const std::uint32_t place : order) {
    if (different == 0 || owned[order[different - 1]] != owned[place]) order[different++] = place;
    rows[place] = static_cast<VertexId>(different - 1);
  }
  const std::vector<std::uint64_t> counts = all_gather(comm, std::uint64_t{different});
  const auto me = counts.begin() + comm.rank();
  const std::uint64_t first = std::accumulate(counts.begin(), me, std::uint64_t{0});
  const std::uint64_t total = std::accumulate(me, counts.end(), first);
  check_rows(comm, total);

  std::vector<std::vector<VertexId>> answers(ranks);
  for (std::size_t to = 0; to < ranks; ++to) {
    answers[to].reserve(begins[to + 1] - begins[to]);
    for (std::size_t i = begins[to]; i < begins[to + 1]; ++i)
      answers[to].push_back(static_cast<VertexId>(first + rows[i]));
  }
  release(rows);
  Numbering numbering;
  numbering.row_of.resize(sorted.size());
  std::size_t next = 0;
  for (const auto& block : all_to_all(comm, std::move(answers)))
    for (const VertexId row : block) numbering.row_of[sorted[next++]] = row;
  release(sorted);

  // From owners to blocks; blocks arrive by owner, which is the order of keys.
  const std::vector<std::uint64_t> bounds = block_bounds(total, comm.size());
  std::vector<Bytes> blocks(ranks);
  for (std::size_t to = 0; to < ranks; ++to) {
    const std::uint64_t begin = std::max(first, bounds[to]);
    const std::uint64_t end = std::min(first + different, bounds[to + 1]);
    if (begin < end)
      owned.append_to(blocks[to], std::span(order).subspan(static_cast<std::size_t>(begin - first),
                                                           static_cast<std::size_t>(end - begin)));
  }
  owned = Keys();
  numbering.ids = RowIds(comm, total, detail::exchanged<Keys>(comm, std::move(blocks), begins));
  return numbering;
}

}  // namespace gas::loaders
