#include "programs/k_means/starts/parallel.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <memory>
#include <span>

#include "gas/base/random.hpp"
#include "gas/base/rank_sums.hpp"
#include "programs/calls/in_blocks.hpp"
#include "programs/k_means/squared_sums.hpp"
#include "programs/k_means/starts/drawn_rows.hpp"
#include "programs/k_means/starts/plus_plus.hpp"

namespace gas::detail {
namespace {

constexpr unsigned usual_rounds = 5;

template <class Form>
class Oversampling {
  using Of = KMeansOf<Form>;
  using Coordinate = typename Of::Coordinate;

 public:
  Oversampling(Communicator& comm, Executor& executor, const FramedPoints<Form>& points,
               std::uint64_t k, std::uint64_t seed)
      : comm_(comm),
        executor_(executor),
        points_(points),
        k_(k),
        random_(Random(seed).stream(0x706172616c6c656cU)),
        nearest_(points.rows.size(), {std::numeric_limits<float>::infinity(), 0}) {}

  /// Draws candidates, from this first one on.
  void draw(std::vector<VertexId> first, const std::function<bool()>& interrupted) {
    double sum = add(first);
    for (unsigned round = 0; sum > 0 && (round < usual_rounds || candidates_.size() < k_) &&
                             all_max(comm_, interrupted && interrupted() ? 1 : 0) == 0;
         ++round)
      if (const std::vector<VertexId> drawn = each_alone(round, sum); !drawn.empty())
        sum = add(drawn);
  }

  /// The candidates, where their points are, with the weight of all points nearest to them.
  FramedPoints<Form> weighted_candidates() const {
    const std::vector<double> weights = weights_of_candidates();
    std::vector<std::size_t> order(candidates_.size());
    for (std::size_t c = 0; c < order.size(); ++c) order[c] = c;
    std::ranges::sort(order, {}, [&](std::size_t c) { return candidates_[c]; });
    std::vector<std::size_t> at, candidate;  // of the points here
    FramedPoints<Form> found;
    found.count = candidates_.size();
    found.dimensions = points_.dimensions;
    found.frame = points_.frame;
    for (const std::size_t c : order) {
      const auto here = std::ranges::lower_bound(points_.rows, candidates_[c]);
      if (here == points_.rows.end() || *here != candidates_[c]) continue;
      at.push_back(static_cast<std::size_t>(here - points_.rows.begin()));
      candidate.push_back(c);
      found.rows.push_back(candidates_[c]);
    }
    found.weighted = true;
    found.of = points_.of;
    found.inputs = std::make_shared<Inputs<typename Of::Number>>(
        points_.inputs->width + (points_.weighted || Of::sparse ? 0 : 1), at.size());
    for (std::size_t i = 0; i < at.size(); ++i) {
      std::ranges::copy((*points_.inputs)[at[i]], (*found.inputs)[i].begin());
      Of::set_weight((*found.inputs)[i], static_cast<float>(weights[candidate[i]]));
    }
    return found;
  }

 private:
  /// Takes these as candidates. → The weighted sum of squared distances of all points from the
  /// nearest.
  double add(const std::vector<VertexId>& rows) {
    const auto before = static_cast<std::uint32_t>(candidates_.size());
    candidates_.insert(candidates_.end(), rows.begin(), rows.end());
    const Inputs<Coordinate> coordinates = rows_of(comm_, points_, std::span(rows));
    typename Of::Packed packed;
    packed.assign({coordinates.block(0, rows.size()), {}});
    struct Worker {
      ExactSum sum;
      std::vector<ArgMin> found;
      std::vector<float> scratch;
      struct State {
        NearBounds bounds;
      };
      std::vector<State> states;
    };
    std::vector<Worker> workers(executor_.workers());
    in_blocks(
        executor_, points_.rows.size(),
        [&](std::size_t first, std::size_t last, std::size_t number) {
          Worker& worker = workers[number];
          worker.found.resize(last - first);
          worker.states.assign(last - first, {});
          points_.of.nearest(points_.inputs->block(first, last - first), packed, worker.found,
                             worker.scratch, {std::span(worker.states), &Worker::State::bounds});
          for (std::size_t i = first; i < last; ++i) {
            const ArgMin& found = worker.found[i - first];
            if (found.value < nearest_[i].value) nearest_[i] = {found.value, before + found.row};
            worker.sum +=
                static_cast<float>(points_.weight_of(i) * static_cast<double>(nearest_[i].value));
          }
        });
    ExactSum sum;
    for (const Worker& worker : workers) sum += worker.sum;
    return sum_of(comm_, sum);
  }

  std::vector<VertexId> each_alone(unsigned round, double sum) const {
    const Random random = random_.stream(round);
    const double factor = 2 * static_cast<double>(k_) / sum;
    std::vector<VertexId> mine;
    for (std::size_t i = 0; i < points_.rows.size(); ++i)
      if (random.uniform(points_.rows[i]) <
          points_.weight_of(i) * static_cast<double>(nearest_[i].value) * factor)
        mine.push_back(points_.rows[i]);
    std::vector<VertexId> all = whole(comm_, mine);
    std::ranges::sort(all);
    return all;
  }

  /// In fixed point: the same on any ranks.
  std::vector<double> weights_of_candidates() const {
    const double scale = RunningRowSum::scale_for(1, points_.count);
    std::vector<std::int64_t> sums(candidates_.size());
    for (std::size_t i = 0; i < points_.rows.size(); ++i)
      sums[nearest_[i].row] += static_cast<std::int64_t>(points_.weight_of(i) * scale);
    add_ranks(comm_, sums);
    std::vector<double> weights;
    for (const std::int64_t each : sums) weights.push_back(static_cast<double>(each) / scale);
    return weights;
  }

  Communicator& comm_;
  Executor& executor_;
  const FramedPoints<Form>& points_;
  const std::uint64_t k_;
  const Random random_;
  std::vector<VertexId> candidates_;  // alike on all ranks
  std::vector<ArgMin> nearest_;       // the nearest candidate of each point
};

}  // namespace

template <class Form>
std::vector<VertexId> parallel_rows(Communicator& comm, Executor& executor,
                                    const FramedPoints<Form>& points, std::uint64_t k,
                                    std::uint64_t seed, const std::function<bool()>& interrupted) {
  std::vector<VertexId> first = plus_plus_rows(comm, executor, points, 1, seed, interrupted);
  if (first.empty() || k == 1) return first;
  Oversampling<Form> sample(comm, executor, points, k, seed);
  sample.draw(std::move(first), interrupted);
  return plus_plus_rows(comm, executor, sample.weighted_candidates(), k, seed, interrupted);
}

#define GAS_FORM(Form)                                                                   \
  template std::vector<VertexId> parallel_rows(Communicator&, Executor&,                 \
                                               const FramedPoints<Form>&, std::uint64_t, \
                                               std::uint64_t, const std::function<bool()>&);
GAS_FORM(float)
GAS_FORM(double)
GAS_FORM(SparseReal)
#undef GAS_FORM

}  // namespace gas::detail
