#pragma once

#include <cstdint>
#include <vector>

namespace gas {

/// Which ranks talk to which in a step in which every rank may have something for every other one.
enum class Topology : std::uint8_t {
  automatic,  // groups for many ranks with little for each other, else flat
  flat,       // every rank with every other one: 2 (P − 1) messages of a rank, in 2 steps
  groups,     // ⌈√P⌉ groups, then within a group: about 4 √P messages, in 4 steps
  tree,       // two halves, again and again: about 2 log₂ P messages, in as many steps
};

/// The ranks first … last − 1.
struct RankRange {
  int first = 0, last = 0;
  int size() const { return last - first; }
};

/// One stage for one rank, where each rank has a part of sums that lie by owner, in rank order, and
/// is to know every result; or messages, whose receivers are the owners then. A range of ranks is
/// cut into groups. What a rank has of the sums that another group owns goes to its partner there.
/// So after the last stage it has the whole of its own. Results travel back along the same pairs,
/// the last stage first: each rank then tells those that sent to it the results of its group.
///
/// Every part reaches its owner once, for any number of ranks. After a stage a rank is left with
/// the sums of its group only, so that all stages together send hardly more bytes than the flat
/// exchange. (Recursive halving: Thakur, Rabenseifner, Gropp 2005; stages of several groups: Zhao,
/// Canny 2014.)
struct ExchangeStage {
  struct Group {
    RankRange ranks;
    int partner = 0;  // of this rank
  };
  RankRange own;  // this rank's group
  // From the group after this one on, and round: so ranks do not all send to one at a time.
  std::vector<Group> others;
  std::vector<int> senders;  // ranks of other groups whose partner this one is
};

/// The stages of `rank` among `ranks`; none where that is 1. Groups differ by one rank at most.
std::vector<ExchangeStage> exchange_stages(Topology topology, int rank, int ranks);

}  // namespace gas
