#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "gas/base/random.hpp"
#include "programs/lda/topic_shares.hpp"

namespace gas {

/// Gives each token of a document its first topic: p(k) ∝ n_k + prior_k, n_k of the tokens before
/// it. A sum S of all priors makes a document of n tokens begin with about S ln(1 + n / S) topics.
/// `prior` is the mean. O(1) per token.
template <class Edges>
void draw_first_topics(const Edges& edges, std::size_t topics, float prior,
                       const TopicShares& shares, const gas::Random& random) {
  const auto all = static_cast<float>(topics);
  for (std::size_t i = 0; i < edges.size(); ++i) {
    const auto before = static_cast<float>(i);
    const float at = random.uniform_float(i) * (before + all * prior);
    const float any = std::clamp((at - before) / prior, 0.0F, all);
    edges[i].topic = at < before      ? edges[static_cast<std::size_t>(at)].topic
                     : shares.alike() ? static_cast<std::uint16_t>(std::min(any, all - 1))
                                      : static_cast<std::uint16_t>(shares.draw(any));
  }
}

}  // namespace gas
