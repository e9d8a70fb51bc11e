#include "programs/logistic_regression/proximal/proximal_steps.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "programs/logistic_regression/log_product.hpp"

namespace gas {
namespace {

constexpr std::size_t piece = 4096;  // rows or columns that a task takes
constexpr double inside = 0.9;       // weights at zero with a slope below it stay there in a step
constexpr double near = 0.1;         // a bound is looked for where a step gains this much of a gap
constexpr double least_share = 1e-200;  // of a weight's bend, from which on a rank models it
constexpr double steep = 4;  // slopes from which on the model of a step need not be met well

/// Adds h x xᵀ of rows that lie in `columns`, which are rows `place` of the matrix, to it.
void add_products(const Columns& columns, std::span<const std::uint32_t> place, std::size_t chosen,
                  std::span<const ModelRow> rows, std::span<double> matrix) {
  constexpr auto nowhere = ~std::uint32_t{0};
  struct Entry {
    std::uint32_t at;
    double x;
  };
  std::vector<EdgeOffset> offsets(rows.size() + 1, 0);
  const auto for_each = [&](auto use) {
    for (std::size_t j = 0; j < columns.count(); ++j)
      if (place[j] != nowhere)
        for (EdgeOffset e = columns.offsets[j]; e < columns.offsets[j + 1]; ++e)
          use(columns.rows[e], Entry{place[j], double{columns.values[e]}});
  };
  for_each([&](std::uint32_t row, const Entry&) { ++offsets[row + 1]; });
  for (std::size_t i = 1; i < offsets.size(); ++i) offsets[i] += offsets[i - 1];
  std::vector<Entry> entries(offsets.back());
  std::vector<EdgeOffset> next(offsets.begin(), offsets.end() - 1);
  for_each([&](std::uint32_t row, const Entry& entry) { entries[next[row]++] = entry; });
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (EdgeOffset a = offsets[i]; a < offsets[i + 1]; ++a) {
      const double scaled = rows[i].bend * entries[a].x;
      double* const row = matrix.data() + entries[a].at * chosen;
      for (EdgeOffset b = offsets[i]; b < offsets[i + 1]; ++b)
        row[entries[b].at] += scaled * entries[b].x;
    }
}

}  // namespace

ProximalSteps::ProximalSteps(Communicator& comm, Executor& executor, const GroupCosts& costs,
                             Columns columns, std::vector<VertexId> ids,
                             std::vector<std::uint8_t> groups, std::size_t count, Penalty penalty,
                             const Filters& filters)
    : weights(count),
      margins(groups.size()),
      comm_(comm),
      executor_(executor),
      kink_(penalty == Penalty::l1 ? 1 : 0),
      ridge_(penalty == Penalty::l2 ? 1 : 0),
      sums_(comm, penalty == Penalty::l1 ? filters : Filters{.kkt = false}),
      costs_(costs),
      groups_(std::move(groups)),
      columns_(std::move(columns)),
      ids_(std::move(ids)),
      bends_(margins.size()),
      rows_(margins.size()),
      along_(margins.size()),
      mine_(ids_.size()),
      told_(ids_.size()),
      slopes_(count),
      direction_(count),
      largest_(count),
      entries_(count),
      room_(count, inside / comm.size()),
      examples_(static_cast<double>(margins.size())) {
  for (std::size_t j = 0; j < ids_.size(); ++j) {
    entries_[ids_[j]] = columns_.entries(j);
    for (EdgeOffset e = columns_.offsets[j]; e < columns_.offsets[j + 1]; ++e)
      largest_[ids_[j]] = std::max(largest_[ids_[j]], std::abs(double{columns_.values[e]}));
  }
  add_up({&examples_, 1});
  examples_ = std::max(1.0, examples_ / comm_.size());
  add_up(entries_);
  add_up(largest_);  // of ranks: not less than the largest, and not too much more
}

void ProximalSteps::step(ProximalState& state, double loss, double met, double tolerance) {
  between_collectives(comm_, [&] { step_together(state, loss, met, tolerance); });
}

void ProximalSteps::step_together(ProximalState& state, double loss, double met, double tolerance) {
  const double penalty = penalty_at(0);
  const ProximalState before = state;
  state.still = false;
  state.objective = loss + penalty;
  find_slopes();
  cramped_ = moved_ = false;
  state.bound = std::max(state.bound, bound_before(state.objective, penalty, met, tolerance));
  if (state.gap() <= tolerance) return;
  std::vector<std::size_t> chosen;
  double entries = 0;
  for (std::size_t id = 0; id < weights.size(); ++id)
    if (may_move(id)) {
      chosen.push_back(id);
      entries += entries_[id];
    }
  entries /= comm_.size();
  const double room = static_cast<double>(chosen.size()) * static_cast<double>(chosen.size());
  const bool fits = room <= 2 * entries + 0x1p16;
  // To make the matrix takes as long as this many entries that descent touches.
  const double products = entries * entries / examples_;
  if (state.dense && fits) {
    descend_together(state, chosen, 64 * (products + room));
  } else {
    descend_here(state, fits ? std::max(8 * entries, products) : 100 * entries);
  }
  let_go();
  const double fall = search(state);
  if (fall > 0 && fall <= near * tolerance * state.objective)
    state.bound = std::max(state.bound, bound_after());
  state.still = !moved_ && state.bound == before.bound && state.damping == before.damping &&
                state.reach == before.reach && state.dense == before.dense;
}

/// On all ranks.
bool ProximalSteps::may_move(std::size_t id) const {
  const Slope& slope = slopes_[id];
  if (!(slope.bend > 0)) return ridge_ > 0 && slope.gradient + slope_of_penalty(id) != 0;
  return weights[id] != 0 || std::abs(slope.gradient) >= inside * kink_;
}

/// Of a column in which no example counts, L1 leaves nothing.
void ProximalSteps::let_go() {
  for (std::size_t id = 0; kink_ > 0 && id < weights.size(); ++id)
    if (weights[id] != 0 && slopes_[id].bend == 0 && slopes_[id].gradient == 0)
      direction_[id] = -weights[id];
}

void ProximalSteps::find_slopes() {
  in_pieces(bends_.size(), [&](std::size_t i) {
    const double odds = std::exp(-std::abs(margins[i])), rare = odds / (1 + odds);
    const double miss = margins[i] > 0 ? rare : 1 - rare, cost = costs_[groups_[i]];
    bends_[i] = {-cost * miss, cost * rare * (1 - rare)};
  });
  in_pieces(mine_.size(), [&](std::size_t j) {
    Slope sum;
    for (EdgeOffset e = columns_.offsets[j]; e < columns_.offsets[j + 1]; ++e) {
      const double x = columns_.values[e];
      const Slope& of_row = bends_[columns_.rows[e]];
      sum.gradient += x * of_row.gradient;
      sum.bend += x * x * of_row.bend;
    }
    mine_[j] = sum;
  });
  std::ranges::fill(slopes_, Slope{});
  for (std::size_t j = 0; j < ids_.size(); ++j) slopes_[ids_[j]] = mine_[j];
  add_up_slopes();
}

/// Which weights' slopes are to be added up: not those of weights that are zero if they are inside
/// still: by no more than a rank's share of the room that was left has each rank's part,
/// gradient(j) of its columns, changed since the ranks added it up last.
template <class Gradient>
FilteredSums::Flags ProximalSteps::to_add_up(Gradient gradient) {
  FilteredSums::Flags active(weights.size(), 1);
  if (!sums_.filters().kkt) return active;
  for (std::size_t id = 0; id < weights.size(); ++id)
    active[id] = weights[id] != 0 || room_[id] <= 0 ? 1 : 0;
  for (std::size_t j = 0; j < ids_.size(); ++j)
    if (std::abs(gradient(j) - told_[j]) >= room_[ids_[j]]) active[ids_[j]] = 1;
  return sums_.any(active);
}

void ProximalSteps::add_up_slopes() {
  if (comm_.size() == 1) return;
  const FilteredSums::Flags active = to_add_up([&](std::size_t j) { return mine_[j].gradient; });
  sums_.add_up({&slopes_.data()->gradient, 2 * slopes_.size()}, 2, active);
  if (!sums_.filters().kkt) return;
  for (std::size_t id = 0; id < weights.size(); ++id)
    if (active[id] != 0) room_[id] = (inside - std::abs(slopes_[id].gradient)) / comm_.size();
  for (std::size_t j = 0; j < ids_.size(); ++j)
    if (active[ids_[j]] != 0) told_[j] = mine_[j].gradient;
}

/// Of α = C a, a = σ(−m): as Σ C entropy(a) = loss + met, and the entropy is concave with slope m
/// at a, no scaled one is above loss + scale · met. 0 if that is too little for the tolerance.
double ProximalSteps::bound_before(double objective, double penalty, double met, double tolerance) {
  if (ridge_ > 0) return objective - ridge_gap();
  const double steepest = std::max(1.0, this->steepest());
  if (penalty - met / steepest > tolerance * objective) return 0;
  return dual_at([&](std::size_t i) { return -bends_[i].gradient; }, steepest);
}

/// P − D at that α: as Σ C entropy(a) = loss + met and −met = w·g, it is ½‖w + g‖².
double ProximalSteps::ridge_gap() const {
  double squares = 0;
  for (std::size_t id = 0; id < weights.size(); ++id) {
    const double slope = slopes_[id].gradient + slope_of_penalty(id);
    squares += slope * slope;
  }
  return squares / 2;
}

double ProximalSteps::steepest() const {
  double steepest = 0;
  for (const Slope& slope : slopes_) steepest = std::max(steepest, std::abs(slope.gradient));
  return steepest;
}

/// Of α = C σ(−m) − C σ' y d·x, d a whole step; afterwards along_ has α, and direction_ Xᵀα.
double ProximalSteps::bound_after() {
  in_pieces(along_.size(), [&](std::size_t i) {
    const Slope& bend = bends_[i];
    along_[i] = std::clamp(-bend.gradient - bend.bend * along_[i], 0.0, costs_[groups_[i]]);
  });
  std::ranges::fill(direction_, 0.0);
  in_pieces(ids_.size(), [&](std::size_t j) {
    double sum = 0;
    for (EdgeOffset e = columns_.offsets[j]; e < columns_.offsets[j + 1]; ++e)
      sum += double{columns_.values[e]} * along_[columns_.rows[e]];
    direction_[ids_[j]] = sum;
  });
  if (comm_.size() > 1)
    sums_.add_up(direction_, 1, to_add_up([&](std::size_t j) { return -direction_[ids_[j]]; }));
  double steepest = 1, squares = 0;
  for (const double slope : direction_) {
    steepest = std::max(steepest, kink_ * std::abs(slope));
    squares += slope * slope;
  }
  return dual_at([&](std::size_t i) { return along_[i]; }, steepest) - ridge_ * squares / 2;
}

/// The dual objective at α / steepest.
template <class Alpha>
double ProximalSteps::dual_at(Alpha alpha, double steepest) {
  return sum_over_rows([&](std::size_t i) {
    const double cost = costs_[groups_[i]];
    const double a = cost > 0 ? alpha(i) / cost / steepest : 0;
    return a > 0 && a < 1 ? cost * (-a * std::log(a) - (1 - a) * std::log1p(-a)) : 0;
  });
}

void ProximalSteps::descend_here(const ProximalState& state, double budget) {
  const bool alone = comm_.size() == 1;
  const double damping = alone ? 1 : state.damping;
  std::vector<ModelWeight> model;
  for (std::size_t j = 0; j < ids_.size(); ++j) {
    const VertexId id = ids_[j];
    if (!may_move(id) || !(mine_[j].bend > least_share * slopes_[id].bend)) continue;
    const Slope& all = slopes_[id];
    model.push_back({.w = weights[id],
                     .gradient = all.gradient + slope_of_penalty(id),
                     .bend = damping * all.bend + ridge_,
                     .reach = state.reach / largest_[id],
                     .kink = kink_,
                     .scale = alone ? 1 : std::sqrt(all.bend / mine_[j].bend),
                     .more = (damping - 1) * all.bend + ridge_,
                     .column = static_cast<std::uint32_t>(j)});
  }
  for (std::size_t i = 0; i < rows_.size(); ++i) rows_[i] = {bends_[i].bend, 0};
  together_ = false;
  const double share = steepest() < steep || ridge_ > 0 ? 0.1 : 0.5;
  unfinished_ =
      !descend(columns_, rows_, model, {.share = share, .most = budget, .stretch = alone}).enough;
  std::ranges::fill(direction_, 0.0);
  for (const ModelWeight& weight : model) {
    const VertexId id = ids_[weight.column];
    cramped_ = cramped_ || std::abs(weight.d) >= weight.reach;
    direction_[id] = alone ? weight.d : weight.d * (mine_[weight.column].bend / slopes_[id].bend);
  }
  if (!alone) add_up_direction(model);
  for (std::size_t id = 0; ridge_ > 0 && id < weights.size(); ++id)  // bent by the penalty alone
    if (!(slopes_[id].bend > 0) && may_move(id)) {
      const double reach = state.reach / largest_[id];
      direction_[id] =
          std::clamp(-(slopes_[id].gradient + slope_of_penalty(id)) / ridge_, -reach, reach);
      cramped_ = cramped_ || std::abs(direction_[id]) >= reach;
    }
  for (std::size_t id = 0; !alone && id < weights.size(); ++id)  // what all ranks set to zero
    if (std::abs(weights[id] + direction_[id]) <= 1e-13 * std::abs(weights[id]))
      direction_[id] = -weights[id];
}

void ProximalSteps::add_up_direction(const std::vector<ModelWeight>& model) {
  FilteredSums::Flags active(weights.size(), 1), significant;
  for (std::size_t id = 0; sums_.filters().kkt && id < weights.size(); ++id)
    active[id] = may_move(id) ? 1 : 0;
  if (sums_.filters().significance) {
    const auto gain = [](const ModelWeight& weight) { return weight.bend * weight.d * weight.d; };
    double gains = 0;
    for (const ModelWeight& weight : model) gains += gain(weight);
    const double least = 0.01 * gains / static_cast<double>(std::max<std::size_t>(1, model.size()));
    significant.resize(weights.size());
    for (const ModelWeight& weight : model)
      if (weight.d != 0 && (weight.at() == 0 || gain(weight) >= least))
        significant[ids_[weight.column]] = 1;
  }
  sums_.add_up(direction_, 1, active, significant);
}

void ProximalSteps::descend_together(const ProximalState& state,
                                     const std::vector<std::size_t>& chosen, double budget) {
  const std::size_t n = chosen.size();
  std::vector<double> matrix;
  together(comm_, [&] { matrix.resize(n * n); });
  std::vector<std::uint32_t> place(ids_.size(), ~std::uint32_t{0});
  for (std::size_t j = 0; j < ids_.size(); ++j) {
    const auto at = std::ranges::lower_bound(chosen, ids_[j]);
    if (at != chosen.end() && *at == ids_[j])
      place[j] = static_cast<std::uint32_t>(at - chosen.begin());
  }
  for (std::size_t i = 0; i < rows_.size(); ++i) rows_[i] = {bends_[i].bend, 0};
  add_products(columns_, place, n, rows_, matrix);
  add_up(matrix);
  for (std::size_t k = 0; k < n; ++k) matrix[k * n + k] += ridge_;
  std::vector<ModelWeight> model;
  for (std::size_t k = 0; k < n; ++k)
    model.push_back({.w = weights[chosen[k]],
                     .gradient = slopes_[chosen[k]].gradient + slope_of_penalty(chosen[k]),
                     .bend = matrix[k * n + k],
                     .reach = state.reach / largest_[chosen[k]],
                     .kink = kink_,
                     .column = static_cast<std::uint32_t>(k)});
  descend(matrix, model, {.share = 1e-3, .most = budget, .look_again = true});
  unfinished_ = false;
  together_ = true;
  std::ranges::fill(direction_, 0.0);
  for (const ModelWeight& weight : model) {
    direction_[chosen[weight.column]] = weight.d;
    cramped_ = cramped_ || std::abs(weight.d) >= weight.reach;
  }
}

/// Goes along the direction, all of it or less, until the objective is enough below. How much that
/// is after a whole step, else 0.
double ProximalSteps::search(ProximalState& state) {
  double fall = 0, squares = 0;
  for (std::size_t id = 0; id < weights.size(); ++id) {
    const double w = weights[id], d = direction_[id];
    squares += d * d;
    const bool same_side =
        w * (w + d) > 0;  // then the difference of their sizes is free of rounding
    const double larger = same_side ? std::copysign(d, w * d) : std::abs(w + d) - std::abs(w);
    fall += (slopes_[id].gradient + slope_of_penalty(id)) * d + kink_ * larger;
  }
  find_along();
  // d·Hd; how many ranks did not finish, and went as far as they may
  double told[3] = {0, unfinished_ ? 1.0 : 0.0, cramped_ ? 1.0 : 0.0};
  for (std::size_t i = 0; i < along_.size(); ++i) told[0] += bends_[i].bend * along_[i] * along_[i];
  add_up(told);
  told[0] += ridge_ * squares;
  double length = 1;
  if (comm_.size() > 1 && !together_) {
    const double best = fall < 0 ? -fall / told[0] : 0;
    if (best < 0.85) length = std::max(best, 0.01);
    if (best < 0.9) state.damping = std::min(state.damping * std::min(1 / best, 4.0), 1e6);
    if (best > 1.2) state.damping = std::max(1.0, state.damping * 0.8);
  }
  if (told[1] > 0) state.dense = true;
  if (!(fall < 0)) return 0;
  for (int tries = 0; tries < 40; ++tries, length /= 2) {
    const double now = loss_at(length) + penalty_at(length);
    if (!(now <= state.objective * (1 + 1e-13) + 0.01 * length * fall)) continue;
    const double gain = length == 1 ? state.objective - now : 0;
    state.objective = now;
    if (tries > 0) state.reach = std::max(state.reach / 4, 1.0);
    if (tries == 0 && told[2] > 0) state.reach *= 4;
    for (std::size_t id = 0; id < weights.size(); ++id) {
      const double to = weights[id] + length * direction_[id];
      moved_ = moved_ || to != weights[id];
      weights[id] = to;
    }
    return gain;
  }
  return 0;
}

/// y d·x of the examples: what descent on their rows has left, if it went to the direction itself.
void ProximalSteps::find_along() {
  constexpr double least = 1e-290;  // of a bend that division by gives as many digits
  if (comm_.size() == 1 && !together_ &&
      std::ranges::all_of(rows_, [](const ModelRow& row) { return row.bend > least; })) {
    for (std::size_t i = 0; i < rows_.size(); ++i) along_[i] = rows_[i].moved / rows_[i].bend;
    return;
  }
  std::ranges::fill(along_, 0.0);
  for (std::size_t j = 0; j < ids_.size(); ++j)
    if (const double d = direction_[ids_[j]]; d != 0)
      for (EdgeOffset e = columns_.offsets[j]; e < columns_.offsets[j + 1]; ++e)
        along_[columns_.rows[e]] += d * double{columns_.values[e]};
}

double ProximalSteps::penalty_at(double length) const {
  double sum = 0;
  for (std::size_t id = 0; id < weights.size(); ++id) {
    const double w = weights[id] + length * direction_[id];
    sum += kink_ * std::abs(w) + ridge_ / 2 * w * w;
  }
  return sum;
}

double ProximalSteps::loss_at(double length) {
  GroupLosses losses;
  for (std::size_t i = 0; i < margins.size(); ++i) {
    const double margin = margins[i] + length * along_[i];
    losses.of[groups_[i]].add(margin, std::exp(-std::abs(margin)));
  }
  double sum = losses.cost(costs_);
  add_up({&sum, 1});
  return sum;
}

/// Adds up over the ranks, in rank order.
void ProximalSteps::add_up(std::span<double> numbers) {
  if (comm_.size() == 1) return;
  const BlockDistribution blocks{numbers.size(), comm_.size()};
  std::vector<std::vector<double>> out;
  for (int rank = 0; rank < comm_.size(); ++rank) {
    const auto block = numbers.subspan(blocks.first(rank), blocks.count(rank));
    out.emplace_back(block.begin(), block.end());
  }
  const auto in = all_to_all(comm_, std::move(out));
  std::vector<double> sum = in[0];
  for (std::size_t rank = 1; rank < in.size(); ++rank)
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += in[rank][i];
  std::ranges::copy(whole(comm_, sum), numbers.begin());
}

/// body(i) for all i < count, by all threads.
template <class Body>
void ProximalSteps::in_pieces(std::size_t count, Body body) {
  executor_.run((count + piece - 1) / piece,
                [&](std::size_t task, std::size_t) {
                  const std::size_t last = std::min(count, (task + 1) * piece);
                  for (std::size_t i = task * piece; i < last; ++i) body(i);
                },
                [] {});
}

/// Of the examples of all ranks; the order of adding does not depend on the threads.
template <class Value>
double ProximalSteps::sum_over_rows(Value value) {
  std::vector<double> sums((margins.size() + piece - 1) / piece);
  in_pieces(margins.size(), [&](std::size_t i) { sums[i / piece] += value(i); });
  double sum = 0;
  for (const double part : sums) sum += part;
  add_up({&sum, 1});
  return sum;
}

}  // namespace gas
