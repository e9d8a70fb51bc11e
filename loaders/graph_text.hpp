#pragma once

#include "loaders/file_order.hpp"
#include "loaders/load_graph.hpp"
#include "loaders/text_input.hpp"

namespace gas::loaders::detail {

// One per format; collective. The input stands at its beginning.
LoadedGraph read_edges(Team& team, TextInput& input, const GraphOptions& options);
LoadedGraph read_libsvm(Team& team, TextInput& input, const GraphOptions& options);
LoadedGraph read_docword(Team& team, TextInput& input);

/// Counts what each piece gave: `count` more, of piece `number`.
inline void count_piece(std::vector<Piece>& pieces, std::uint64_t number, std::uint64_t count) {
  if (pieces.empty() || pieces.back().number != number) pieces.push_back({number, 0});
  pieces.back().count += count;
}

/// Hands the edges round so that the ranks' shares, by rank, are the file. Collective.
void restore_order(Team& team, const TextInput& input, const std::vector<Piece>& pieces,
                   EdgeList& edges);

}  // namespace gas::loaders::detail
