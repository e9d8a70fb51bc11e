#include "loaders/formats/examples/examples.hpp"

#include "loaders/formats/examples/rounding.hpp"

namespace gas::loaders::detail {

void take_examples(Communicator& comm, const TextInput& input, unsigned threads,
                   std::vector<Examples>& blocks, LoadedGraph& graph) {
  const auto rows_of = [](const Examples& block) { return block.rows; };
  const auto entries =
      count_pieces(input, blocks, [](const Examples& block) { return block.value.size(); });
  const auto rows = count_pieces(input, blocks, rows_of);
  graph.shape.bipartite = true;
  const std::vector<Stretch> stretches = in_file_order(comm, rows, graph.shape.sources);
  check_rows(comm, graph.shape.sources);
  if (std::string note = note_of_rounding(comm, input.names(), blocks, graph); !note.empty())
    graph.notes.push_back(std::move(note));

  const std::vector<std::uint64_t> first_row = first_of_blocks(input, blocks, stretches, rows_of);
  in_parallel(threads, blocks.size(), [&](unsigned, std::size_t i) {
    const auto first = static_cast<std::uint32_t>(first_row[i]);
    for (std::uint32_t& row : blocks[i].row.view()) row += first;
  });

  EdgeList& edges = graph.edges;
  join_all(
      threads,
      [&] {
        edges.source = join<VertexId>(
            blocks, [](Examples & e) -> auto& { return e.row; });
      },
      [&] {
        edges.target = join<VertexId>(
            blocks, [](Examples & e) -> auto& { return e.column; });
      },
      [&] {
        edges.value = join<float>(
            blocks, [](Examples & e) -> auto& { return e.value; });
      },
      [&] {
        graph.labels = join<double>(
            blocks, [](Examples & e) -> auto& { return e.labels; });
      });
  restore_order(comm, input, entries, edges);
  if (all_max(comm, graph.labels.size()) > 0)
    graph.labels = move_to(comm, stretches, std::move(graph.labels),
                           block_bounds(graph.shape.sources, comm.size()));
}

}  // namespace gas::loaders::detail
