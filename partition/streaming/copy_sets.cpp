#include "partition/streaming/copy_sets.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <span>
#include <utility>

namespace gas::partition {
namespace {

/// The parts of which a bit is set in word_at(0), word_at(1), …
template <class WordAt>
void append_parts(std::size_t words, WordAt word_at, std::vector<Part>& parts) {
  for (std::size_t i = 0; i < words; ++i)
    for (std::uint64_t rest = word_at(i); rest != 0; rest &= rest - 1)
      parts.push_back(static_cast<Part>(i * 64) + static_cast<Part>(std::countr_zero(rest)));
}

/// Makes `values` those of rank 0, in place.
template <class T>
void take_from_zero(Communicator& comm, std::vector<T>& values) {
  std::uint64_t count = values.size();
  comm.broadcast_bytes(std::as_writable_bytes(std::span(&count, 1)), 0);
  values.resize(count);
  comm.broadcast_bytes(std::as_writable_bytes(std::span(values)), 0);
}

}  // namespace

void CopyBits::common(std::uint32_t u, std::uint32_t v, std::vector<Part>& parts) const {
  parts.clear();
  append_parts(
      words, [&](std::size_t i) { return of(u)[i] & of(v)[i]; }, parts);
}

void CopyBits::either(std::uint32_t u, std::uint32_t v, std::vector<Part>& parts) const {
  parts.clear();
  append_parts(
      words, [&](std::size_t i) { return of(u)[i] | of(v)[i]; }, parts);
}

CopySets::CopySets(Communicator& comm, std::uint64_t vertices, Members members) {
  take_from_zero(comm, members.begin);
  take_from_zero(comm, members.vertex);
  const std::vector<std::uint64_t>& part_begin = members.begin;
  const std::vector<std::uint32_t>& all = members.vertex;
  const auto parts = static_cast<Part>(part_begin.size() - 1);
  if (parts <= 64) {
    bits_ = CopyBits(vertices, parts);
    for (Part p = 0; p < parts; ++p)
      for (std::uint64_t i = part_begin[p]; i < part_begin[p + 1]; ++i) bits_.add(all[i], p);
    return;
  }
  begin_.assign(vertices + 2, 0);
  for (const std::uint32_t v : all) ++begin_[v + 2];
  std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
  list_.resize(all.size());
  for (Part p = 0; p < parts; ++p)
    for (std::uint64_t i = part_begin[p]; i < part_begin[p + 1]; ++i)
      list_[begin_[all[i] + 1]++] = p;
}

CopySets::CopySets(Communicator& comm, CopyBits bits) : bits_(std::move(bits)) {
  comm.broadcast_bytes(std::as_writable_bytes(std::span(bits_.bits)), 0);
}

Part CopySets::first_common_of_lists(std::uint32_t u, std::uint32_t v) const {
  std::uint64_t i = begin_[u], j = begin_[v];
  while (i < begin_[u + 1] && j < begin_[v + 1]) {
    if (list_[i] == list_[j]) return list_[i];
    list_[i] < list_[j] ? ++i : ++j;
  }
  return no_part;
}

void CopySets::common(std::uint32_t u, std::uint32_t v, std::vector<Part>& parts) const {
  if (bits_.words > 0) return bits_.common(u, v, parts);
  parts.clear();
  const auto at = [&](std::uint64_t i) { return list_.begin() + static_cast<std::ptrdiff_t>(i); };
  std::set_intersection(at(begin_[u]), at(begin_[u + 1]), at(begin_[v]), at(begin_[v + 1]),
                        std::back_inserter(parts));
}

void CopySets::either(std::uint32_t u, std::uint32_t v, std::vector<Part>& parts) const {
  if (bits_.words > 0) return bits_.either(u, v, parts);
  parts.clear();
  const auto at = [&](std::uint64_t i) { return list_.begin() + static_cast<std::ptrdiff_t>(i); };
  std::set_union(at(begin_[u]), at(begin_[u + 1]), at(begin_[v]), at(begin_[v + 1]),
                 std::back_inserter(parts));
}

}  // namespace gas::partition
