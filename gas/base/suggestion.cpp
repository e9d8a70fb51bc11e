#include "gas/base/suggestion.hpp"

#include <algorithm>
#include <vector>

namespace gas {

std::size_t edit_distance(std::string_view from, std::string_view to) {
  std::vector<std::vector<std::size_t>> cost(from.size() + 1,
                                             std::vector<std::size_t>(to.size() + 1));
  for (std::size_t i = 0; i <= from.size(); ++i) {
    for (std::size_t j = 0; j <= to.size(); ++j) {
      if (i == 0 || j == 0) {
        cost[i][j] = i + j;
        continue;
      }
      const std::size_t replaced = cost[i - 1][j - 1] + (from[i - 1] == to[j - 1] ? 0 : 1);
      cost[i][j] = std::min({cost[i - 1][j] + 1, cost[i][j - 1] + 1, replaced});
      if (i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1])
        cost[i][j] = std::min(cost[i][j], cost[i - 2][j - 2] + 1);
    }
  }
  return cost[from.size()][to.size()];
}

std::string suggestion(std::string_view name, std::span<const std::string_view> candidates) {
  constexpr std::size_t longest_name = 64;
  if (name.size() > longest_name) return "";
  std::size_t least = std::max<std::size_t>(3, name.size() / 3 + 1);
  std::string_view best;
  for (const std::string_view candidate : candidates) {
    const std::size_t distance = edit_distance(name, candidate);
    if (distance < least && 2 * distance < std::max(name.size(), candidate.size()))
      least = distance, best = candidate;
  }
  return best.empty() ? "" : "; did you mean '" + std::string(best) + "'?";
}

std::string suggestion(std::string_view name, std::span<const std::string> candidates) {
  return suggestion(name, std::vector<std::string_view>(candidates.begin(), candidates.end()));
}

}  // namespace gas
