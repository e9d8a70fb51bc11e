#include "programs/lasso/descent.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <optional>
#include <tuple>
#include <utility>

#include "gas/base/error.hpp"

namespace gas {
namespace {

constexpr std::size_t piece = 64;  // columns of a task
// When a pass ends: by the entries that its rounds have touched, per entry, and by how far the
// level of priority has fallen.
constexpr double most_work = 8, least_work = 4;
constexpr double small_change = 0.1;   // enough, after least_work
constexpr double tiny_change = 0.001;  // enough at once

/// Mean and squares about it; of a column that is constant 0. (Floats that differ at all have more
/// squares than the rounding of doubles.)
std::pair<double, double> moments(std::span<const float> values, double rows, bool centred) {
  double sum = 0, square = 0;
  for (const float x : values) sum += double{x}, square += double{x} * double{x};
  if (!centred) return {0, square};
  const double mean = sum / rows;
  double beyond = 0, about = 0;
  for (const float x : values) {
    const double by = double{x} - mean;
    beyond += by, about += by * by;
  }
  const double zeros = rows - static_cast<double>(values.size());
  beyond -= zeros * mean, about += zeros * mean * mean;
  about -= beyond * beyond / rows;  // that the mean is rounded
  return {mean, about > 1e-26 * rows * mean * mean ? about : 0};
}

}  // namespace

ScheduledDescent::ScheduledDescent(Communicator& comm, Executor& executor, const DescentPlan& plan,
                                   Columns columns, std::size_t first, std::size_t count,
                                   std::size_t rows)
    : weights(count),
      comm_(comm),
      executor_(executor),
      plan_(plan),
      checks_(comm.size() > 1 && plan.correlation < 1),
      columns_(std::move(columns)),
      first_(first),
      means_(columns_.count()),
      squares_(columns_.count()),
      slopes_(columns_.count()),
      changes_(columns_.count()),
      residual_(rows),
      entries_(all_sum(comm, static_cast<double>(columns_.rows.size()))),
      queue_(plan.schedule, plan.seed + static_cast<std::uint64_t>(comm.rank())),
      taken_(checks_ ? rows : 0, plan.correlation),
      told_(columns_.count()) {
  for (std::uint32_t j = 0; j < columns_.count(); ++j)
    std::tie(means_[j], squares_[j]) =
        moments(own(j).values, static_cast<double>(rows), plan.centred);
  copied_.offsets = {0};
}

double ScheduledDescent::bytes(double entries, double own, double rows, double count, int ranks) {
  const double entry = sizeof(std::uint32_t) + sizeof(float);
  const double others = ranks > 1 ? 2 * entries * entry + UnrelatedColumns::bytes(rows, count) : 0;
  return entries * entry + others + own * (5 * sizeof(double) + sizeof(Candidate) + 1) +
         rows * 2 * sizeof(double) + count * sizeof(double);
}

ColumnView ScheduledDescent::own(std::uint32_t column) const {
  const EdgeOffset begin = columns_.offsets[column], size = columns_.offsets[column + 1] - begin;
  return {std::span(columns_.rows).subspan(begin, size),
          std::span(columns_.values).subspan(begin, size), means_[column], squares_[column]};
}

/// Of any rank, if it has been proposed.
ColumnView ScheduledDescent::known(std::uint32_t id) const {
  if (id >= first_ && id - first_ < columns_.count())
    return own(static_cast<std::uint32_t>(id - first_));
  const std::uint32_t copy = copies_.at(id);
  const EdgeOffset begin = copied_.offsets[copy], size = copied_.offsets[copy + 1] - begin;
  return {std::span(copied_.rows).subspan(begin, size),
          std::span(copied_.values).subspan(begin, size), copied_means_[copy],
          copied_squares_[copy]};
}

void ScheduledDescent::gather_residual(DescentState& state) {
  const auto all = all_gather(comm_, std::span<const double>(mine));
  std::size_t row = 0;
  for (const auto& block : all)
    for (const double r : block) residual_[row++] = r;
  shift_ = 0;
  if (!plan_.centred || residual_.empty()) return;
  double sum = 0;
  for (const double r : residual_) sum += r;
  state.intercept = sum / static_cast<double>(residual_.size());
  for (double& r : residual_) r -= state.intercept;
}

void ScheduledDescent::find_slopes() {
  executor_.run((slopes_.size() + piece - 1) / piece,
                [&](std::size_t task, std::size_t) {
                  const std::size_t last = std::min(slopes_.size(), (task + 1) * piece);
                  for (std::size_t j = task * piece; j < last; ++j)
                    slopes_[j] =
                        squares_[j] > 0 ? dot(own(static_cast<std::uint32_t>(j)), residual_) : 0;
                },
                [] {});
}

double ScheduledDescent::largest_penalty() {
  DescentState unused;
  gather_residual(unused);
  find_slopes();
  double largest = 0;
  for (const double slope : slopes_) largest = std::max(largest, std::abs(slope));
  return all_max(comm_, largest);
}

void ScheduledDescent::drop_constant_columns() {
  std::vector<std::uint32_t> dropped;
  for (std::uint32_t j = 0; j < columns_.count(); ++j)
    if (squares_[j] == 0) dropped.push_back(static_cast<std::uint32_t>(first_) + j);
  for (const std::uint32_t id : whole(comm_, dropped)) weights[id] = 0;
}

/// Where the objective is least along a column.
double ScheduledDescent::best(std::uint32_t column, double slope) const {
  const double at = squares_[column] * weights[first_ + column] + slope;
  const double beyond = std::abs(at) - plan_.penalty;
  return beyond > 0 ? std::copysign(beyond, at) / squares_[column] : 0;
}

double ScheduledDescent::objective() const {
  double square = 0, sizes = 0;
  for (const double r : residual_) square += (r + shift_) * (r + shift_);
  for (const double w : weights) sizes += std::abs(w);
  return square / 2 + plan_.penalty * sizes;
}

void ScheduledDescent::pass(DescentState& state, double met, double tolerance) {
  between_collectives(comm_, [&] { pass_together(state, met, tolerance); });
}

/// Certificate: θ = s r with ‖Xᵀθ‖∞ ≤ penalty is feasible for the dual, so no weights have an
/// objective below ½‖y‖² − ½‖y − θ‖² = s y·r − ½ s² r·r.
void ScheduledDescent::pass_together(DescentState& state, double met, double tolerance) {
  gather_residual(state);
  find_slopes();
  double steepest = 0, square = 0;
  for (const double slope : slopes_) steepest = std::max(steepest, std::abs(slope));
  steepest = all_max(comm_, steepest);
  for (const double r : residual_) square += r * r;
  const bool begins = state.objective < 0;
  state.objective = objective();
  together(comm_, [&] {
    if (std::isfinite(state.objective)) return;
    if (begins)
      throw RunError(
          "the squares of the residuals have no finite sum: divide the targets by a large number");
    throw RunError(
        "the weights are not finite, as correlated columns were updated at the same time: set "
        "correlation below 1, so that they are not");
  });
  const double most = steepest > 0 ? plan_.penalty / steepest : 1;
  const double scale = square > 0 ? std::clamp(met / square, -most, most) : 0;
  const double dual = scale * met - scale * scale * square / 2;
  state.dual = std::max(state.dual, dual);
  state.gap =
      state.objective > 0 ? std::max(0.0, (state.objective - state.dual) / state.objective) : 0;
  if (state.gap <= tolerance) return;

  if (state.block == 0) state.block = plan_.block;
  for (std::uint32_t j = 0; j < changes_.size(); ++j)
    changes_[j] = squares_[j] > 0
                      ? std::sqrt(squares_[j]) * std::abs(best(j, slopes_[j]) - weights[first_ + j])
                      : -1;
  queue_.begin(changes_);
  touched_ = 0;
  comm_.size() == 1 ? descend_alone(state) : descend_with_others(state);
  const double after = broadcast(comm_, std::span<const double>(std::array{objective()})).front();
  if (plan_.correlation < 1 && !(after <= state.objective * (1 + 1e-12)))
    state.block = std::max<std::uint64_t>(1, state.block / 2);
  state.objective = after;
}

/// Returns by how much it has changed.
double ScheduledDescent::update(std::uint32_t column) {
  const ColumnView view = own(column);
  const double slope =
      dot(view, residual_) + shift_ * view.mean * static_cast<double>(residual_.size());
  double& weight = weights[first_ + column];
  const double step = best(column, slope) - weight;
  touched_ += static_cast<double>(view.rows.size());
  if (step == 0) return 0;
  weight = best(column, slope);
  move(view, step);
  touched_ += static_cast<double>(view.rows.size());
  return std::sqrt(view.square) * std::abs(step);
}

void ScheduledDescent::move(const ColumnView& column, double step) {
  for (std::size_t e = 0; e < column.rows.size(); ++e)
    residual_[column.rows[e]] -= step * double{column.values[e]};
  shift_ += step * column.mean;
}

/// Of a pass whose level began at `first`.
bool ScheduledDescent::is_over(double touched, double level, double first) const {
  return touched >= most_work * entries_ || !(level >= tiny_change * first) ||
         (level < small_change * first && touched >= least_work * entries_);
}

void ScheduledDescent::descend_alone(DescentState& state) {
  const double first = queue_.level();
  for (; !is_over(touched_, queue_.level(), first); ++state.rounds) {
    accepted_.clear();
    queue_.propose(state.block, accepted_);
    for (const Candidate& next : accepted_) queue_.updated(next, update(next.column));
    state.updates += accepted_.size();
    if (accepted_.empty()) return;
  }
}

void ScheduledDescent::descend_with_others(DescentState& state) {
  if (told_entries_ > entries_ / comm_.size()) forget_copies();
  const auto ranks = static_cast<std::uint64_t>(comm_.size());
  std::optional<double> first;
  std::vector<Candidate> proposed;
  std::vector<Proposal> proposals;
  updated_.clear();
  for (;; ++state.rounds) {
    proposed.clear();
    queue_.propose((state.block + ranks - 1) / ranks, proposed);
    write_message(proposed);
    const Progress all =
        read_messages(all_gather(comm_, std::span<const double>(message_)), proposals);
    if (!first) first = all.level;
    if (proposals.empty() || is_over(all.touched, all.level, *first)) break;
    choose(state, proposed, proposals);
    updated_.clear();
    for (const Candidate& next : accepted_) {
      queue_.updated(next, update(next.column));
      updated_.push_back(next.column);
    }
  }
  for (const Candidate& next : proposed) queue_.put_back(next);
}

/// Takes proposals by priority, those of equal priority by ranks, of which each is first in turn;
/// sets accepted_ to the own ones among them.
void ScheduledDescent::choose(DescentState& state, std::span<const Candidate> proposed,
                              std::vector<Proposal>& proposals) {
  const auto ranks = static_cast<std::uint64_t>(comm_.size());
  const auto turn = [&](const Proposal& proposal) {
    return (static_cast<std::uint64_t>(proposal.rank) + state.rounds) % ranks;
  };
  std::ranges::sort(proposals, [&](const Proposal& a, const Proposal& b) {
    if (a.priority != b.priority) return a.priority > b.priority;
    return a.rank != b.rank ? turn(a) < turn(b) : a.place < b.place;
  });
  taken_.clear();
  accepted_.clear();
  std::uint64_t count = 0;
  for (const Proposal& proposal : proposals) {
    const bool room = count < state.block;
    const bool take =
        room && (!checks_ || taken_.take(known(proposal.id), proposal.id, proposal.rank));
    if (room && !take) ++state.rejected;
    count += take ? 1 : 0;
    if (proposal.rank != comm_.rank()) continue;
    const Candidate& candidate = proposed[proposal.place];
    take ? accepted_.push_back(candidate) : queue_.put_back(candidate);
  }
  state.updates += count;
}

/// Entries touched, the queue's level, how many weights, how many proposals; then each weight's id
/// and value; each proposal's id, priority and number of entries that follow; these by row and
/// value.
void ScheduledDescent::write_message(std::span<const Candidate> proposed) {
  message_ = {touched_, queue_.level(), static_cast<double>(updated_.size()),
              static_cast<double>(proposed.size())};
  for (const std::uint32_t column : updated_) {
    message_.push_back(static_cast<double>(first_ + column));
    message_.push_back(weights[first_ + column]);
  }
  for (const Candidate& candidate : proposed) {
    const ColumnView view = own(candidate.column);
    const bool fresh = told_[candidate.column] == 0;
    told_[candidate.column] = 1;
    message_.push_back(static_cast<double>(first_ + candidate.column));
    message_.push_back(candidate.priority);
    message_.push_back(fresh ? static_cast<double>(view.rows.size()) : 0);
    for (std::size_t e = 0; fresh && e < view.rows.size(); ++e) {
      message_.push_back(view.rows[e]);
      message_.push_back(double{view.values[e]});
    }
  }
}

/// Takes in the others' weights and columns, and sets `proposals`, those of all ranks.
ScheduledDescent::Progress ScheduledDescent::read_messages(const Blocks<double>& told,
                                                           std::vector<Proposal>& proposals) {
  proposals.clear();
  Progress all;
  for (std::size_t rank = 0; rank < told.size(); ++rank) {
    const double* next = told[rank].data();
    const auto whole = [&] { return static_cast<std::size_t>(*next++); };
    const bool other = static_cast<int>(rank) != comm_.rank();
    all.touched += *next++;
    all.level = std::max(all.level, *next++);
    const std::size_t moved = whole(), proposed = whole();
    for (std::size_t i = 0; i < moved; ++i) {
      const std::size_t id = whole();
      const double to = *next++;
      if (!other) continue;
      move(known(static_cast<std::uint32_t>(id)), to - weights[id]);
      weights[id] = to;
    }
    for (std::size_t i = 0; i < proposed; ++i) {
      const auto id = static_cast<std::uint32_t>(whole());
      proposals.push_back({*next++, static_cast<int>(rank), id, static_cast<std::uint32_t>(i)});
      const std::size_t entries = whole();
      told_entries_ += static_cast<double>(entries);
      if (other && entries > 0) {
        copies_[id] = static_cast<std::uint32_t>(copied_.count());
        for (std::size_t e = 0; e < entries; ++e) {
          copied_.rows.push_back(static_cast<std::uint32_t>(next[2 * e]));
          copied_.values.push_back(static_cast<float>(next[2 * e + 1]));
        }
        const auto [mean, square] = moments(std::span(copied_.values).last(entries),
                                            static_cast<double>(residual_.size()), plan_.centred);
        copied_means_.push_back(mean);
        copied_squares_.push_back(square);
        copied_.offsets.push_back(copied_.rows.size());
      }
      next += 2 * entries;
    }
  }
  return all;
}

/// All ranks do so at once.
void ScheduledDescent::forget_copies() {
  copies_.clear();
  copied_ = Columns{{0}, {}, {}};
  copied_means_.clear();
  copied_squares_.clear();
  std::ranges::fill(told_, 0);
  told_entries_ = 0;
}

}  // namespace gas
