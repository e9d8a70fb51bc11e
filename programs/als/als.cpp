#include "programs/als/als.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "gas/base/error.hpp"
#include "gas/map_reduce.hpp"
#include "programs/als/program.hpp"
#include "programs/calls/engine_bytes.hpp"
#include "programs/calls/run.hpp"

namespace gas {
namespace {

using Program = AlternatingLeastSquares;

void check(const Matrix& ratings, const AlsOptions& options) {
  check_als(options.run, options.alpha);
  if (options.rank == 0) throw UsageError("found rank 0, expected at least 1");
  if (!(options.lambda > 0 && std::isfinite(options.lambda)))
    throw UsageError("lambda must be a number above 0");
  if (options.alpha && !(*options.alpha >= 0 && std::isfinite(*options.alpha)))
    throw UsageError("alpha must be a number of at least 0");
  if (!std::isfinite(options.mean)) throw UsageError("mean must be a finite number");
  if (options.alpha && options.mean != 0)
    throw UsageError("alpha and mean exclude each other: implicit feedback has no mean rating");
  if (!(options.tolerance >= 0)) throw UsageError("tolerance must be a number of at least 0");
  if (!options.absent_items.empty() &&
      (!options.keep_items || options.absent_items.size() % options.rank != 0))
    throw UsageError("absent_items needs keep_items, and `rank` numbers for each item");
  if (options.items.empty() && !options.keep_items) return;
  if (options.items.size() != ratings.columns() * options.rank)
    throw UsageError(
        fmt::format("found {} numbers as initial items, expected {} for each of {} columns",
                    options.items.size(), options.rank, ratings.columns()));
}

std::shared_ptr<const LocalGraph> lay_out(const Context& context, const Matrix& ratings,
                                          std::uint64_t rank, bool implicit) {
  return ratings
      .laid_out(context, {.repeats = implicit ? Repeats::add : Repeats::keep,
                          .bytes_per_mirror = 4.0 * static_cast<double>(rank)})
      .graph;
}

AlsScore score_of(const Program& program, const auto& last, std::uint64_t ratings) {
  AlsScore score{program.objective(last), {}};
  if (ratings > 0 && !program.alpha)
    score.rmse = std::sqrt(last.parameter().error() / static_cast<double>(ratings));
  return score;
}

/// With alpha: checks the ratings, and gives the program Σ x xᵀ of the items to begin with.
void begin_implicit(const Context& context, const Matrix& ratings, Engine<Program>& engine,
                    std::span<const float> absent = {}) {
  if (!engine.program().alpha) return;
  double least = 0;
  engine.local_for_each_edge(
      [&](VertexId, VertexId, float rating) { least = std::min(least, double{rating}); });
  Communicator& comm = context.transport();
  least = -all_max(comm, -least);
  together(comm, [&] {
    if (least < 0)
      throw located_error(ratings.name(), 0, 0, fmt::format("a rating of {}", least),
                          "ratings of at least 0, as implicit feedback needs");
  });
  std::vector<double> square(NormalEquations::triangle(engine.program().rank), 0.0);
  engine.local_for_each_published<Program::Item>([&](VertexId, const RowView<const float> row) {
    NormalEquations::add_square(square.data(), row);
  });
  const std::size_t rank = engine.program().rank;
  for (; context.rank() == 0 && !absent.empty(); absent = absent.subspan(rank))
    NormalEquations::add_square(square.data(), absent.first(rank));
  engine.program().others =
      map_reduce(context, std::span(&square, 1), [](const auto& mine) { return mine; });
}

/// The rows of the users that are masters here, one after the other.
std::vector<float> rows_of_users(Engine<Program>& engine, const VertexLayout& layout) {
  std::vector<float> rows;
  rows.reserve(layout.masters() * engine.program().rank);
  engine.local_for_each_published<Program::User>(
      [&](VertexId, RowView<const float> row) { rows.insert(rows.end(), row.begin(), row.end()); });
  return rows;
}

}  // namespace

void check_als(const RunOptions& options, std::optional<double> alpha) {
  Engine<Program>::check(options);
  if (alpha && options.staleness.bound != 0)
    throw UsageError(
        "implicit feedback needs staleness 0: each row needs the sum over all rows of the other "
        "kind in the same round");
}

AlsFit als(const Context& context, const Matrix& ratings, const AlsOptions& options) {
  Communicator& comm = context.transport();
  together(comm, [&] { check(ratings, options); });
  const auto graph = lay_out(context, ratings, options.rank, options.alpha.has_value());
  Program program;
  program.rank = options.rank;
  program.lambda = options.lambda;
  program.weighted = options.weighted;
  program.alpha = options.alpha;
  program.mean = options.mean;
  program.seed = options.seed;
  program.tolerance = options.tolerance;
  program.solves_items = !options.keep_items;
  Engine<Program> engine(context.transport(), context.executor(), graph, program);
  if (!options.items.empty())
    engine.local_give<Program::Item>([&](VertexId item, RowView<float> out) {
      const float* const row = options.items.data() + item * options.rank;
      if (std::isnan(*row))
        program.draw(item, out);
      else
        std::copy_n(row, options.rank, out.begin());
    });
  begin_implicit(context, ratings, engine, options.absent_items);
  AlsFit fit;
  if (options.keep_items) {
    engine.run({.iterations = 1});
    fit.outcome.did = engine.local_report();
  } else {
    const RunOptions run =
        with_settings(options.run, {{"rank", std::to_string(options.rank)},
                                    {"lambda", setting(options.lambda)},
                                    {"weighted", options.weighted ? "yes" : "no"},
                                    {"alpha", options.alpha ? setting(*options.alpha) : "none"},
                                    {"mean subtracted", options.mean != 0 ? "yes" : "no"},
                                    {"draws of seed", std::to_string(options.seed)}});
    fit.outcome = run_engine(engine, run, options.on_round, [&](const auto& round) {
      return std::optional(program.objective(round.summaries));
    });
  }
  fit.model = {options.rank,
               options.lambda,
               options.weighted,
               options.alpha,
               options.mean,
               to_blocks(comm, graph->owner, rows_of_users(engine, graph->owner), options.rank,
                         ratings.shares(context)),
               whole(comm, engine.published_by_id<Program::Item>())};
  const bool told =
      options.keep_items || (fit.outcome.rounds > 0 && options.run.staleness.bound == 0);
  if (!told && options.measure) engine.run_at_rest();
  if (told || options.measure) fit.score = score_of(program, engine.last(), graph->edge_count);
  return fit;
}

AlsScore AlsModel::measure(const Context& context, const Matrix& ratings) const {
  const std::size_t mine = ratings.shares(context).count(context.rank());
  together(context.transport(), [&] {
    if (rank == 0) throw UsageError("measure: found a model of rows of 0 numbers");
    if (users.size() != mine * rank || items.size() < ratings.columns() * rank)
      throw UsageError(fmt::format(
          "measure: found rows of {} users and {} items, expected {} of the users that this rank "
          "gives and of at least {} items",
          users.size() / rank, items.size() / rank, mine, ratings.columns()));
  });
  const auto graph = lay_out(context, ratings, rank, alpha.has_value());
  Program program;
  program.rank = rank;
  program.lambda = lambda;
  program.weighted = weighted;
  program.alpha = alpha;
  program.mean = mean;
  const RowShares& shares = ratings.shares(context);
  std::vector<std::vector<float>> at(rank);  // by number, of the masters
  for (std::size_t k = 0; k < rank; ++k) {
    std::vector<float> numbers(shares.count(context.rank()));
    for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = users[i * rank + k];
    at[k] = to_masters(context.transport(), graph->owner, std::span<const float>(numbers), shares);
  }
  Engine<Program> engine(context.transport(), context.executor(), graph, program);
  std::size_t next = 0;
  engine.local_give<Program::User>([&](VertexId, RowView<float> out) {
    for (std::size_t k = 0; k < rank; ++k) out[k] = at[k][next];
    ++next;
  });
  engine.local_give<Program::Item>([&](VertexId item, RowView<float> out) {
    std::copy_n(items.data() + item * rank, rank, out.begin());
  });
  begin_implicit(context, ratings, engine);
  engine.run_at_rest();
  return score_of(program, engine.last(), graph->edge_count);
}

AlsModel AlsModel::fold_in(const Context& context, const Matrix& ratings) const {
  return als(context, ratings,
             {.rank = rank,
              .lambda = lambda,
              .weighted = weighted,
              .alpha = alpha,
              .mean = mean,
              .items = items,
              .keep_items = true})
      .model;
}

double AlsModel::predict(std::uint64_t user, std::uint64_t item) const {
  const auto require_below = [&](const char* what, std::uint64_t number, std::size_t numbers) {
    const std::size_t rows = rank == 0 ? 0 : numbers / rank;
    if (number >= rows)
      throw UsageError(
          fmt::format("predict: found {} {}, expected a number below {}", what, number, rows));
  };
  require_below("user", user, users.size());
  require_below("item", item, items.size());
  double rating = mean;
  for (std::size_t k = 0; k < rank; ++k)
    rating +=
        static_cast<double>(users[user * rank + k]) * static_cast<double>(items[item * rank + k]);
  return rating;
}

double mean_rating(const Context& context, const Matrix& ratings) {
  const auto graph = lay_out(context, ratings, 1, false);
  double sum = 0;
  for (std::size_t i = 0; i < graph->values.size(); ++i) sum += double{graph->values.data()[i]};
  for (std::size_t i = 0; i < graph->wide_values.size(); ++i) sum += graph->wide_values.data()[i];
  const std::uint64_t valued = graph->values.size() + graph->wide_values.size();
  sum = all_sum(context.transport(), sum);
  if (all_sum(context.transport(), valued) == 0) return graph->edge_count > 0 ? 1 : 0;
  return double{static_cast<float>(sum / static_cast<double>(graph->edge_count))};
}

double als_bytes(const PieceSizes& piece, std::uint64_t rank) {
  Program program;
  program.rank = rank;
  const double row = static_cast<double>(rank) * sizeof(float);
  // Users by block of ids; items of all ranks on each.
  return detail::engine_bytes(program, piece) +
         detail::result_bytes(piece.owner, row, piece.ranks) +
         detail::result_bytes(piece.parameter, row, piece.ranks) + piece.parameter.count * row;
}

}  // namespace gas
