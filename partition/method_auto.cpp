#include <fmt/format.h>

#include <algorithm>
#include <limits>
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
  bool bipartite, plain;          // which graphs it is promising for
  bool cuts_edges;                // not vertices
  const char* relative;           // a quicker method that cuts the same way, or null
  double gain = 1;                // at best this share of the relative's mirrors
  bool only_for_balance = false;  // only where the relative's balance is not kept

  bool promising(const GraphShape& shape, const Options& options) const {
    return (shape.bipartite ? bipartite : plain) && (cuts_edges || !options.edge_cuts_only);
  }
  double seconds(double edges, Part parts) const {
    return 1e-9 * edges * (per_edge + per_edge_and_part * parts);
  }
};

/// Nanoseconds that a byte takes in a round, from one rank to another of the same machine: 0.5 to
/// 1.4 were measured.
constexpr double per_byte = 1.5;

// By time.
constexpr Search searches[]{
    {"ne", 400, 5, true, true, false, nullptr},
    {"ne-balanced", 1500, 30, true, true, false, "ne", 1, true},
    {"aweto", 100, 30, true, false, true, nullptr},
    {"checkerboard", 200, 30, true, false, false, nullptr},
    {"metis", 1200, 10, false, true, true, nullptr},
    {"hypergraph", 3000, 200, true, false, true, "aweto", 0.75},
};

/// A method that hashes, whose mirrors can be told beforehand.
struct Hashing {
  std::string method;
  double mirrors;
};

std::vector<Hashing> score_hashing(Team& team, const EdgeList& edges, const GraphShape& shape,
                                   const Options& options) {
  if (!shape.bipartite) return {{options.edge_cuts_only ? "hash" : "dbh", 0}};
  if (options.edge_cuts_only) return {{"hash", 0}};
  const DegreeHistograms degrees = degree_histograms(team, edges, shape);
  return {{"hash", expected_mirrors(degrees.parameter, options.parts)},
          {"grid", best_grid(degrees, options.parts).mirrors}};
}

Partition cut_by(const std::string& method, Team& team, const EdgeList& edges,
                 const GraphShape& shape, const Options& options) {
  Options with = options;
  with.method = method;
  with.tell = nullptr;
  Partition cut = find_method(method).run(team, edges, shape, with);
  cut.method = method;
  return cut;
}

/// Seconds that all rounds could spend on what they send, if every vertex, or end of an edge, had a
/// mirror in each part but one: no method can save more.
double most_saved(const GraphShape& shape, double edges, const Options& options) {
  if (options.rounds == 0) return std::numeric_limits<double>::max();
  const double vertices = static_cast<double>(shape.sources) +
                          (shape.bipartite ? static_cast<double>(shape.targets) : 0);
  const double mirrors = std::min(vertices * (options.parts - 1), 2 * edges);
  return 1e-9 * per_byte * options.bytes_per_mirror * mirrors * options.rounds;
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
    Partition cut;
    try {
      cut = cut_by(method, team_, edges_, shape_, options_);
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
  const std::vector<Hashing> hashing = edge_count == 0 ? std::vector<Hashing>{{"range", 0}}
                                                       : score_hashing(team, edges, shape, options);
  const auto least = std::ranges::min_element(hashing, {}, &Hashing::mirrors);
  const double saves = most_saved(shape, edge_count, options);
  const auto pays = [&](const Search& search) {
    return search.promising(shape, options) && search.seconds(edge_count, options.parts) <= saves;
  };
  if (std::ranges::none_of(searches, pays)) {
    if (options.tell)
      options.tell(fmt::format("auto takes {}: no search would pay within the rounds asked for",
                               least->method));
    return cut_by(least->method, team, edges, shape, options);
  }
  trials.run(least->method);
  double left = options.budget_seconds;
  for (const Search& search : searches) {
    if (!search.promising(shape, options)) continue;
    const auto relative = trials.found(search.relative);
    if (search.only_for_balance && (!relative || relative->kept)) continue;
    const double seconds = search.seconds(edge_count, options.parts);
    if (seconds > saves) {
      trials.passed_over(search.method, fmt::format("it takes some {:.3g} s, the rounds {:.3g} s "
                                                    "for what they send",
                                                    seconds, saves));
      continue;
    }
    if (seconds > left) {
      trials.passed_over(
          search.method,
          fmt::format("it takes some {:.3g} s, --budget leaves {:.3g}", seconds, left));
      continue;
    }
    if (relative && relative->kept &&
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
