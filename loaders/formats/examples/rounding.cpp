#include "loaders/formats/examples/rounding.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace gas::loaders::detail {
namespace {

constexpr std::uint64_t most_columns = std::uint64_t{1} << 22U;  // 128 MiB
constexpr double share = 1e-4;

/// The numbers of a column.
struct Spread {
  double least = std::numeric_limits<double>::infinity();
  double most = -std::numeric_limits<double>::infinity();
  double off = 0;  // by which one is off as a float, at most
  std::uint64_t count = 0;

  void operator+=(const Spread& other) {
    least = std::min(least, other.least);
    most = std::max(most, other.most);
    off = std::max(off, other.off);
    count += other.count;
  }
  bool blurred() const { return most > least && off > share * (most - least); }
};

/// Of this rank's blocks.
std::vector<Spread> local_spreads(std::vector<Examples>& blocks, std::uint64_t columns) {
  std::vector<Spread> spreads(static_cast<std::size_t>(columns));
  for (Examples& block : blocks)
    for (std::size_t e = 0; e < block.column.size(); ++e) {
      const std::uint32_t column = block.column.view()[e];
      if (column >= columns) continue;
      const double rest = block.rounds ? double{block.rest.view()[e]} : 0;
      const double number = double{block.value.view()[e]} + rest;
      spreads[column] += {number, number, std::abs(rest), 1};
    }
  return spreads;
}

/// The id of a row, on every rank. Collective.
std::string text_of(Communicator& comm, const RowIds& ids, std::uint64_t row) {
  const BlockDistribution places{ids.rows(), comm.size()};
  std::string text;
  if (places.owner(row) == comm.rank())
    text = ids.local_text(comm, static_cast<std::size_t>(row - places.first(comm.rank())));
  const std::vector<char> all = whole(comm, std::span<const char>(text));
  return {all.begin(), all.end()};
}

}  // namespace

std::string note_of_rounding(Communicator& comm, const std::string& file,
                             std::vector<Examples>& blocks, const LoadedGraph& graph) {
  const bool rounds =
      std::ranges::any_of(blocks, [](const Examples& block) { return block.rounds; });
  if (all_max(comm, rounds ? 1 : 0) == 0) return "";
  const std::uint64_t columns = std::min(graph.shape.targets, most_columns);
  const BlockDistribution places{columns, comm.size()};
  std::vector<std::vector<Spread>> parts;
  {
    const std::vector<Spread> all = local_spreads(blocks, columns);
    for (int rank = 0; rank < comm.size(); ++rank) {
      const auto begin = all.begin() + static_cast<std::ptrdiff_t>(places.first(rank));
      parts.emplace_back(begin, begin + static_cast<std::ptrdiff_t>(places.count(rank)));
    }
  }
  for (Examples& block : blocks) block.rest.cut(0);
  std::vector<Spread> mine(static_cast<std::size_t>(places.count(comm.rank())));
  for (const std::vector<Spread>& part : all_to_all(comm, std::move(parts)))
    for (std::size_t i = 0; i < mine.size(); ++i) mine[i] += part[i];
  for (Spread& spread : mine)
    if (2 * spread.count < graph.shape.sources) spread += {0, 0, 0, 0};
  const auto found = std::ranges::find_if(mine, &Spread::blurred);
  const std::uint64_t here =
      places.first(comm.rank()) + static_cast<std::uint64_t>(found - mine.begin());
  const std::uint64_t column = all_min(comm, found == mine.end() ? columns : here);
  if (column == columns) return "";
  const Spread spread = found != mine.end() && column == here ? *found : Spread();
  return fmt::format(
      "column {} of {}: its values, from {} to {}, change by up to {:.2g} when rounded to 32-bit "
      "floats: subtract an offset first",
      text_of(comm, graph.target_ids, column), file, all_min(comm, spread.least),
      all_max(comm, spread.most), all_max(comm, spread.off));
}

}  // namespace gas::loaders::detail
