#include "programs/calls/matrix.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "gas/base/alike.hpp"
#include "gas/base/error.hpp"
#include "gas/base/page_array.hpp"
#include "gas/graph/columns.hpp"
#include "programs/calls/whole_rows.hpp"

namespace gas {

struct Matrix::State {
  EdgeList edges;
  std::optional<detail::WholeRows> rows;  // instead of them: of rows on one rank that ascend
  GraphShape shape;
  MatrixOptions options;
  std::optional<RowShares> shares;
  loaders::RowIds row_ids, column_ids;
  std::vector<double> labels;
  std::string name = "the matrix";
  MatrixLayout layout;  // the last, if there is a graph
  MatrixUse use;        // that it was asked for
  bool came_laid_out = false;
  int ranks = 0;  // that hold the entries

  bool lay_out_rows(const MatrixUse& wanted, unsigned threads);
  EdgeList all_edges() const;
};

/// Rows on one rank become a graph as they are, if each column is to be a vertex. Then sets
/// `layout` and `use`.
bool Matrix::State::lay_out_rows(const MatrixUse& wanted, unsigned threads) {
  if (!rows || wanted.repeats == Repeats::expand) return false;
  if (rows->columns.size() + (wanted.ones ? shape.sources : 0) >= max_vertices) return false;
  auto degree = count_each(rows->columns, shape.targets, threads);
  if (wanted.occurring && std::ranges::find(degree, 0U) != degree.end()) return false;
  if (wanted.ones) degree.push_back(static_cast<std::uint32_t>(shape.sources));
  layout = {};  // its memory is free before more is needed
  detail::WholeRows laid =
      wanted.ones ? detail::with_ones(*rows, to_vertex_id(shape.targets), threads) : *rows;
  layout = {detail::graph_of_rows(std::move(laid), std::move(degree)), shape.targets, {}};
  use = wanted;
  return true;
}

EdgeList Matrix::State::all_edges() const {
  if (!rows) return edges;
  EdgeList list{{}, rows->columns.copy(), rows->values.copy()};
  list.source.reserve(rows->columns.size());
  for (std::size_t row = 0; row + 1 < rows->offsets.size(); ++row)
    list.source.resize(rows->offsets[row + 1], to_vertex_id(row));
  return list;
}

namespace {

std::string too_many(const char* kind, std::uint64_t found, std::uint64_t most) {
  return most > 0 && found > most
             ? fmt::format("found {} {}, expected ids below {}", kind, found - 1, most)
             : "";
}

/// Entries are floats. Returns what is wrong.
std::string narrow(EdgeList& edges) {
  for (const double value : edges.wide_value) {
    edges.value.push_back(static_cast<float>(value));
    if (std::isinf(edges.value.back())) return detail::too_large(value);
  }
  release(edges.wide_value);
  return "";
}

}  // namespace

Matrix::Matrix(const Context& context, detail::GivenEdges mine, const MatrixOptions& options,
               bool by_rows)
    : state_(std::make_shared<State>()) {
  Communicator& comm = context.transport();
  state_->ranks = comm.size();
  std::vector<std::uint64_t> first = detail::join(comm, mine);
  const std::string problems[] = {narrow(mine.edges), too_many("row", mine.sources, options.rows),
                                  too_many("column", mine.targets, options.columns)};
  for (const std::string& problem : problems)
    if (mine.problem.empty()) mine.problem = problem;
  if (mine.problem.empty() && by_rows && options.rows > 0 && options.rows != first.back())
    mine.problem = fmt::format("found {} rows, expected {}", first.back(), options.rows);
  detail::check(comm, mine.problem);
  const std::uint64_t rows = all_max(comm, mine.sources), columns = all_max(comm, mine.targets);
  state_->shape = {options.rows > 0 ? options.rows : rows,
                   options.columns > 0 ? options.columns : columns, true};
  state_->edges = std::move(mine.edges);
  state_->rows = std::move(mine.whole);
  state_->options = options;
  if (by_rows) state_->shares.emplace(std::move(first));
  state_->row_ids = loaders::RowIds(state_->shape.sources, 0);
  state_->column_ids = loaders::RowIds(state_->shape.targets, 0);
}

Matrix::Matrix(std::shared_ptr<const LocalGraph> laid_out, std::string name)
    : state_(std::make_shared<State>()) {
  state_->shape = {laid_out->owner.count, laid_out->parameter.count, true};
  state_->layout.graph = std::move(laid_out);
  state_->came_laid_out = true;
  state_->name = std::move(name);
}

Matrix Matrix::from_loaded(const Context& context, loaders::LoadedGraph loaded,
                           const MatrixOptions& options, std::string name) {
  detail::check(context.transport(),
                loaded.shape.bipartite
                    ? narrow(loaded.edges)
                    : name + ": found a graph of one kind of vertices, expected rows and columns");
  auto state = std::make_shared<State>();
  state->ranks = context.ranks();
  state->edges = std::move(loaded.edges);
  state->shape = loaded.shape;
  state->options = options;
  state->row_ids = std::move(loaded.source_ids);
  state->column_ids = std::move(loaded.target_ids);
  state->labels = std::move(loaded.labels);
  state->name = std::move(name);
  return Matrix(std::move(state));
}

Matrix Matrix::load(const Context& context, const std::string& path, const MatrixOptions& options,
                    loaders::GraphOptions how) {
  how.bipartite = true;
  how.threads = context.threads();
  return from_loaded(context, loaders::load_graph(context.transport(), path, how), options, path);
}

std::uint64_t Matrix::rows() const { return state_->shape.sources; }
std::uint64_t Matrix::columns() const { return state_->shape.targets; }
const RowShares& Matrix::shares(const Context& context) const {
  if (!state_->came_laid_out && state_->ranks != context.ranks())
    detail::check_ranks(context.transport(), state_->ranks, "matrix");
  if (!state_->shares) state_->shares.emplace(BlockDistribution{rows(), context.ranks()});
  return *state_->shares;
}
const std::string& Matrix::name() const { return state_->name; }
const loaders::RowIds& Matrix::row_ids() const { return state_->row_ids; }
const loaders::RowIds& Matrix::column_ids() const { return state_->column_ids; }
const std::vector<double>& Matrix::labels() const { return state_->labels; }

MatrixLayout Matrix::laid_out(const Context& context, const MatrixUse& use) const {
  State& state = *state_;
  if (state.came_laid_out) {
    MatrixLayout layout = state.layout;
    layout.columns = columns() - (use.ones ? 1 : 0);
    return layout;
  }
  detail::check_ranks(context.transport(), state.ranks, "matrix");
  check_alike(context.transport(), {{"rows of the matrix", std::to_string(state.shape.sources)},
                                    {"columns of the matrix", std::to_string(state.shape.targets)},
                                    {"partition", state.options.partition},
                                    {"rounds", fmt::format("{}", state.options.rounds)},
                                    {"seed", std::to_string(state.options.seed)},
                                    {"a column of ones", fmt::format("{}", use.ones)},
                                    {"columns that occur", fmt::format("{}", use.occurring)},
                                    {"cuts", name_of(use.cuts, {"any", "whole", "shuffled"})},
                                    {"repeats", name_of(use.repeats, {"keep", "add", "expand"})}});
  MatrixUse kept = state.use;
  if (use.cuts == Cuts::any) kept.cuts = Cuts::any;  // then any cut will do
  if (state.layout.graph && kept == use) return state.layout;
  Communicator& comm = context.transport();
  if (state.lay_out_rows(use, context.threads())) return state.layout;
  EdgeList edges = state.all_edges();
  if (use.repeats == Repeats::expand) check_counts(comm, edges, state.name);
  GraphShape shape = state.shape;
  state.layout = {nullptr, shape.targets, {}};
  state.use = use;
  if (use.occurring)
    state.layout.occurring = keep_occurring(comm, shape, edges, nullptr, context.threads());
  Partition parts = detail::cut(comm, edges, shape,
                                {.method = state.options.partition,
                                 .seed = state.options.seed,
                                 .rounds = state.options.rounds,
                                 .bytes_per_mirror = use.bytes_per_mirror,
                                 .edge_cuts_only = use.cuts != Cuts::any,
                                 .shuffled = use.cuts == Cuts::shuffled});
  if (use.ones) add_ones(comm, shape, edges, parts);
  state.layout.graph = std::make_shared<const LocalGraph>(
      build_graph(comm, shape, std::move(edges), std::move(parts), use.repeats, context.threads()));
  return state.layout;
}

void check_counts(Communicator& comm, const EdgeList& edges, const std::string& name) {
  together(comm, [&] {
    for (const float count : edges.value)
      if (!(count >= 0 && count <= float{loaders::largest_count} && count == std::floor(count)))
        throw located_error(name, 0, 0, fmt::format("{}", count),
                            "numbers of occurrences, whole and at most 16777215");
  });
}

namespace detail {

std::string miscounted(std::size_t found, std::uint64_t examples, std::string_view what) {
  if (found == examples) return "";
  return fmt::format("found {} {} for {} examples, expected one per example", found, what,
                     examples);
}

std::string not_finite(std::span<const double> values, std::string_view what,
                       std::string_view where) {
  if (std::ranges::all_of(values, [](double value) { return std::isfinite(value); })) return "";
  return fmt::format("{}found a {} that is not finite, expected numbers", where, what);
}

void check_values(const Context& context, const Matrix& examples, std::span<const double> given,
                  const std::string& what) {
  const std::uint64_t expected = examples.shares(context).count(context.rank());
  const std::string wrong = miscounted(given.size(), expected, what + "s");
  check(context.transport(),
        wrong.empty() ? not_finite(given, what, examples.name() + ": ") : wrong);
}

}  // namespace detail

}  // namespace gas
