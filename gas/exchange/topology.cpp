#include "gas/exchange/topology.hpp"

#include <algorithm>

namespace gas {
namespace {

/// Into how many groups `size` ranks are cut, of `ranks` in all.
int groups_of(Topology topology, int size, int ranks) {
  if (topology == Topology::tree) return 2;
  if (topology == Topology::flat || size < ranks) return size;
  int root = 1;
  while (root * root < ranks) ++root;
  return root;
}

RankRange group(RankRange all, int groups, int number) {
  const auto bound = [&](int i) {
    return all.first + static_cast<int>(std::int64_t{all.size()} * i / groups);
  };
  return {bound(number), bound(number + 1)};
}

/// Where member `index` of group `from` has its partner. One group may have a member more than
/// another: those that are left over meet different ones.
int partner_in(RankRange to, int from, int index) {
  return to.first + (index < to.size() ? index : from % to.size());
}

}  // namespace

std::vector<ExchangeStage> exchange_stages(Topology topology, int rank, int ranks) {
  std::vector<ExchangeStage> stages;
  RankRange range{0, ranks};
  while (range.size() > 1) {
    const int groups = groups_of(topology, range.size(), ranks);
    int mine = 0;
    while (group(range, groups, mine).last <= rank) ++mine;
    ExchangeStage stage;
    stage.own = group(range, groups, mine);
    for (int away = 1; away < groups; ++away) {
      const int g = (mine + away) % groups;
      const RankRange other = group(range, groups, g);
      stage.others.push_back({other, partner_in(other, mine, rank - stage.own.first)});
      for (int index = 0; index < other.size(); ++index)
        if (partner_in(stage.own, g, index) == rank) stage.senders.push_back(other.first + index);
    }
    range = stage.own;
    stages.push_back(std::move(stage));
  }
  return stages;
}

}  // namespace gas
