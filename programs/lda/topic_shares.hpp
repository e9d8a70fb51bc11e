#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

namespace gas {

/// How the prior of a document's topics is shared out: topic k has alpha · share(k), and the mean
/// share is 1.
class TopicShares {
 public:
  /// Alike.
  TopicShares() = default;
  /// As these priors, of at least one topic, are to each other.
  explicit TopicShares(std::span<const double> priors)
      : share_(priors.size()), keep_(priors.size(), 1.0F), other_(priors.size(), 0) {
    const double mean =
        std::accumulate(priors.begin(), priors.end(), 0.0) / static_cast<double>(priors.size());
    for (std::size_t k = 0; k < share_.size(); ++k)
      share_[k] = static_cast<float>(priors[k] / mean);
    // Alias table (Walker 1977, Vose 1991): place k is topic k's up to keep_[k], then another's.
    std::vector<double> left(share_.begin(), share_.end());
    std::vector<std::size_t> small, large;
    for (std::size_t k = 0; k < left.size(); ++k) (left[k] < 1 ? small : large).push_back(k);
    while (!small.empty() && !large.empty()) {
      const std::size_t k = small.back(), from = large.back();
      small.pop_back();
      keep_[k] = static_cast<float>(left[k]);
      other_[k] = static_cast<std::uint16_t>(from);
      left[from] -= 1 - left[k];
      if (left[from] >= 1) continue;
      large.pop_back();
      small.push_back(from);
    }
  }

  bool alike() const { return share_.empty(); }
  float share(std::size_t k) const { return alike() ? 1 : share_[k]; }
  /// factor[k] = counts[k] + the prior of topic k, for a mean prior of `alpha`.
  void add_priors(std::span<const std::int32_t> counts, float alpha, float* factor) const {
    if (alike())
      for (std::size_t k = 0; k < counts.size(); ++k)
        factor[k] = static_cast<float>(counts[k]) + alpha;
    else
      for (std::size_t k = 0; k < counts.size(); ++k)
        factor[k] = static_cast<float>(counts[k]) + alpha * share_[k];
  }
  /// A topic by its share, for `at` uniform in [0, topics); they are not alike.
  std::size_t draw(float at) const {
    const std::size_t k = std::min(static_cast<std::size_t>(at), share_.size() - 1);
    return at - static_cast<float>(k) < keep_[k] ? k : other_[k];
  }

 private:
  std::vector<float> share_, keep_;
  std::vector<std::uint16_t> other_;
};

inline const TopicShares alike_topics;

}  // namespace gas
