#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "gas/graph/error.hpp"
#include "partition/balance.hpp"
#include "partition/exchange_load.hpp"
#include "partition/method.hpp"
#include "partition/shapes.hpp"

namespace gas::partition {
namespace {

/// A method that looks at the graph: what it takes, by its measured nanoseconds per edge on one
/// thread, and how many per edge and part.
struct Search {
  const char* method;
  double per_edge, per_edge_and_part;
  bool bipartite, plain;  // which graphs it is promising for
  const char* relative;   // a quicker method that cuts the same way, or null
  double gain = 1;        // at best this share of the relative's mirrors
};

// By time.
constexpr Search searches[]{
    {"ne", 400, 5, true, true, nullptr},
    {"aweto", 100, 30, true, false, nullptr},
    {"checkerboard", 200, 30, true, false, nullptr},
    {"metis", 1200, 10, false, true, nullptr},
    {"hypergraph", 3000, 200, true, false, "aweto", 0.75},
};

/// A method that hashes, whose mirrors can be told beforehand.
struct Hashing {
  std::string method;
  double mirrors;
};

std::vector<Hashing> score_hashing(Team& team, const EdgeList& edges, const GraphShape& shape,
                                   Part parts) {
  if (!shape.bipartite) return {{"dbh", 0}};
  const DegreeHistograms degrees = degree_histograms(team, edges, shape);
  return {{"hash", expected_mirrors(degrees.parameter, parts)},
          {"grid", best_grid(degrees, parts).mirrors}};
}

class Trials {
 public:
  Trials(Team& team, const EdgeList& edges, const GraphShape& shape, const Options& options)
      : team_(team), edges_(edges), shape_(shape), options_(options) {}

  struct Result {
    std::string method;
    std::uint64_t cost;  // by the objective
    bool kept;           // the balance

    bool better_than(const Result& other) const {
      return kept != other.kept ? kept : cost < other.cost;
    }
  };

  void run(const std::string& method) {
    Options with = options_;
    with.method = method;
    Partition cut;
    try {
      cut = find_method(method).run(team_, edges_, shape_, with);
      cut.method = method;
    } catch (const RunError& error) {  // on all ranks, such as: too large for it
      passed_over(method, error.what());
      return;
    }
    const ExchangeLoad load = exchange_load(team_, edges_, shape_, cut);
    const Result result{method, options_.objective == Objective::total ? load.total : load.busiest,
                        balance(team_, edges_, shape_, cut, options_).kept};
    tried_.push_back(result);
    if (!best_ || result.better_than(*best_)) {
      best_ = result;
      best_cut_ = std::move(cut);
    }
  }

  void passed_over(const std::string& method, const std::string& why) {
    reasons_ += fmt::format("; {} not tried: {}", method, why);
  }

  std::optional<Result> found(const char* method) const {
    for (const Result& result : tried_)
      if (method != nullptr && result.method == method) return result;
    return std::nullopt;
  }
  const std::optional<Result>& best() const { return best_; }
  Partition take_best() { return std::move(best_cut_); }

  std::string story() const {
    std::string others;
    for (const Result& result : tried_)
      if (result.method != best_->method)
        others += fmt::format("{}{} {}{}", others.empty() ? "" : ", ", result.method, result.cost,
                              result.kept ? "" : " (unbalanced)");
    return fmt::format("auto takes {}: {} mirrors {}{}{}{}", best_->method, best_->cost,
                       options_.objective == Objective::total ? "in all" : "at the busiest part",
                       others.empty() ? "" : "; tried " + others,
                       best_->kept ? "" : " (unbalanced)", reasons_);
  }

 private:
  Team& team_;
  const EdgeList& edges_;
  const GraphShape& shape_;
  const Options& options_;
  std::vector<Result> tried_;
  std::optional<Result> best_;
  Partition best_cut_;
  std::string reasons_;
};

}  // namespace

Partition auto_cut(Team& team, const EdgeList& edges, const GraphShape& shape,
                   const Options& options) {
  Trials trials(team, edges, shape, options);
  const auto edge_count =
      static_cast<double>(all_sum(team, static_cast<std::uint64_t>(edges.arcs())));
  const std::vector<Hashing> hashing = edge_count == 0
                                           ? std::vector<Hashing>{{"range", 0}}
                                           : score_hashing(team, edges, shape, options.parts);
  const auto least = std::ranges::min_element(hashing, {}, &Hashing::mirrors);
  trials.run(least->method);
  double left = options.budget_seconds;
  for (const Search& search : searches) {
    if (!(shape.bipartite ? search.bipartite : search.plain)) continue;
    const double seconds =
        1e-9 * edge_count * (search.per_edge + search.per_edge_and_part * options.parts);
    if (seconds > left) {
      trials.passed_over(
          search.method,
          fmt::format("it takes some {:.3g} s, --budget leaves {:.3g}", seconds, left));
      continue;
    }
    if (const auto relative = trials.found(search.relative);
        relative && relative->kept &&
        search.gain * static_cast<double>(relative->cost) >
            static_cast<double>(trials.best()->cost)) {
      trials.passed_over(search.method, fmt::format("{} is too far behind", search.relative));
      continue;
    }
    left -= seconds;
    trials.run(search.method);
  }
  if (options.tell) options.tell(trials.story());
  return trials.take_best();
}

}  // namespace gas::partition
