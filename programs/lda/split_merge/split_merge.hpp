#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "gas/base/random.hpp"
#include "gas/graph/local_graph.hpp"
#include "programs/calls/call.hpp"
#include "programs/calls/piece_sizes.hpp"
#include "programs/lda/priors.hpp"

namespace gas {

/// Calls `visit` with the topic of each token of this rank, in the order of edges.
using EachTopic = std::function<void(const std::function<void(std::uint16_t& topic)>& visit)>;

/// Tells mixed topics apart. A move makes two topics one, and divides a third in two, by documents
/// (split–merge moves; Jain, Neal 2004). Only moves that make words and topics likelier are made,
/// by the mean of the topics' alpha, each topic in at most one: first those whose splits gain most.
/// Returns the number of moves; the same, bit for bit, on any ranks, threads and partition. At most
/// TopicCounts::most_dense topics. Takes the time of about four rounds of Lda, and in memory 16
/// bytes for each word and topic and 6 for each token. Collective.
std::size_t split_merge(const Context& context, const std::shared_ptr<const LocalGraph>& tokens,
                        const LdaPriors& priors, Random random, const EachTopic& each);

/// The memory that it needs beside the tokens; see PieceSizes.
double split_merge_bytes(const PieceSizes& piece, std::size_t topics);

}  // namespace gas
