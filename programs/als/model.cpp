#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

#include "gas/base/error.hpp"
#include "loaders/read_small.hpp"
#include "loaders/write.hpp"
#include "programs/als/als.hpp"

namespace gas {

AlsModel AlsModel::read(const Context& context, const std::string& items, std::uint64_t rank) {
  Communicator& comm = context.transport();
  const loaders::NpyArray array = loaders::read_npy(comm, items);
  together(comm, [&] {
    if (array.shape.size() != 2 || array.shape[1] == 0 || (rank > 0 && array.shape[1] != rank))
      throw located_error(items, 0, 0,
                          fmt::format("an array of shape ({})", fmt::join(array.shape, ", ")),
                          fmt::format("(items, {})", rank > 0 ? std::to_string(rank) : "K"));
  });
  AlsModel model;
  model.rank = array.shape[1];
  model.items.assign(array.values.begin(), array.values.end());
  return model;
}

void AlsModel::write(const Context& context, const std::string& folder) const {
  Communicator& comm = context.transport();
  const std::uint64_t mine = rank == 0 ? 0 : users.size() / rank;
  std::uint64_t first = 0, all = 0;
  const std::vector<std::uint64_t> counts = all_gather(comm, mine);
  for (int of = 0; of < comm.size(); ++of) {
    if (of == comm.rank()) first = all;
    all += counts[static_cast<std::size_t>(of)];
  }
  std::vector<VertexId> rows(mine);
  std::iota(rows.begin(), rows.end(), to_vertex_id(first));
  const std::uint64_t shape[] = {all, rank};
  loaders::write_npy<float>(comm, folder + "/users.npy", shape, rows, users);

  const std::uint64_t item_count = rank == 0 ? 0 : items.size() / rank;
  const std::vector<VertexId> block = ids_of_block(comm, item_count);
  const std::uint64_t item_shape[] = {item_count, rank};
  loaders::write_npy<float>(
      comm, folder + "/items.npy", item_shape, block,
      std::span(items).subspan(block.empty() ? 0 : block[0] * rank, block.size() * rank));
}

}  // namespace gas
