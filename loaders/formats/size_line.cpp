#include "loaders/formats/size_line.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "gas/graph/error.hpp"
#include "loaders/formats/graph_text.hpp"
#include "loaders/text/blocks.hpp"

namespace gas::loaders::detail {
namespace {

struct Bounds {
  std::uint64_t least = ~std::uint64_t{0}, largest = 0;

  template <class T>
  void add(std::span<const T> ids) {
    if (ids.empty()) return;
    const auto [low, high] = std::minmax_element(ids.begin(), ids.end());
    least = std::min<std::uint64_t>(least, *low);
    largest = std::max<std::uint64_t>(largest, *high);
  }
  void add(const IdBlock& ids, std::size_t skipped) {
    if (ids.narrow.size() > 0) add(ids.narrow.view().subspan(skipped));
    if (ids.wide.size() > 0) add(ids.wide.view().subspan(skipped));
  }
};

template <class T>
void drop_first(PageArray<T>& array) {
  if (array.size() == 0) return;
  std::memmove(array.data(), array.data() + 1, (array.size() - 1) * sizeof(T));
  array.cut(array.size() - 1);
}

}  // namespace

void take_sizes(Team& team, const TextInput& input, const EdgeForm::Sizes& sizes,
                std::vector<NumberedEdges>& blocks, LoadedGraph& graph) {
  if (sizes.line == 0) return;
  std::uint64_t edges = 0;
  for (const NumberedEdges& block : blocks) edges += block.size();
  edges = all_sum(team, edges) - (sizes.skipped ? 0 : 1);
  bool fits = edges == sizes.edges && edges > 0;
  // The first edge of the file, which may be the line: in the first block with edges of the rank
  // whose piece comes first.
  const auto first = std::ranges::find_if(blocks, [](auto& block) { return block.size() > 0; });
  constexpr std::uint64_t none = ~std::uint64_t{0};
  const std::uint64_t piece =
      first == blocks.end() ? none
                            : input.piece_of(static_cast<std::size_t>(first - blocks.begin()));
  const bool here = all_min(team, piece) == piece && piece != none && !sizes.skipped;
  Bounds bounds;
  if (fits)
    for (auto block = blocks.begin(); block != blocks.end(); ++block)
      for (const IdBlock* ids : {&block->source, &block->target})
        bounds.add(*ids, here && block == first ? 1 : 0);
  bounds.least = all_min(team, bounds.least);
  bounds.largest = all_max(team, bounds.largest);
  const bool from_one = bounds.least >= 1;
  fits =
      fits && sizes.vertices <= most_rows && bounds.largest < sizes.vertices + (from_one ? 1 : 0);
  if (!fits) {
    together(team, [&] {
      if (sizes.skipped)
        throw located_error(sizes.file, sizes.line, 1,
                            fmt::format("'{} {}'", sizes.vertices, sizes.edges),
                            fmt::format("three columns, as in the next line, or the numbers of "
                                        "vertices and of the {} edges that follow",
                                        edges));
    });
    return;
  }
  graph.sizes = {from_one ? 1U : 0U, sizes.vertices};
  graph.notes.push_back(fmt::format(
      "{}:{}: '{} {}' is taken for the numbers of vertices and edges (--header no: an edge)",
      sizes.file, sizes.line, sizes.vertices, sizes.edges));
  if (!here) return;
  for (IdBlock* ids : {&first->source, &first->target}) {
    drop_first(ids->narrow);
    drop_first(ids->wide);
  }
  drop_first(first->value.narrow());
  drop_first(first->value.wide());
}

}  // namespace gas::loaders::detail
