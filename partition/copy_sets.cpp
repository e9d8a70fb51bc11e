#include "partition/copy_sets.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>

namespace gas::partition {

CopySets::CopySets(Team& team, std::uint64_t vertices, const Members& members) {
  const auto part_begin = broadcast(team, std::span<const std::uint64_t>(members.begin));
  const auto all = broadcast(team, std::span<const std::uint32_t>(members.vertex));
  const auto parts = static_cast<Part>(part_begin.size() - 1);
  if (parts <= 64) {
    words_.resize(vertices);
    for (Part p = 0; p < parts; ++p)
      for (std::uint64_t i = part_begin[p]; i < part_begin[p + 1]; ++i)
        words_[all[i]] |= std::uint64_t{1} << p;
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

Part CopySets::first_common_of_lists(std::uint32_t u, std::uint32_t v) const {
  std::uint64_t i = begin_[u], j = begin_[v];
  while (i < begin_[u + 1] && j < begin_[v + 1]) {
    if (list_[i] == list_[j]) return list_[i];
    list_[i] < list_[j] ? ++i : ++j;
  }
  return no_part;
}

void CopySets::common(std::uint32_t u, std::uint32_t v, std::vector<Part>& parts) const {
  parts.clear();
  const auto at = [&](std::uint64_t i) { return list_.begin() + static_cast<std::ptrdiff_t>(i); };
  std::set_intersection(at(begin_[u]), at(begin_[u + 1]), at(begin_[v]), at(begin_[v + 1]),
                        std::back_inserter(parts));
}

void CopySets::either(std::uint32_t u, std::uint32_t v, std::vector<Part>& parts) const {
  parts.clear();
  const auto at = [&](std::uint64_t i) { return list_.begin() + static_cast<std::ptrdiff_t>(i); };
  std::set_union(at(begin_[u]), at(begin_[u + 1]), at(begin_[v]), at(begin_[v + 1]),
                 std::back_inserter(parts));
}

}  // namespace gas::partition
