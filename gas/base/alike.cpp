#include "gas/base/alike.hpp"

#include <string_view>

#include "gas/base/error.hpp"

namespace gas {
namespace {

using Given = std::vector<std::pair<std::string_view, std::string_view>>;

/// Of "name=value\0name=value\0…".
Given split(std::string_view text) {
  Given given;
  while (!text.empty()) {
    const std::string_view one = text.substr(0, text.find('\0'));
    const std::size_t at = one.find('=');
    given.emplace_back(one.substr(0, at), one.substr(at + 1));
    text.remove_prefix(one.size() + 1);
  }
  return given;
}

}  // namespace

void check_alike(Communicator& comm, const Alike& given) {
  if (comm.size() == 1) return;
  std::string mine;
  for (const auto& [name, value] : given)
    mine.append(name).append("=").append(value).push_back('\0');
  const auto all = all_gather(comm, std::span<const char>(mine.data(), mine.size()));
  const auto of = [&](std::size_t rank) { return split({all[rank].data(), all[rank].size()}); };
  const Given first = of(0);
  const auto refuse = [&](const std::string& what) {
    together(comm, [&] { throw UsageError(what); });
  };
  for (std::size_t rank = 1; rank < all.size(); ++rank) {
    const Given other = of(rank);
    for (std::size_t i = 0; i < first.size() || i < other.size(); ++i) {
      const auto name = [&](const Given& in) { return i < in.size() ? in[i].first : "nothing"; };
      if (name(first) != name(other))
        refuse(fmt::format("ranks are in different calls: rank 0 tells {}, and rank {} {}",
                           name(first), rank, name(other)));
      if (first[i].second != other[i].second)
        refuse(
            fmt::format("{}: found {} on rank 0 and {} on rank {}, expected the same on all ranks",
                        name(first), first[i].second, other[i].second, rank));
    }
  }
}

}  // namespace gas
