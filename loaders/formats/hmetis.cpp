#include <fmt/format.h>

#include "gas/base/error.hpp"
#include "loaders/formats/line_lists.hpp"
#include "loaders/text/header_line.hpp"

namespace gas::loaders::detail {

LoadedGraph read_hmetis(Communicator& comm, TextInput& input, const GraphOptions& options) {
  const HeaderNumbers header = read_header_line(
      comm, input,
      {{"the number of nets, at most 4294967295", max_vertices},
       {"the number of vertices, at most 4294967294", max_vertices - 1},
       {"the weights that there are: 0, 1 (of nets), 10 (of vertices) or 11 (of both)", 11}},
      2);
  const std::uint64_t nets = header.number[0], vertices = header.number[1];
  const std::uint64_t weights = header.number.size() > 2 ? header.number[2] : 0;
  together(comm, [&] {
    if (weights > 1 && weights < 10)
      throw located_error(shown(input.path()), header.line, 0, fmt::format("weights {}", weights),
                          "0, 1, 10 or 11");
  });
  const bool of_nets = weights % 10 == 1, of_vertices = weights >= 10;
  ListForm form{.line_value = of_nets,
                .lone_numbers = of_vertices && !of_nets,
                .largest = vertices,
                .entry = fmt::format("a vertex from 1 to {}", vertices),
                .rule = ValueRule(options)};
  AllLists lists = read_lists(comm, input, options.threads, form);
  check_declared(comm, input, header.line, nets + (of_vertices ? vertices : 0), lists.lines,
                 of_vertices ? "nets and weights of vertices" : "nets");
  for (Lists& block : lists.blocks) {
    const auto end = std::lower_bound(block.line.view().begin(), block.line.view().end(), nets);
    const auto size = static_cast<std::size_t>(end - block.line.view().begin());
    block.line.cut(size);
    block.entry.cut(size);
    if (form.valued()) block.value.cut(size);
  }
  together(comm, [&] {
    for (const Lists& block : lists.blocks)
      for (const std::uint32_t entry : block.entry.view())
        if (entry == Lists::outside)
          throw located_error(shown(input.path()), 0, 0, "a net (hyperedge) without a vertex",
                              form.entry);
  });
  LoadedGraph graph;
  graph.shape = {vertices, nets, true};
  graph.source_ids = RowIds(vertices, 1);
  graph.target_ids = RowIds(nets, 1);
  take_edges(comm, input, options.threads, lists.blocks, &Lists::entry, &Lists::line, &Lists::value,
             graph.edges);
  return graph;
}

}  // namespace gas::loaders::detail
