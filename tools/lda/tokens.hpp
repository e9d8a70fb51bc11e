#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tools/support/graph/graph_input.hpp"
#include "tools/support/run/run_tool.hpp"

namespace gas::tools {

/// What gas-lda asks of its graph, whose edges are numbers of tokens.
GraphWish tokens_wish(std::uint64_t topics);

/// INPUT as tokens, each edge a whole number of them. Collective.
InputGraph read_tokens(Run& run, std::uint64_t topics);
/// The same of another FILE. Collective.
InputGraph read_tokens_of(Run& run, const std::string& file, std::uint64_t topics);

/// The id of the first word where words are positions in a vocabulary: ldac counts from 0, docword
/// and mtx from 1.
std::optional<std::uint64_t> words_from(loaders::Format format);
/// The row that each word of `graph` has among those `known`, or no_row: of the same position where
/// both are positions and count from different numbers, else of the same id. Collective.
std::vector<VertexId> rows_of_words(Run& run, const InputGraph& graph,
                                    const std::vector<std::string>& known,
                                    std::optional<std::uint64_t> known_from);

/// Renames the words as `rows` says and drops those that the model does not know. Collective.
void rename_words(Run& run, InputGraph& graph, const std::vector<VertexId>& rows,
                  std::uint64_t words);

/// Before words get their rows of topics, each weight of which takes so many bytes. Collective.
void check_rows(Run& run, std::uint64_t words, std::size_t topics, double bytes_per_weight);

}  // namespace gas::tools
