#include "programs/page_rank/page_rank.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <type_traits>
#include <utility>

#include "gas/base/error.hpp"
#include "gas/graph/by_id.hpp"
#include "programs/calls/engine_bytes.hpp"
#include "programs/calls/run.hpp"
#include "programs/page_rank/by_need.hpp"
#include "programs/page_rank/link_weights.hpp"

namespace gas {
namespace {

/// The tolerance from which on float shares do: they leave an L1 error well below it.
constexpr double float_tolerance = 1e-6;

bool by_need(const PageRankOptions& options) { return options.run.order == Order::priority; }

void check(const Graph& graph, const PageRankOptions& options) {
  check_page_rank(options.run);
  if (!(options.damping >= 0 && options.damping <= 1))
    throw UsageError(
        fmt::format("damping: found {}, expected a number from 0 to 1", options.damping));
  if (!options.teleport.empty() && options.teleport.size() != graph.vertices())
    throw UsageError("teleport must have one number per vertex, or be empty");
  if (!(options.tolerance >= 0)) throw UsageError("tolerance must be a number of at least 0");
  if (!std::ranges::all_of(options.teleport, [](double share) { return share >= 0; }))
    throw UsageError("teleport must have numbers of at least 0");
  const double sum = std::accumulate(options.teleport.begin(), options.teleport.end(), 0.0);
  if (!options.teleport.empty() && !(std::abs(sum - 1) <= 1e-6))
    throw UsageError(fmt::format("teleport: found numbers with the sum {}, expected 1", sum));
  if (by_need(options) && options.tolerance == 0)
    throw UsageError("order priority needs a tolerance above 0: nothing else ends the run");
  if (by_need(options) && options.damping == 1)
    throw UsageError(
        "order priority needs a damping below 1: ranks start from 1 - damping, which must not be "
        "0");
  if (options.precision == Precision::single && by_need(options))
    throw UsageError("order priority needs precision double, found float");
  if (options.precision == Precision::single && !options.teleport.empty())
    throw UsageError("a personalised PageRank needs precision double, found float");
}

class Ranking {
 public:
  Ranking(const Context& context, const Graph& graph, const PageRankOptions& options)
      : context_(context), options_(options) {
    result_.wide = page_rank_wide(options);
    const EdgeValues values = options.unweighted ? EdgeValues::unread
                              : result_.wide     ? EdgeValues::as_given
                                                 : EdgeValues::floats;
    local_ = graph.laid_out(context, Arcs::given, values);
    const int bytes = !local_->values.empty() ? 4 : !local_->wide_values.empty() ? 8 : 0;
    weight_bytes_ = options.unweighted ? 0 : all_max(comm(), bytes);
    result_.weighted = weight_bytes_ > 0;
    if (result_.weighted) weigh(graph);
    if (result_.weighted && !result_.wide) check_precision();
    run_ = with_settings(options.run,
                         {{"damping", setting(options.damping)},
                          {"dangling", options.dangling == Dangling::spread ? "spread" : "ignore"},
                          {"teleport", setting(std::span<const double>(options.teleport))},
                          {"weights of links", result_.weighted ? "used" : "none"},
                          {"precision", result_.wide ? "double" : "float"}});
  }

  PageRanks find() {
    weight_bytes_ == 8 ? find<double>() : result_.weighted ? find<float>() : find<NoType>();
    result_.ranks = to_blocks(comm(), local_->owner, std::move(result_.ranks));
    return std::move(result_);
  }

 private:
  Communicator& comm() const { return context_.transport(); }

  void weigh(const Graph& graph) {
    const std::string& name = graph.name();
    const auto below = [](const auto& weights) {
      return std::ranges::any_of(weights, [](auto weight) { return weight < 0; });
    };
    const bool negative = below(local_->values) || below(local_->wide_values);
    together(comm(), [&] {
      if (negative)
        throw located_error(name, 0, 0, "a negative weight of a link", "weights of at least 0");
    });
    weights_ = link_weights(comm(), *local_);
    together(comm(), [&] {
      if (!sums_within(0x1p900))
        throw located_error(name, 0, 0,
                            "a page whose link weights have too small or too large a sum",
                            "a sum of 0, or from 1e-270 to 1e270");
    });
  }

  /// Whether each page's weights add up to 0 or lie between 1 / far and far.
  bool sums_within(double far) const {
    return std::ranges::all_of(weights_, [&](double weight) {
      return weight == 0 || (weight >= 1 / far && weight <= far);
    });
  }

  /// Float shares of a unit of weight need weights that are neither very small nor very large:
  /// where some are, shares are double, unless float was asked for.
  void check_precision() {
    result_.wide = weight_bytes_ == 8 || all_min(comm(), sums_within(0x1p60) ? 1 : 0) == 0;
    together(comm(), [&] {
      if (result_.wide && options_.precision == Precision::single)
        throw UsageError(
            "precision float needs link weights of each page with a sum from 2^-60 to 2^60: choose "
            "precision double");
    });
  }

  template <class Weight>
  void find() {
    if (by_need(options_)) return find_by_need<Weight>();
    if constexpr (!std::is_same_v<Weight, double>)
      if (!result_.wide) return find_all<float, Weight>();
    find_all<double, Weight>();
  }

  /// Hands the weights of links over to an engine.
  template <class Program>
  void hand_over(Engine<Program>& engine) const {
    using Page = typename Program::Vertex;
    if constexpr (present<EdgeType<Program>>) {
      std::size_t next = 0;
      engine.template local_for_each<Page>(
          [&](VertexId, auto& page) { page.weight = weights_[next++]; });
    }
  }

  template <class Program>
  void take_ranks(Engine<Program>& engine, double scale) {
    result_.ranks.reserve(local_->owner.masters());
    engine.template local_for_each<typename Program::Vertex>(
        [&](VertexId, const auto& page) { result_.ranks.push_back(page.rank * scale); });
    result_.delta = engine.last().vertex().delta * scale;
    result_.dangling = engine.last().vertex().dangling * scale;
  }
  void close() const { call_together(context_, options_.on_close); }

  template <class Share, class Weight>
  void find_all() {
    using Program = PageRank<Share, Weight>;
    Engine<Program> engine(context_.transport(), context_.executor(), local_,
                           {.damping = options_.damping,
                            .spread = options_.dangling == Dangling::spread,
                            .tolerance = options_.tolerance,
                            .teleport = options_.teleport});
    hand_over(engine);
    result_.outcome = run_engine(engine, run_, options_.on_round, [](const auto& round) {
      return std::optional(round.summaries.vertex().delta);
    });
    close();
    if (options_.run.staleness.bound > 0) engine.run_at_rest();  // how far off?
    result_.outcome.did = engine.local_report();
    take_ranks(engine, 1);
  }

  /// By need, then two rounds of all pages: one brings every page what the others' ranks are, one
  /// tells how much that still changes them.
  template <class Weight>
  void find_by_need() {
    using ByNeed = PageRankByNeed<Weight>;
    const double mine = std::accumulate(weights_.begin(), weights_.end(), 0.0);
    const double weights =
        result_.weighted ? all_sum(comm(), mine) : static_cast<double>(local_->edge_count);
    Engine<ByNeed> engine(
        context_.transport(), context_.executor(), local_,
        ByNeed(options_.damping, ByNeed::least_for(options_.tolerance, options_.damping, weights),
               options_.teleport));
    hand_over(engine);
    result_.outcome = run_engine(engine, run_, options_.on_round);
    result_.applied = all_sum(comm(), engine.local_counters().applies);
    close();
    engine.run_at_rest(2);
    double sum = 0;
    engine.template local_for_each<typename ByNeed::Vertex>(
        [&](VertexId, const auto& page) { sum += page.rank; });
    const double all = all_sum(comm(), sum);
    const double scale = options_.dangling == Dangling::spread && all > 0 ? 1 / all : 1;
    take_ranks(engine, scale);
  }

  const Context& context_;
  const PageRankOptions& options_;
  RunOptions run_;
  std::shared_ptr<const LocalGraph> local_;
  int weight_bytes_ = 0;         // of a link; 0: links count alike
  std::vector<double> weights_;  // of each master's links, where they have any
  PageRanks result_;
};

}  // namespace

void check_page_rank(const RunOptions& options) {
  if (options.order == Order::priority)
    Engine<PageRankByNeed<>>::check(options);
  else
    Engine<PageRank<>>::check(options);
}

PageRanks page_rank(const Context& context, const Graph& graph, const PageRankOptions& options) {
  together(context.transport(), [&] { check(graph, options); });
  return Ranking(context, graph, options).find();
}

bool page_rank_wide(const PageRankOptions& options) {
  return options.precision == Precision::twice || by_need(options) || !options.teleport.empty() ||
         (options.precision == Precision::automatic && options.tolerance > 0 &&
          options.tolerance < float_tolerance);
}

double page_rank_bytes(const PieceSizes& piece, const PageRankOptions& options) {
  const bool weighted = !options.unweighted && piece.value_bytes > 0;
  const bool wide = page_rank_wide(options);
  const auto bytes = [&]<class Weight>(Weight) {
    if (by_need(options)) return detail::engine_bytes(PageRankByNeed<Weight>(), piece);
    return wide ? detail::engine_bytes(PageRank<double, Weight>(), piece)
                : detail::engine_bytes(PageRank<float, Weight>(), piece);
  };
  const double engine = !weighted                                   ? bytes(NoType())
                        : wide && piece.value_bytes > sizeof(float) ? bytes(double())
                                                                    : bytes(float());
  const double weights = weighted ? piece.owner.locals() * sizeof(double) : 0;
  return engine + weights + detail::result_bytes(piece.owner, sizeof(double), piece.ranks);
}

}  // namespace gas
