#pragma once

#include <cstdint>

namespace gas {

/// What the engine did on one rank. Every edge visit of every program is counted here.
struct Counters {
  std::uint64_t gathers = 0;   // edges gathered (complete bipartite: pairs)
  std::uint64_t pushes = 0;    // edges pushed along (fused gather, or push of a named parameter)
  std::uint64_t scatters = 0;  // edges scattered
  std::uint64_t applies = 0;   // vertices applied

  Counters& operator+=(const Counters& other) {
    gathers += other.gathers;
    pushes += other.pushes;
    scatters += other.scatters;
    applies += other.applies;
    return *this;
  }
};

}  // namespace gas
