#pragma once

#include <array>
#include <span>
#include <vector>

#include "programs/lda/topic_words.hpp"

namespace gas::tools {

/// Jensen–Shannon distances between topics.
struct TopicDistances {
  std::vector<double> values;  // a row per topic; 0 to 1: the root of the divergence in bits
  std::uint64_t words = 0;     // that were looked at one by one, all others as one
};

/// Between these topics. Where all words would take longer than a second or so, of the words of
/// the largest shares. Alike on all ranks. Collective.
TopicDistances topic_distances(Communicator& comm, const TopicWords& phi,
                               std::span<const std::size_t> topics,
                               std::span<const double> word_shares);

/// Places on a plane whose distances are near to the given ones: classical scaling (Torgerson
/// 1952), which keeps what it shows of distances between n things, a row each.
std::vector<std::array<double, 2>> classical_scaling(std::span<const double> distances,
                                                     std::size_t n);

}  // namespace gas::tools
