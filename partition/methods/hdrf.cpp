#include <tuple>

#include "partition/methods/method.hpp"
#include "partition/streaming/streaming.hpp"

namespace gas::partition {

// The part with the highest score wins: what it saves in copies, where that of the end seen less
// often counts more, and λ times how light it is. Within a class of Choice only the lightness
// differs, so four parts are compared. A copy saved counts 1 or more: up to λ = 1 lightness cannot
// outweigh it.
Partition hdrf_cut(Communicator& comm, const EdgeList& edges, const GraphShape& shape,
                   const Options& options) {
  return stream_cut(
      comm, edges, shape, options, [&](const StreamState& state, std::uint32_t u, std::uint32_t v) {
        const StreamState::Choice choice = state.choices(u, v, options.lambda <= 1);
        const double du = state.seen(u), dv = state.seen(v);
        const double saves_u = 1 + dv / (du + dv), saves_v = 1 + du / (du + dv);
        const double spread = static_cast<double>(state.largest_load() - state.least_load()) + 1;
        Part best = no_part;
        double highest = 0;
        for (const auto& [part, saved] :
             {std::pair{choice.both, saves_u + saves_v}, std::pair{choice.only_u, saves_u},
              std::pair{choice.only_v, saves_v}, std::pair{choice.any, 0.0}}) {
          if (part == no_part) continue;
          const double light = static_cast<double>(state.largest_load() - state.load(part));
          const double score = saved + options.lambda * light / spread;
          if (best == no_part || score > highest) std::tie(best, highest) = std::tuple(part, score);
        }
        return best;
      });
}

}  // namespace gas::partition
