#include "partition/hypergraph/hypergraph.hpp"

#include <xxhash.h>

#include <algorithm>
#include <numeric>

namespace gas::partition {

std::int64_t Hypergraph::weight() const {
  return std::accumulate(vertex_weight.begin(), vertex_weight.end(), std::int64_t{0});
}

void Hypergraph::list_nets() {
  vertex_begin.assign(std::size_t{vertices()} + 1, 0);
  for (const Index v : pin) ++vertex_begin[v + 1];
  std::partial_sum(vertex_begin.begin(), vertex_begin.end(), vertex_begin.begin());
  net.resize(pin.size());
  std::vector<std::uint64_t> next(vertex_begin.begin(), vertex_begin.end() - 1);
  for (Index n = 0; n < nets(); ++n)
    for (const Index v : pins(n)) net[next[v]++] = n;
}

void NetCollector::add(std::span<const Hypergraph::Index> pins, std::int32_t weight) {
  if (pins.size() < 2) return;
  all_.pin.insert(all_.pin.end(), pins.begin(), pins.end());
  all_.net_begin.push_back(all_.pin.size());
  all_.net_weight.push_back(weight);
}

Hypergraph NetCollector::finish(std::vector<std::int64_t> vertex_weight) {
  using Index = Hypergraph::Index;
  struct Key {
    std::uint64_t hash;
    Index net;
  };
  std::vector<Key> keys;
  keys.reserve(all_.nets());
  for (Index n = 0; n < all_.nets(); ++n)
    keys.push_back({XXH3_64bits(all_.pins(n).data(), all_.pins(n).size_bytes()), n});
  std::sort(keys.begin(), keys.end(), [](const Key& a, const Key& b) {
    return a.hash != b.hash ? a.hash < b.hash : a.net < b.net;
  });
  // Of equal nets the first gets all weight. Different nets of equal hash are rare.
  for (std::size_t i = 0; i < keys.size(); ++i) {
    std::int32_t& weight = all_.net_weight[keys[i].net];
    if (weight == 0) continue;
    for (std::size_t j = i + 1; j < keys.size() && keys[j].hash == keys[i].hash; ++j) {
      if (!std::ranges::equal(all_.pins(keys[i].net), all_.pins(keys[j].net))) continue;
      weight += all_.net_weight[keys[j].net];
      all_.net_weight[keys[j].net] = 0;
    }
  }
  Hypergraph kept;
  kept.vertex_weight = std::move(vertex_weight);
  for (Index n = 0; n < all_.nets(); ++n) {
    if (all_.net_weight[n] == 0) continue;
    kept.pin.insert(kept.pin.end(), all_.pins(n).begin(), all_.pins(n).end());
    kept.net_begin.push_back(kept.pin.size());
    kept.net_weight.push_back(all_.net_weight[n]);
  }
  kept.list_nets();
  return kept;
}

}  // namespace gas::partition
