#pragma once

#include <cstdint>
#include <vector>

#include "gas/engine/engine.hpp"

namespace gas_test {

/// Each vertex keeps a list of what it has gathered, and publishes a number made of it: that of a
/// round depends on all rounds before.
struct Diary {
  static constexpr gas::Stands stands = gas::any_staleness;  // its values are then any
  struct Node {
    std::vector<std::uint64_t> pages;
    static constexpr auto activity = gas::Active::every_round;
    using Published = std::uint64_t;
    using Accumulator = gas::Sum<std::uint64_t>;
    template <class Archive>
    void serialize(Archive& archive, unsigned) {
      archive& pages;
    }
  };
  using Vertex = Node;
  std::uint64_t rounds = 0;

  void before_step(gas::Step, const auto&) { ++rounds; }
  template <class Archive>
  void serialize(Archive& archive, unsigned) {
    archive& rounds;
  }
  std::uint64_t init(Node&, const auto& v) const { return v.id(); }
  void gather(Node::Accumulator& sum, std::uint64_t x) const { sum += x; }
  std::uint64_t apply(Node& node, const Node::Accumulator& sum, const auto& v) const {
    node.pages.push_back(sum.value + rounds * v.id());
    return node.pages.back() * 3 + node.pages.front();
  }
};

}  // namespace gas_test
