#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <limits>

#include "gas/graph/parallel.hpp"
#include "loaders/blocks.hpp"
#include "loaders/load_graph.hpp"

namespace gas::loaders::detail {

/// The most rows of one kind.
constexpr std::uint64_t most_rows = max_rows;

// One per format; collective. The input stands at its beginning.
LoadedGraph read_edges(Team& team, TextInput& input, const GraphOptions& options);
LoadedGraph read_libsvm(Team& team, TextInput& input, const GraphOptions& options);
LoadedGraph read_docword(Team& team, TextInput& input, const GraphOptions& options);

/// RunError if there are more rows of one kind than that. Collective.
void check_rows(Team& team, std::uint64_t rows);

/// Runs the functions, if there are threads for it at once.
template <class... Work>
void join_all(unsigned threads, Work... work) {
  const std::array<std::function<void()>, sizeof...(Work)> all{work...};
  in_parallel(threads, all.size(), [&](unsigned, std::size_t i) { all[i](); });
}

/// Hands the edges round so that the ranks' shares, by rank, are the file. Collective.
void restore_order(Team& team, const TextInput& input, const std::vector<Piece>& pieces,
                   EdgeList& edges);

}  // namespace gas::loaders::detail
