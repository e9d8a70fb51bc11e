#include "programs/k_means/starts/plus_plus.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>

#include "gas/base/random.hpp"
#include "programs/calls/in_blocks.hpp"
#include "programs/k_means/exact_sum.hpp"
#include "programs/k_means/least.hpp"
#include "programs/k_means/starts/drawn_rows.hpp"

namespace gas::detail {
namespace {

/// One that takes part in an exponential race: the least keys, −ln(1−u)/chance, belong to vertices
/// that are drawn with these chances, without replacement (Efraimidis, Spirakis 2006).
struct Runner {
  double key = std::numeric_limits<double>::infinity();
  VertexId row = std::numeric_limits<VertexId>::max();
  auto operator<=>(const Runner&) const = default;
};

constexpr std::size_t most_trials = 24;  // of one start; 2 + ln of max_clusters
using Front = Least<Runner, most_trials>;
using Gains = std::array<ExactSum, most_trials>;

template <class Form>
class PlusPlus {
  using Of = KMeansOf<Form>;
  using Coordinate = typename Of::Coordinate;

 public:
  PlusPlus(Communicator& comm, Executor& executor, const FramedPoints<Form>& points,
           std::uint64_t k, std::uint64_t seed)
      : comm_(comm),
        executor_(executor),
        points_(points),
        trials_(2 + static_cast<std::size_t>(std::log(static_cast<double>(k)))),
        random_(Random(seed).stream(0x73707265616453U)),
        nearest_(points.rows.size(), std::numeric_limits<float>::infinity()),
        nearer_(points.rows.size(), 1) {}

  std::vector<VertexId> draw(std::uint64_t k, const std::function<bool()>& interrupted) {
    std::vector<VertexId> rows;
    while (rows.size() < k && all_max(comm_, interrupted && interrupted() ? 1 : 0) == 0) {
      const std::vector<VertexId> candidates = race(rows.size());
      if (candidates.empty()) break;
      see(candidates);
      kept_ = rows.empty() ? 0 : most(gains(candidates.size()));
      rows.push_back(candidates[kept_]);
    }
    return rows;
  }

 private:
  float distance(std::size_t i, std::size_t candidate) const {
    return static_cast<float>(points_.of.distance((*points_.inputs)[i], candidates_, candidate));
  }

  /// The winners of a race for start number `drawn`, the same on all ranks. Each point first looks
  /// at the start that was kept last.
  std::vector<VertexId> race(std::size_t drawn) {
    const Random random = random_.stream(drawn);
    std::vector<Front> fronts(executor_.workers());
    in_blocks(executor_, points_.rows.size(),
              [&](std::size_t first, std::size_t last, std::size_t worker) {
                if (drawn > 0) move_to_kept(first, last);
                Front front = fronts[worker];
                for (std::size_t i = first; i < last; ++i) {
                  const double chance =
                      points_.weight_of(i) * (drawn > 0 ? static_cast<double>(nearest_[i]) : 1);
                  const double u = random.uniform(points_.rows[i]);
                  // −ln(1−u) ≥ u, rounding apart: most lose without a logarithm.
                  if (chance > 0 && u <= front.values.back().key * chance * (1 + 1e-9))
                    front += Runner{-std::log1p(-u) / chance, points_.rows[i]};
                }
                fronts[worker] = front;
              });
    Front mine, all;
    for (const Front& front : fronts) mine += front;
    for (const Front& front : all_gather(comm_, mine)) all += front;
    std::vector<VertexId> rows;
    for (const Runner& runner : all.values)
      if (std::isfinite(runner.key) && rows.size() < (drawn > 0 ? trials_ : 1))
        rows.push_back(runner.row);
    return rows;
  }

  void move_to_kept(std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i)
      if ((nearer_[i] >> kept_ & 1U) != 0) nearest_[i] = std::min(nearest_[i], distance(i, kept_));
  }

  /// Brings the candidates to every rank, for distance() and within().
  void see(std::span<const VertexId> candidates) {
    candidate_rows_ = rows_of(comm_, points_, candidates);
    candidates_.assign({candidate_rows_.block(0, candidates.size()), {}});
  }

  /// How much each candidate would lower the weighted sum of squared distances of all ranks.
  std::vector<double> gains(std::size_t candidates) {
    std::vector<Gains> of_workers(executor_.workers());
    std::vector<std::vector<float>> scratch(executor_.workers());
    in_blocks(executor_, points_.rows.size(),
              [&](std::size_t first, std::size_t last, std::size_t worker) {
                points_.of.within(points_.inputs->block(first, last - first), candidates_,
                                  std::span(nearest_).subspan(first, last - first),
                                  std::span(nearer_).subspan(first, last - first), scratch[worker]);
                for (std::size_t i = first; i < last; ++i)
                  for (std::uint32_t left = nearer_[i]; left != 0; left &= left - 1) {
                    const auto c = static_cast<std::size_t>(std::countr_zero(left));
                    if (const float apart = distance(i, c); apart < nearest_[i])
                      of_workers[worker][c] += static_cast<float>(
                          points_.weight_of(i) * static_cast<double>(nearest_[i] - apart));
                    else
                      nearer_[i] &= ~(1U << c);
                  }
              });
    Gains mine{};
    for (const Gains& sums : of_workers)
      for (std::size_t c = 0; c < candidates; ++c) mine[c] += sums[c];
    Gains sums{};
    for (const Gains& of_rank : all_gather(comm_, mine))
      for (std::size_t c = 0; c < candidates; ++c) sums[c] += of_rank[c];
    std::vector<double> values;
    for (std::size_t c = 0; c < candidates; ++c) values.push_back(sums[c].value());
    return values;
  }
  static std::size_t most(const std::vector<double>& values) {
    return static_cast<std::size_t>(std::ranges::max_element(values) - values.begin());
  }

  Communicator& comm_;
  Executor& executor_;
  const FramedPoints<Form>& points_;
  const std::size_t trials_;
  const Random random_;
  Inputs<Coordinate> candidate_rows_;
  typename Of::Starts candidates_;
  std::size_t kept_ = 0;               // of the candidates
  std::vector<float> nearest_;         // of each point: squared distance from the nearest start
  std::vector<std::uint32_t> nearer_;  // of each point: bits of the candidates that are nearer
};

}  // namespace

template <class Form>
std::vector<VertexId> plus_plus_rows(Communicator& comm, Executor& executor,
                                     const FramedPoints<Form>& points, std::uint64_t k,
                                     std::uint64_t seed, const std::function<bool()>& interrupted) {
  return PlusPlus<Form>(comm, executor, points, k, seed).draw(k, interrupted);
}

#define GAS_FORM(Form)                                                                    \
  template std::vector<VertexId> plus_plus_rows(Communicator&, Executor&,                 \
                                                const FramedPoints<Form>&, std::uint64_t, \
                                                std::uint64_t, const std::function<bool()>&);
GAS_FORM(float)
GAS_FORM(double)
GAS_FORM(SparseReal)
#undef GAS_FORM

}  // namespace gas::detail
