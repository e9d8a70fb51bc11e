// How generous are users, how good are items? A rating is about its user's bias plus its item's.
//
//     mpirun -n 4 biases RATINGS [STALENESS]
//
// reads lines `user item rating`, and prints `user ID BIAS` and `item ID BIAS`.
#include <fmt/format.h>

#include <cmath>

#include "gas/gas.hpp"
#include "programs/calls/matrix.hpp"

/// Users and items by turns take the bias that is best for the other side's: the biases with the
/// least Σ (rating − user − item)² + Σ user² + Σ item². Where all that a vertex reads is off by e
/// at most, its own bias is off by n/(n+1) e at most, n the number of its ratings. So every visit
/// comes closer to the one solution, however old the values are that it reads: any staleness.
struct Biases {
  static constexpr gas::Stands stands = gas::any_staleness;
  struct User {
    double bias = 0;
    using Published = double;
    using Accumulator = gas::Sum<double>;
  };
  struct Item {
    double bias = 0;
    using Published = double;
    using Accumulator = gas::Sum<double>;
  };
  using Data = User;       // the rows of the matrix of ratings
  using Parameter = Item;  // its columns
  using Edge = float;      // a rating

  // Users gather from items, and items from users, in the same way.
  void gather(gas::Sum<double>& left, double bias, float rating) const {
    left += static_cast<double>(rating) - bias;
  }
  double apply(auto& vertex, const gas::Sum<double>& left, auto& v) const {
    return vertex.bias = left.value / (v.degree() + 1.0);
  }
  // A smaller change is not told to neighbours, and does not wake them: the run ends.
  bool publishes(double before, double now) const { return std::abs(now - before) > 1e-9; }
};

void find_biases(gas::Transport& ranks, const char* file, std::uint64_t staleness) {
  const gas::Context context(ranks);
  const gas::Matrix ratings = gas::Matrix::load(context, file);
  gas::Engine engine(context, ratings.laid_out(context).graph, Biases{});
  engine.run({.staleness = {.bound = staleness}});

  const auto print = [&]<class Kind>(Kind, const char* kind, const auto& ids) {
    const auto biases =
        gas::whole(ranks, engine.by_id<Kind>([](const Kind& vertex) { return vertex.bias; }));
    // Called on rank 0, by ascending id, with the value of each.
    ids.for_each(ranks, biases, [&](std::string_view id, double bias) {
      fmt::print("{} {} {:.6f}\n", kind, id, bias);
    });
  };
  print(Biases::User(), "user", ratings.row_ids());
  print(Biases::Item(), "item", ratings.column_ids());
}

int main(int argc, char* argv[]) {
  gas::MpiTransport ranks;
  try {
    find_biases(ranks, argc > 1 ? argv[1] : "-", argc > 2 ? std::stoull(argv[2]) : 0);
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    ranks.local_abort(1);  // ends the other ranks, too
  }
}
