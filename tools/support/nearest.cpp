#include "tools/support/nearest.hpp"

#include <algorithm>
#include <vector>

namespace gas::tools {
namespace {

std::size_t edit_distance(const std::string& a, const std::string& b) {
  std::vector<std::vector<std::size_t>> cost(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) {
    for (std::size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        cost[i][j] = i + j;
        continue;
      }
      const std::size_t replaced = cost[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      cost[i][j] = std::min({cost[i - 1][j] + 1, cost[i][j - 1] + 1, replaced});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        cost[i][j] = std::min(cost[i][j], cost[i - 2][j - 2] + 1);
    }
  }
  return cost[a.size()][b.size()];
}

}  // namespace

std::string nearest(const std::string& mistyped, std::span<const std::string> candidates) {
  constexpr std::size_t longest_name = 64;
  if (mistyped.size() > longest_name) return "";
  std::size_t least = std::max<std::size_t>(1, mistyped.size() / 3) + 1;
  std::string best;
  for (const std::string& candidate : candidates) {
    const std::size_t distance = edit_distance(mistyped, candidate);
    if (distance < least) least = distance, best = candidate;
  }
  return best;
}

std::string suggestion(const std::string& mistyped, std::span<const std::string> candidates) {
  const std::string best = nearest(mistyped, candidates);
  return best.empty() ? "" : " (did you mean " + best + "?)";
}

}  // namespace gas::tools
