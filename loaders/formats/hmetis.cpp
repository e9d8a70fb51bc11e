#include <fmt/format.h>

#include <algorithm>

#include "gas/base/error.hpp"
#include "loaders/formats/line_lists.hpp"
#include "loaders/text/header_line.hpp"

namespace gas::loaders::detail {
namespace {

/// InputError for the first net whose only number is no vertex: it might have been a weight.
/// Collective.
void refuse_outside(Communicator& comm, const TextInput& input, std::uint64_t header_line,
                    const ListForm& form, const std::vector<Lists>& blocks) {
  constexpr std::uint64_t none = ~std::uint64_t{0};
  std::uint64_t first = none;
  for (const Lists& block : blocks) {
    const auto entries = block.entry.view();
    for (std::size_t i = 0; i < entries.size(); ++i)
      if (entries[i] == Lists::outside)
        first = std::min(first, static_cast<std::uint64_t>(block.line.view()[i]));
  }
  first = all_min(comm, first);
  if (first == none) return;
  const auto refuse = [&](Scanner& scanner) {
    const char* const begin = scanner.position();
    throw BadText{begin, quoted(scanner.name(form.entry.c_str())), form.entry};
  };
  look_again(comm, input, header_line, form, first, refuse);
  throw located_error(shown(input.path()), 0, 0, "a number that is no vertex", form.entry);
}

}  // namespace

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
  refuse_outside(comm, input, header.line, form, lists.blocks);
  LoadedGraph graph;
  graph.shape = {vertices, nets, true};
  graph.source_ids = RowIds(vertices, 1);
  graph.target_ids = RowIds(nets, 1);
  take_edges(comm, input, options.threads, lists.blocks, &Lists::entry, &Lists::line, &Lists::value,
             graph.edges);
  return graph;
}

}  // namespace gas::loaders::detail
