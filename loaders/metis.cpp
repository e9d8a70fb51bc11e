#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <tuple>

#include "gas/graph/error.hpp"
#include "loaders/header_line.hpp"
#include "loaders/line_lists.hpp"

namespace gas::loaders::detail {
namespace {

struct Header {
  std::uint64_t vertices = 0, edges = 0, line = 0;
  bool sizes = false, edge_weights = false;
  std::uint64_t vertex_weights = 0;
};

Header read_header(Team& team, TextInput& input) {
  constexpr const char* kinds =
      "three digits 0 or 1: whether there are sizes and weights of vertices and weights of edges";
  const HeaderNumbers found =
      read_header_line(team, input,
                       {{"the number of vertices, at most 4294967295", most_rows},
                        {"the number of edges", largest_id},
                        {kinds, 111},
                        {"how many weights a vertex has, at most 65535", 65535}},
                       2);
  Header header{found.number[0], found.number[1], found.line};
  const std::uint64_t kind = found.number.size() > 2 ? found.number[2] : 0;
  together(team, [&] {
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
  float value;

  auto key() const { return std::tuple(low, high, value, by_low); }
};

std::uint64_t mixed(std::uint64_t word) {
  word = (word ^ word >> 32U) * 0x9e3779b97f4a7c15U;
  word = (word ^ word >> 29U) * 0xd6e8feb86659fd93U;
  return word ^ word >> 32U;
}

/// Whether each pair seems to be listed as often by its lower as by its higher end: always if it
/// is, and otherwise hardly ever. Collective.
bool seems_symmetric(Team& team, const AllLists& lists) {
  std::uint64_t sum = 0;
  for (const Lists& block : lists.blocks)
    for (std::size_t i = 0; i < block.line.size(); ++i) {
      const std::uint64_t u = block.line.view()[i], v = block.entry.view()[i];
      const float value = block.value.size() > 0 ? block.value.view()[i] : 1;
      const std::uint64_t pair = mixed(mixed(std::min(u, v) << 32U | std::max(u, v)) +
                                       std::bit_cast<std::uint32_t>(value));
      sum += u < v ? pair : ~pair + 1;
    }
  return all_sum(team, sum) == 0;
}

/// InputError naming a pair of which not both ends list the other, with the same weight.
/// Collective; each rank looks at the pairs whose lower end is at home there.
void check_symmetric(Team& team, const TextInput& input, std::uint64_t vertices,
                     const AllLists& lists) {
  const HomeRange home{vertices, team.size()};
  std::vector<std::vector<Listing>> out(static_cast<std::size_t>(team.size()));
  for (const Lists& block : lists.blocks)
    for (std::size_t i = 0; i < block.line.size(); ++i) {
      const std::uint32_t u = block.line.view()[i], v = block.entry.view()[i];
      const auto rank = static_cast<std::size_t>(home.home(std::min(u, v)));
      out[rank].push_back(
          {std::min(u, v), std::max(u, v), u<v, block.value.size()> 0 ? block.value.view()[i] : 1});
    }
  std::vector<Listing> all;
  for (const auto& block : all_to_all(team, std::move(out)))
    all.insert(all.end(), block.begin(), block.end());
  std::sort(all.begin(), all.end(),
            [](const Listing& a, const Listing& b) { return a.key() < b.key(); });
  together(team, [&] {
    const auto same = [](const Listing& a, const Listing& b) {
      return a.low == b.low && a.high == b.high && a.value == b.value;
    };
    for (std::size_t i = 0; i < all.size();) {
      std::size_t end = i;
      std::size_t by_low = 0;
      while (end < all.size() && same(all[i], all[end])) by_low += all[end++].by_low ? 1 : 0;
      if (2 * by_low != end - i) {
        const bool low = 2 * by_low > end - i;
        const std::uint64_t lister = 1 + std::uint64_t{low ? all[i].low : all[i].high};
        const std::uint64_t listed = 1 + std::uint64_t{low ? all[i].high : all[i].low};
        throw located_error(
            shown(input.path()), 0, 0,
            fmt::format("vertex {} among the neighbours of vertex {}", listed, lister),
            fmt::format("{} among those of {} as often, with the same weight", lister, listed));
      }
      i = end;
    }
  });
}

/// Keeps each pair where its lower end lists it. Returns how many entries there were.
std::uint64_t keep_lower(Lists& block) {
  const std::uint64_t before = block.line.size();
  std::size_t kept = 0;
  for (std::size_t i = 0; i < before; ++i) {
    if (block.line.data()[i] > block.entry.data()[i]) continue;
    block.line.data()[kept] = block.line.data()[i];
    block.entry.data()[kept] = block.entry.data()[i];
    if (block.value.size() > 0) block.value.data()[kept] = block.value.data()[i];
    ++kept;
  }
  block.line.cut(kept);
  block.entry.cut(kept);
  if (block.value.size() > 0) block.value.cut(kept);
  return before;
}

void check_no_loop(Team& team, const TextInput& input, const AllLists& lists) {
  together(team, [&] {
    for (const Lists& block : lists.blocks)
      for (std::size_t i = 0; i < block.line.size(); ++i)
        if (block.line.view()[i] == block.entry.view()[i])
          throw located_error(
              shown(input.path()), 0, 0,
              fmt::format("vertex {} among its own neighbours", block.line.view()[i] + 1),
              "others");
  });
}

}  // namespace

LoadedGraph read_metis(Team& team, TextInput& input, const GraphOptions& options) {
  const Header header = read_header(team, input);
  const ListForm form{.skipped = header.vertex_weights + (header.sizes ? 1 : 0),
                      .entry_values = header.edge_weights,
                      .empty_lines = true,
                      .largest = header.vertices,
                      .entry = fmt::format("a vertex from 1 to {}", header.vertices),
                      .rule = ValueRule(options)};
  AllLists lists = read_lists(team, input, options.threads, form);
  check_declared(team, input, header.line, header.vertices,
                 std::max(lists.used, std::min(lists.lines, header.vertices)), "vertices");
  check_no_loop(team, input, lists);
  if (!seems_symmetric(team, lists)) check_symmetric(team, input, header.vertices, lists);
  std::uint64_t entries = 0;
  for (Lists& block : lists.blocks) entries += keep_lower(block);
  check_declared(team, input, header.line, header.edges, all_sum(team, entries) / 2, "edges");

  LoadedGraph graph;
  graph.shape = {header.vertices, header.vertices, false};
  graph.undirected = true;
  graph.source_ids = RowIds(header.vertices, 1);
  take_edges(team, input, options.threads, lists.blocks, &Lists::line, &Lists::entry, &Lists::value,
             graph.edges);
  return graph;
}

}  // namespace gas::loaders::detail
