#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <tuple>
#include <utility>

#include "gas/base/error.hpp"
#include "loaders/formats/line_lists.hpp"
#include "loaders/text/header_line.hpp"

namespace gas::loaders::detail {
namespace {

struct Header {
  std::uint64_t vertices = 0, edges = 0, line = 0;
  bool sizes = false, edge_weights = false;
  std::uint64_t vertex_weights = 0;
};

Header read_header(Communicator& comm, TextInput& input) {
  constexpr const char* kinds =
      "three digits 0 or 1: whether there are sizes and weights of vertices and weights of edges";
  const HeaderNumbers found =
      read_header_line(comm, input,
                       {{"the number of vertices, at most 4294967295", max_vertices},
                        {"the number of edges", largest_id},
                        {kinds, 111},
                        {"how many weights a vertex has, at most 65535", 65535}},
                       2);
  Header header{found.number[0], found.number[1], found.line};
  const std::uint64_t kind = found.number.size() > 2 ? found.number[2] : 0;
  together(comm, [&] {
    for (std::uint64_t digits = kind; digits > 0; digits /= 10)
      if (digits % 10 > 1)
        throw located_error(shown(input.path()), found.line, 0, fmt::format("'{}'", kind), kinds);
  });
  header.sizes = kind >= 100;
  header.edge_weights = kind % 10 == 1;
  if (kind / 10 % 10 == 1) header.vertex_weights = found.number.size() > 3 ? found.number[3] : 1;
  return header;
}

/// A vertex that lists another.
struct Listing {
  std::uint32_t low, high;
  bool by_low;
  double value;

  auto key() const { return std::tuple(low, high, value, by_low); }
};

/// Calls f(vertex, neighbour, value of the edge) for the entries of all blocks.
template <class F>
void for_each_entry(const AllLists& lists, F f) {
  for (const Lists& block : lists.blocks) {
    const auto value = [&](std::size_t i) { return block.value.size() > 0 ? block.value[i] : 1.0; };
    for (std::size_t i = 0; i < block.line.size(); ++i)
      f(block.line.view()[i], block.entry.view()[i], value(i));
  }
}

std::uint64_t mixed(std::uint64_t word) {
  word = (word ^ word >> 32U) * 0x9e3779b97f4a7c15U;
  word = (word ^ word >> 29U) * 0xd6e8feb86659fd93U;
  return word ^ word >> 32U;
}

/// Whether each pair seems to be listed as often by its lower as by its higher end: always if it
/// is, and otherwise hardly ever. Collective.
bool seems_symmetric(Communicator& comm, const AllLists& lists) {
  std::uint64_t sum = 0;
  for_each_entry(lists, [&](std::uint64_t u, std::uint64_t v, double value) {
    const std::uint64_t pair =
        mixed(mixed(std::min(u, v) << 32U | std::max(u, v)) + std::bit_cast<std::uint64_t>(value));
    sum += u < v ? pair : ~pair + 1;
  });
  return all_sum(comm, sum) == 0;
}

/// The first pair, by lower and then higher end, that one end lists more often than the other does
/// with the same value; on all ranks, and none where there is no such pair. Collective; each rank
/// looks at the pairs whose lower end is in its block.
std::vector<Listing> one_sided(Communicator& comm, std::uint64_t vertices, const AllLists& lists) {
  const BlockDistribution blocks{vertices, comm.size()};
  std::vector<std::vector<Listing>> out(static_cast<std::size_t>(comm.size()));
  for_each_entry(lists, [&](std::uint32_t u, std::uint32_t v, double value) {
    out[static_cast<std::size_t>(blocks.owner(std::min(u, v)))].push_back(
        {std::min(u, v), std::max(u, v), u < v, value});
  });
  std::vector<Listing> all;
  for (const auto& block : all_to_all(comm, std::move(out)))
    all.insert(all.end(), block.begin(), block.end());
  std::sort(all.begin(), all.end(),
            [](const Listing& a, const Listing& b) { return a.key() < b.key(); });
  const auto same = [](const Listing& a, const Listing& b) {
    return a.low == b.low && a.high == b.high && a.value == b.value;
  };
  std::vector<Listing> mine;
  for (std::size_t i = 0; i < all.size() && mine.empty();) {
    std::size_t end = i;
    std::size_t by_low = 0;
    while (end < all.size() && same(all[i], all[end])) by_low += all[end++].by_low ? 1 : 0;
    if (2 * by_low != end - i)
      mine.push_back({all[i].low, all[i].high, 2 * by_low > end - i, all[i].value});
    i = end;
  }
  for (const auto& of_rank : all_gather(comm, std::span<const Listing>(mine)))
    if (!of_rank.empty()) return {of_rank.begin(), of_rank.end()};
  return {};
}

/// Keeps each pair where its lower end lists it. Returns how many entries there were.
std::uint64_t keep_lower(Lists& block) {
  const std::uint64_t before = block.line.size();
  std::size_t kept = 0;
  for (std::size_t i = 0; i < before; ++i) {
    if (block.line.data()[i] > block.entry.data()[i]) continue;
    block.line.data()[kept] = block.line.data()[i];
    block.entry.data()[kept] = block.entry.data()[i];
    if (block.value.size() > 0) block.value.put(kept, block.value[i]);
    ++kept;
  }
  block.line.cut(kept);
  block.entry.cut(kept);
  if (block.value.size() > 0) block.value.cut(kept);
  return before;
}

/// InputError if a vertex lists itself. Collective.
void check_no_loop(Communicator& comm, const TextInput& input, std::uint64_t header_line,
                   const ListForm& form, const AllLists& lists) {
  constexpr std::uint64_t none = max_vertices;
  std::uint64_t first = none;
  double value_of_first = 1;
  for_each_entry(lists, [&](std::uint32_t u, std::uint32_t v, double value) {
    if (u != v || u >= first) return;
    first = u;
    value_of_first = value;
  });
  struct Loop {
    std::uint64_t vertex;
    double value;
  };
  const Loop loop = all_reduce(comm, Loop{first, value_of_first}, [](const Loop& a, const Loop& b) {
    return b.vertex < a.vertex ? b : a;
  });
  if (loop.vertex == none) return;
  refuse_entry(comm, input, header_line, form,
               {loop.vertex, static_cast<std::uint32_t>(loop.vertex), loop.value},
               fmt::format("vertex {} among its own neighbours", loop.vertex + 1),
               "other vertices");
}

/// InputError naming a pair of which not both ends list the other, with the same weight.
/// Collective.
void check_symmetric(Communicator& comm, const TextInput& input, std::uint64_t header_line,
                     const ListForm& form, const AllLists& lists) {
  if (seems_symmetric(comm, lists)) return;
  for (const Listing& pair : one_sided(comm, form.largest, lists)) {
    const std::uint32_t lister = pair.by_low ? pair.low : pair.high;
    const std::uint32_t listed = pair.by_low ? pair.high : pair.low;
    refuse_entry(
        comm, input, header_line, form, {lister, listed, pair.value},
        fmt::format("vertex {} among the neighbours of vertex {}", listed + 1ULL, lister + 1ULL),
        fmt::format("{} among those of {} equally often and with the same weight, as each edge is "
                    "listed at both ends",
                    lister + 1ULL, listed + 1ULL));
  }
}

/// The weights of this rank's BlockDistribution of vertices. Collective; uses those of the lists
/// up.
std::vector<std::uint32_t> take_weights(Communicator& comm, const TextInput& input,
                                        std::uint64_t vertices, AllLists& lists) {
  std::vector<std::uint64_t> bounds = block_bounds(vertices, comm.size());
  bounds.back() = std::max(vertices, lists.lines);  // empty lines may follow
  std::vector<std::uint32_t> weight =
      move_to(comm, lists.stretches,
              join<std::uint32_t>(
                  lists.blocks, [](Lists & block) -> auto& { return block.weight; }),
              bounds);
  weight.resize(
      static_cast<std::size_t>(BlockDistribution{vertices, comm.size()}.count(comm.rank())));
  together(comm, [&] {
    const auto none = std::ranges::find(weight, Lists::no_weight);
    if (none != weight.end())
      throw located_error(shown(input.path()), 0, 0,
                          fmt::format("no weight of vertex {}",
                                      bounds[static_cast<std::size_t>(comm.rank())] + 1 +
                                          static_cast<std::uint64_t>(none - weight.begin())),
                          "one for each vertex");
  });
  return weight;
}

}  // namespace

LoadedGraph read_metis(Communicator& comm, TextInput& input, const GraphOptions& options) {
  const Header header = read_header(comm, input);
  const bool weighs = options.weights && header.vertex_weights > 0;
  ValueRule rule(options);
  rule.weights = options.weights;
  const ListForm form{.skipped = header.vertex_weights + (header.sizes ? 1 : 0),
                      .kept = weighs ? (header.sizes ? 2U : 1U) : 0U,
                      .entry_values = header.edge_weights,
                      .empty_lines = true,
                      .largest = header.vertices,
                      .entry = fmt::format("a vertex from 1 to {}", header.vertices),
                      .rule = rule};
  AllLists lists = read_lists(comm, input, options.threads, form);
  check_declared(comm, input, header.line, header.vertices,
                 std::max(lists.used, std::min(lists.lines, header.vertices)), "vertices");
  check_no_loop(comm, input, header.line, form, lists);
  check_symmetric(comm, input, header.line, form, lists);
  std::uint64_t entries = 0;
  for (Lists& block : lists.blocks) entries += keep_lower(block);
  check_declared(comm, input, header.line, header.edges, all_sum(comm, entries) / 2, "edges");

  LoadedGraph graph;
  graph.shape = {header.vertices, header.vertices, false};
  graph.undirected = true;
  graph.source_ids = RowIds(header.vertices, 1);
  if (weighs) {
    graph.vertex_weights = header.vertex_weights;
    graph.weight = take_weights(comm, input, header.vertices, lists);
  }
  take_edges(comm, input, options.threads, lists.blocks, &Lists::line, &Lists::entry, &Lists::value,
             graph.edges);
  return graph;
}

}  // namespace gas::loaders::detail
