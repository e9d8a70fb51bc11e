#include "partition/methods/method.hpp"
#include "partition/streaming/streaming.hpp"

namespace gas::partition {

// The rules of PowerGraph; of two ends without a common part, the one seen more often is copied,
// for it has more edges to come.
Partition greedy_cut(Communicator& comm, const EdgeList& edges, const GraphShape& shape,
                     const Options& options) {
  return stream_cut(comm, edges, shape, options,
                    [&](const StreamState& state, std::uint32_t u, std::uint32_t v) {
                      const StreamState::Choice choice = state.choices(u, v, true);
                      if (choice.both != no_part) return choice.both;
                      if (choice.only_u == no_part && choice.only_v == no_part) return choice.any;
                      if (choice.only_u == no_part) return choice.only_v;
                      if (choice.only_v == no_part) return choice.only_u;
                      return state.seen(u) <= state.seen(v) ? choice.only_u : choice.only_v;
                    });
}

}  // namespace gas::partition
