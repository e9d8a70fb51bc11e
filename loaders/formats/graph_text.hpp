#pragma once

#include <array>
#include <cstdint>
#include <functional>

#include "gas/base/page_array.hpp"
#include "gas/base/threads/parallel.hpp"
#include "loaders/formats/value_block.hpp"
#include "loaders/load_graph.hpp"
#include "loaders/text/blocks.hpp"

namespace gas::loaders::detail {

// One per format; collective. The input stands at its beginning.
LoadedGraph read_edges(Communicator& comm, TextInput& input, const GraphOptions& options);
LoadedGraph read_libsvm(Communicator& comm, TextInput& input, const GraphOptions& options);
LoadedGraph read_docword(Communicator& comm, TextInput& input, const GraphOptions& options);
LoadedGraph read_ldac(Communicator& comm, TextInput& input, const GraphOptions& options);
LoadedGraph read_vw(Communicator& comm, TextInput& input, const GraphOptions& options);
LoadedGraph read_csv(Communicator& comm, TextInput& input, const GraphOptions& options);
LoadedGraph read_metis(Communicator& comm, TextInput& input, const GraphOptions& options);
LoadedGraph read_hmetis(Communicator& comm, TextInput& input, const GraphOptions& options);
LoadedGraph read_matrix_market(Communicator& comm, TextInput& input, const GraphOptions& options);

/// Runs the functions, if there are threads for it at once.
template <class... Work>
void join_all(unsigned threads, Work... work) {
  const std::array<std::function<void()>, sizeof...(Work)> all{work...};
  in_parallel(threads, all.size(), [&](unsigned, std::size_t i) { all[i](); });
}

/// Hands the edges round so that the ranks' shares, by rank, are the file. Collective.
void restore_order(Communicator& comm, const TextInput& input, const std::vector<Piece>& pieces,
                   EdgeList& edges);

/// The edges of all ranks' blocks: shares that, by rank, are the file. Uses the blocks up; `value`
/// is empty in all of them if the edges have none. Collective.
template <class Block>
void take_edges(Communicator& comm, const TextInput& input, unsigned threads,
                std::vector<Block>& blocks, PageArray<std::uint32_t> Block::*source,
                PageArray<std::uint32_t> Block::*target, ValueBlock Block::*value,
                EdgeList& edges) {
  const std::vector<Piece> pieces =
      count_pieces(input, blocks, [&](const Block& block) { return (block.*source).size(); });
  const auto column = [](auto member) {
    return [member](Block & block) -> auto& { return block.*member; };
  };
  const bool wide = any_wide(comm, blocks, column(value));
  join_all(
      threads, [&] { edges.source = join<VertexId>(blocks, column(source)); },
      [&] { edges.target = join<VertexId>(blocks, column(target)); },
      [&] { join_values(blocks, column(value), wide, edges); });
  restore_order(comm, input, pieces, edges);
}

}  // namespace gas::loaders::detail
