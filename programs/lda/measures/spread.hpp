#pragma once

#include <optional>
#include <span>

#include "programs/lda/topic_words.hpp"

namespace gas {

/// How far apart topics lie, by which a number of topics is chosen: the less of either, the better.
/// None for one topic, for more than 4096, and where topics are linearly dependent, as they are if
/// there are more topics than words.
struct TopicSpread {
  /// Mean cosine between the words of two topics (Cao, Xia, Li, Zhang, Tang 2009).
  std::optional<double> cao_juan;
  /// Symmetric divergence between the singular values of φ and the topics' shares of all tokens,
  /// both in falling order and of sum 1 (Arun et al. 2010).
  std::optional<double> arun;
};

/// `tokens`: Σ over documents of their length times θ_dk. Takes O(V K² + K³) time, over all ranks
/// but for K³, and 16 K² bytes on each. Alike on all ranks. Collective.
TopicSpread spread(Communicator& comm, const TopicWords& phi, std::span<const double> tokens);

}  // namespace gas
