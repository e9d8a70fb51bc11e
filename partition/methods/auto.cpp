#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "gas/base/error.hpp"
#include "partition/measure/balance.hpp"
#include "partition/measure/exchange_load.hpp"
#include "partition/measure/locality.hpp"
#include "partition/methods/method.hpp"
#include "partition/shapes.hpp"

namespace gas::partition {
namespace {

// How auto decides for a run of some rounds. A method's time is predicted as
//
//   cutting + rounds × (edges of the busiest part × per_edge + its mirrors × bytes × per_byte);
//
// a round's latency is the same for all. Of a method that does not search, cutting is free here (it
// is a part of reading the graph in), mirrors follow from the degrees, those of ranges from a
// sample of the vertices, and balance is looked at when it has cut. Of one that searches, both are
// told from graphs where it was measured. It is tried if it is then predicted to end before the
// best so far; what it has found is measured. Without rounds, for a partition that is kept, all are
// tried that the budget allows, and mirrors decide.

/// A method that looks at the graph: what it takes, by its measured nanoseconds per edge on one
/// thread, and how many per edge and part.
struct Search {
  const char* method;
  double per_edge, per_edge_and_part;
  double leaves;                  // of the mirrors that hashing makes, on natural graphs
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

/// Nanoseconds in a round: of an edge's gather, and of a byte from one rank to another of the same
/// machine (0.5 to 1.4 were measured).
constexpr double per_edge = 2, per_byte = 1.5;

// By time.
constexpr Search searches[]{
    {"ne", 400, 5, 0.5, true, true, false, nullptr},
    {"ne-balanced", 1500, 30, 0.5, true, true, false, "ne", 1, true},
    {"aweto", 100, 30, 0.6, true, false, true, nullptr},
    {"checkerboard", 200, 30, 0.5, true, false, false, nullptr},
    {"metis", 1200, 10, 0.6, false, true, true, nullptr},
    {"hypergraph", 3000, 200, 0.5, true, false, true, "aweto", 0.75},
};

/// A method that needs no search, by the mirrors to expect.
struct Hashing {
  std::string method;
  double mirrors;
};

/// Of the mirrors of random edges those that dbh leaves at least: 0.38 were measured on Kronecker
/// graphs, 0.86 on a grid.
constexpr double dbh_leaves = 0.35;

/// Those for a plain graph, the best first: ranges where the order of the rows has locality, by a
/// sample. Ranges and hashes are cut in about the same time. Collective.
std::vector<Hashing> plain_hashing(Communicator& comm, const EdgeList& edges,
                                   const GraphShape& shape, const Options& options) {
  const auto [by_range, at_random] = locality(comm, edges, shape, options.parts);
  const bool local = !options.shuffled && by_range < dbh_leaves * at_random;
  std::vector<Hashing> hashing{{"dbh", at_random}, {"random", at_random}};
  if (options.edge_cuts_only) hashing = {{"hash", at_random}};
  if (local || options.edge_cuts_only)
    hashing.insert(local ? hashing.begin() : hashing.end(), {"range", by_range});
  return hashing;
}

/// Those for a bipartite graph, the best first. Ranges of data vertices make no more mirrors than a
/// hash of them, are even in edges, and an input that comes by data vertex hardly moves.
/// Collective; O(edges) if mirrors are `asked` for, which else are 0.
std::vector<Hashing> bipartite_hashing(Communicator& comm, const EdgeList& edges,
                                       const GraphShape& shape, const Options& options,
                                       bool asked) {
  const DegreeHistograms degrees =
      asked ? degree_histograms(comm, edges, shape) : DegreeHistograms();
  const double mirrors = expected_mirrors(degrees.parameter, options.parts);
  std::vector<Hashing> hashing{{"range", mirrors}, {"hash", mirrors}};
  if (options.shuffled) std::swap(hashing[0], hashing[1]);
  if (!asked || options.edge_cuts_only) return hashing;
  const double grid = best_grid(degrees, options.parts).mirrors;
  if (grid < mirrors) hashing.insert(hashing.begin(), {"grid", grid});
  return hashing;
}

Partition cut_by(const std::string& method, Communicator& comm, const EdgeList& edges,
                 const GraphShape& shape, const Options& options) {
  Options with = options;
  with.method = method;
  with.tell = nullptr;
  Partition cut = find_method(method).run(comm, edges, shape, with);
  cut.method = method;
  return cut;
}

/// What all rounds take if the busiest part has so many edges and exchanges so many mirrors.
double seconds_of_rounds(double busiest_edges, double busiest_mirrors, const Options& options) {
  const double sent = per_byte * options.bytes_per_mirror * busiest_mirrors;
  return 1e-9 * options.rounds * (per_edge * busiest_edges + sent);
}

/// The same of even parts with so many mirrors in all, each of which two parts exchange.
double seconds_of_even_rounds(double edges, double mirrors, const Options& options) {
  return seconds_of_rounds(edges / options.parts, 2 * mirrors / options.parts, options);
}

/// As many mirrors as a bipartite graph can have: one of every vertex, or end of an edge, in each
/// part but one.
double most_mirrors(const GraphShape& shape, double edges, Part parts) {
  const auto vertices = static_cast<double>(shape.sources + shape.targets);
  return std::min(vertices * (parts - 1), 2 * edges);
}

class Trials {
 public:
  Trials(Communicator& comm, const EdgeList& edges, const GraphShape& shape, const Options& options)
      : comm_(comm), edges_(edges), shape_(shape), options_(options) {}

  struct Result {
    std::string method;
    std::uint64_t cost;  // by the objective
    bool kept;           // the balance
    double seconds;      // of all rounds; 0 without

    bool better_than(const Result& other) const {
      if (seconds != other.seconds) return seconds < other.seconds;
      return kept != other.kept ? kept : cost < other.cost;
    }
  };

  void run(const std::string& method) {
    Partition cut;
    try {
      cut = cut_by(method, comm_, edges_, shape_, options_);
    } catch (const RunError& error) {  // on all ranks, such as: too large for it
      reasons_ += fmt::format("; {} failed: {}", method, error.what());
      return;
    }
    const ExchangeLoad load = exchange_load(comm_, edges_, shape_, cut);
    const Balance found = balance(comm_, edges_, shape_, cut, options_);
    const Result result{method, options_.objective == Objective::total ? load.total : load.busiest,
                        found.kept,
                        seconds_of_rounds(static_cast<double>(found.largest),
                                          static_cast<double>(load.busiest), options_)};
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
    return fmt::format("auto chose {}: {} mirrors {}{}{}{}", best_->method, best_->cost,
                       options_.objective == Objective::total ? "in all" : "at the busiest part",
                       others.empty() ? "" : "; tried " + others,
                       best_->kept ? "" : " (unbalanced)", reasons_);
  }

 private:
  Communicator& comm_;
  const EdgeList& edges_;
  const GraphShape& shape_;
  const Options& options_;
  std::vector<Result> tried_;
  std::optional<Result> best_;
  Partition best_cut_;
  std::string reasons_;
};

/// Cuts by the first whose parts are even, else by that whose largest part is smallest. Collective.
Partition cut_evenly(const std::vector<Hashing>& hashing, Communicator& comm, const EdgeList& edges,
                     const GraphShape& shape, const Options& options) {
  Partition best;
  std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
  for (const Hashing& each : hashing) {
    Partition cut = cut_by(each.method, comm, edges, shape, options);
    const std::vector<std::uint64_t> parts = edges_per_part(comm, cut);
    const std::uint64_t largest = *std::ranges::max_element(parts);
    const std::uint64_t all = std::accumulate(parts.begin(), parts.end(), std::uint64_t{0});
    if (largest < least) {
      least = largest;
      best = std::move(cut);
    }
    if (least <= promised_share(all, options.parts, options.imbalance_percent)) break;
  }
  return best;
}

}  // namespace

Partition auto_cut(Communicator& comm, const EdgeList& edges, const GraphShape& shape,
                   const Options& options) {
  const auto edge_count =
      static_cast<double>(all_sum(comm, static_cast<std::uint64_t>(edges.arcs())));
  if (edge_count == 0) return cut_by("range", comm, edges, shape, options);
  const bool kept = options.rounds == 0;
  // What a search takes and the rounds after it, beside the rounds if it is left out.
  const auto pays = [&](const Search& search, double mirrors, double otherwise) {
    return kept || search.seconds(edge_count, options.parts) +
                           seconds_of_even_rounds(edge_count, search.leaves * mirrors, options) <
                       otherwise;
  };
  const auto any_pays = [&](double mirrors) {
    const double otherwise = seconds_of_even_rounds(edge_count, mirrors, options);
    return std::ranges::any_of(searches, [&](const Search& search) {
      return search.promising(shape, options) && pays(search, mirrors, otherwise);
    });
  };
  // The mirrors of a bipartite graph are counted if as many as there can be would be too many.
  bool search = !shape.bipartite || any_pays(most_mirrors(shape, edge_count, options.parts));
  const std::vector<Hashing> hashing = shape.bipartite
                                           ? bipartite_hashing(comm, edges, shape, options, search)
                                           : plain_hashing(comm, edges, shape, options);
  search = search && any_pays(hashing[0].mirrors);
  if (!search) {
    Partition cut = cut_evenly(hashing, comm, edges, shape, options);
    if (options.tell)
      options.tell(
          fmt::format("auto chose {}: a slower method would cost more time than it saves in the "
                      "given number of rounds",
                      cut.method));
    return cut;
  }
  Trials trials(comm, edges, shape, options);
  trials.run(hashing[0].method);
  double left = options.budget_seconds;
  for (const Search& each : searches) {
    if (!each.promising(shape, options)) continue;
    const auto relative = trials.found(each.relative);
    if (each.only_for_balance && (!relative || relative->kept)) continue;
    const double seconds = each.seconds(edge_count, options.parts);
    if (!pays(each, hashing[0].mirrors, trials.best()->seconds)) {
      trials.passed_over(
          each.method,
          fmt::format(
              "it would take about {:.3g} s, more than it could save of about {:.3g} s of rounds",
              seconds, trials.best()->seconds));
      continue;
    }
    if (seconds > left) {
      trials.passed_over(
          each.method,
          fmt::format("it would take about {:.3g} s, but --budget leaves {:.3g} s", seconds, left));
      continue;
    }
    if (relative && relative->kept &&
        each.gain * static_cast<double>(relative->cost) >
            static_cast<double>(trials.best()->cost)) {
      trials.passed_over(
          each.method,
          fmt::format("{}, which is similar, made far more mirrors than the best", each.relative));
      continue;
    }
    left -= seconds;
    trials.run(each.method);
  }
  for (const Hashing& each : std::span(hashing).subspan(1))
    if (!trials.best()->kept) trials.run(each.method);
  if (options.tell) options.tell(trials.story());
  return trials.take_best();
}

}  // namespace gas::partition
