// Hubs and authorities of a graph of links (HITS: Kleinberg 1999).
//
//     mpirun -n 4 hits LINKS
//
// prints `hub ID SCORE` for each page that links, and `authority ID SCORE` for each that is linked.
#include <fmt/format.h>

#include <cmath>

#include "gas/gas.hpp"
#include "programs/calls/matrix.hpp"

/// A page is two vertices: one that links (a row of the matrix of links) and one that is linked (a
/// column). A hub's score is the sum of its authorities' scores, and the other way round, each
/// scaled to length 1. The length is a sum over all vertices of a kind, so it is a Summary. All
/// ranks must divide by the same length: staleness 0 only.
struct Hits {
  struct Hub {
    double score = 0;
    static constexpr auto activity = gas::Active::every_round;
    using Published = double;
    using Accumulator = gas::Sum<double>;
  };
  struct Authority : Hub {};
  using Data = Hub;
  using Parameter = Authority;
  struct Summary {
    double squares = 0, change = 0;  // of the scores before they are scaled
    void operator+=(const Summary& s) { squares += s.squares, change += s.change; }
  };

  double init(auto& page, auto& v) const {
    v.summary().squares += 1;
    return page.score = 1;
  }

  void gather(gas::Sum<double>& sum, double score) const { sum += score; }

  // The sum is of scores that are not scaled yet: the length of the other kind scales them.
  double apply(Hub& page, const gas::Sum<double>& sum, auto& v) const {
    return set(page, sum.value / std::sqrt(v.last().parameter().squares), v);
  }
  double apply(Authority& page, const gas::Sum<double>& sum, auto& v) const {
    return set(page, sum.value / std::sqrt(v.last().data().squares), v);
  }
  double set(Hub& page, double score, auto& v) const {
    v.summary().squares += score * score;
    v.summary().change += (score - page.score) * (score - page.score);
    return page.score = score;
  }

  bool converged(const auto& last) const {
    return last.parameter().change <= 1e-20 * last.parameter().squares;
  }
};

int main(int argc, char* argv[]) {
  gas::MpiTransport ranks;
  try {
    const gas::Context context(ranks);
    const auto links = gas::Matrix::load(context, argc > 1 ? argv[1] : "-");
    gas::Engine engine(context, links.laid_out(context).graph, Hits{});
    engine.run({.iterations = 1000});
    const auto print = [&]<class Kind>(Kind, const char* what, double squares, const auto& ids) {
      const auto scores =
          gas::whole(ranks, engine.by_id<Kind>([](const Kind& page) { return page.score; }));
      ids.for_each(ranks, scores, [&](std::string_view id, double score) {  // on rank 0
        fmt::print("{} {} {:.9f}\n", what, id, score / std::sqrt(squares));
      });
    };
    print(Hits::Hub(), "hub", engine.last().data().squares, links.row_ids());
    print(Hits::Authority(), "authority", engine.last().parameter().squares, links.column_ids());
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    ranks.local_abort(1);  // ends the other ranks, too
  }
}
