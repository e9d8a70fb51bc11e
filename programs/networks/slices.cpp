#include "programs/networks/slices.hpp"

#include <algorithm>

#include "gas/base/threads/executor.hpp"

namespace gas {

std::size_t Slices::rows_of(VertexId slice) const {
  return static_cast<std::size_t>(
      std::min<std::uint64_t>(rows, points - std::uint64_t{slice} * rows));
}

std::shared_ptr<const LocalGraph> Slices::graph(const Communicator& comm,
                                                std::uint64_t parameters) const {
  auto graph = std::make_shared<LocalGraph>();
  graph->bipartite = true;
  graph->owner = unshared_layout(count, ids);
  graph->parameter = replicated_layout(comm, parameters);
  return graph;
}

Slices cut_slices(Communicator& comm, const Points<float>& points, std::size_t rows) {
  const PointShares shares = check_points(comm, *make_tbb_executor(1), points);
  Slices slices{.points = shares.rows(),
                .count = (shares.rows() + rows - 1) / rows,
                .rows = rows,
                .columns = static_cast<std::size_t>(shares.columns),
                .ids = {},
                .values = nullptr};
  slices.ids = ids_of_block(comm, slices.count);
  const BlockDistribution blocks{slices.count, comm.size()};
  const std::uint64_t first = shares.first[static_cast<std::size_t>(comm.rank())];
  std::vector<std::vector<float>> out(static_cast<std::size_t>(comm.size()));
  for (int to = 0; to < comm.size(); ++to) {
    const auto begin = std::clamp(blocks.first(to) * rows, first, first + points.rows());
    const auto end = std::clamp(blocks.first(to + 1) * rows, begin, first + points.rows());
    const auto moved =
        points.values.subspan((begin - first) * slices.columns, (end - begin) * slices.columns);
    out[static_cast<std::size_t>(to)].assign(moved.begin(), moved.end());
  }
  slices.values = std::make_shared<Inputs<float>>(rows * slices.columns, slices.ids.size());
  std::ranges::fill(slices.values->values, 0.0F);
  std::size_t at = 0;  // numbers taken in, from the slices' first on
  for (const auto& block : all_to_all(comm, std::move(out)))
    for (std::size_t taken = 0; taken < block.size();) {
      const auto row = (*slices.values)[at / slices.values->width];
      const std::size_t offset = at % row.size();
      const std::size_t next = std::min(row.size() - offset, block.size() - taken);
      std::copy_n(block.data() + taken, next, row.data() + offset);
      taken += next, at += next;
    }
  return slices;
}

}  // namespace gas
