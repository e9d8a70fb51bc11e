#include "gas/base/alike.hpp"

#include <string_view>

#include "gas/base/error.hpp"

namespace gas {

void check_alike(Communicator& comm, const Alike& given) {
  if (comm.size() == 1) return;
  std::string mine;
  for (const auto& [name, value] : given) mine.append(value).push_back('\0');
  const auto all = all_gather(comm, std::span<const char>(mine.data(), mine.size()));
  std::vector<std::string_view> left;
  for (const auto& block : all) left.emplace_back(block.data(), block.size());
  for (const auto& [name, own] : given) {
    std::vector<std::string_view> values;
    for (std::string_view& rest : left) {
      values.push_back(rest.substr(0, rest.find('\0')));
      rest.remove_prefix(values.back().size() + 1);
    }
    for (std::size_t rank = 1; rank < values.size(); ++rank)
      if (values[rank] != values[0])
        together(comm, [&] {
          throw UsageError(
              fmt::format("{}: found {} on rank 0 and {} on rank {}, expected the same "
                          "on all ranks",
                          name, values[0], values[rank], rank));
        });
  }
}

}  // namespace gas
