#include "tools/plan/forecast.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <set>
#include <utility>

#include "tools/plan/fit.hpp"

namespace gas::tools {
namespace {

/// `value` of samples at a share of 1, by a line through those of other shares.
template <class Value>
double at_whole(const std::vector<Sample>& samples, Value value) {
  const auto count = static_cast<Eigen::Index>(samples.size());
  Eigen::MatrixXd terms(count, 2);
  Eigen::VectorXd seen(count);
  for (Eigen::Index i = 0; i < count; ++i) {
    const Sample& sample = samples[static_cast<std::size_t>(i)];
    terms.row(i) << sample.share, 1;
    seen[i] = value(sample);
    if (!(seen[i] > 0)) return 0;
  }
  return fit_not_negative(terms, seen).sum();
}

}  // namespace

Forecaster::Forecaster(const std::vector<Sample>& samples, double cores, double threads)
    : cores_(cores), threads_(threads) {
  std::set<int> ranks;
  for (const Sample& sample : samples) ranks.insert(sample.ranks);
  for (const int count : ranks) wholes_.push_back(whole_of(samples, count));
  const auto last = std::ranges::find_if(wholes_.rbegin(), wholes_.rend(), &Whole::run);
  if (last == wholes_.rend() || last->bytes == 0) return;
  for (Whole& whole : wholes_) {
    if (whole.run) continue;
    whole.first_bytes = last->first_bytes * (whole.bytes / last->bytes);
    whole.round_bytes = last->round_bytes * (whole.bytes / last->bytes);
  }
}

Forecaster::Whole Forecaster::whole_of(const std::vector<Sample>& samples, int ranks) {
  std::vector<Sample> rounds, none;  // samples with rounds, and without
  for (const Sample& sample : samples)
    if (sample.ranks == ranks) (sample.rounds > 0 ? rounds : none).push_back(sample);
  const Sample& all = *std::ranges::find(none, 1.0, &Sample::share);
  Whole whole{.ranks = ranks,
              .set_up = 0,
              .round = 0,
              .messages = 0,
              .bytes = static_cast<double>(all.bytes),
              .first_bytes = 0,
              .round_bytes = 0,
              .run = !rounds.empty(),
              .exact_bytes = false};
  if (!whole.run) return whole;
  if (const auto first = std::ranges::find(rounds, 1.0, &Sample::share); first != rounds.end()) {
    whole.set_up = first->load + first->partition + first->beyond;
    whole.round = first->round;
  } else {
    whole.set_up =
        all.load + all.partition + at_whole(rounds, [](const Sample& s) { return s.beyond; });
    whole.round = at_whole(rounds, [](const Sample& s) { return s.round; });
  }
  for (const Sample& sample : rounds) whole.messages = std::max(whole.messages, sample.messages);
  count_bytes(whole, rounds, none);
  return whole;
}

/// By the samples of the largest share, which ran for no rounds, some, and more of them, as far as
/// they did not end before.
void Forecaster::count_bytes(Whole& whole, const std::vector<Sample>& rounds,
                             const std::vector<Sample>& none) {
  const double share = std::ranges::max_element(rounds, {}, &Sample::share)->share;
  const auto start = std::ranges::find(none, share, &Sample::share);
  if (start == none.end()) return;
  const auto bytes = [](const Sample& sample) { return static_cast<double>(sample.bytes); };
  const Sample *most = nullptr, *fewer = &*start;
  for (const Sample& sample : rounds)
    if (sample.share == share && (most == nullptr || sample.rounds > most->rounds)) most = &sample;
  for (const Sample& sample : rounds)
    if (sample.share == share && sample.rounds < most->rounds) fewer = &sample;
  const double grows = start->bytes > 0 ? whole.bytes / bytes(*start) : 1 / share;
  const double round =
      (bytes(*most) - bytes(*fewer)) / static_cast<double>(most->rounds - fewer->rounds);
  whole.first_bytes = (bytes(*fewer) - round * static_cast<double>(fewer->rounds)) * grows;
  whole.round_bytes = round * grows;
  const auto alike = [&](const Sample& sample, const Sample& other) {
    return sample.rounds != other.rounds || sample.bytes == other.bytes;
  };
  whole.exact_bytes = fewer != &*start;
  for (const auto* samples : {&rounds, &none})
    for (const Sample& sample : *samples)
      whole.exact_bytes = whole.exact_bytes && alike(sample, *start) && alike(sample, *fewer) &&
                          alike(sample, *most);
}

const Forecaster::Whole* Forecaster::find(int ranks) const {
  const auto found = std::ranges::find(wholes_, ranks, &Whole::ranks);
  return found == wholes_.end() ? nullptr : &*found;
}

double Forecaster::cores_of(int ranks) const {
  return threads_ > 0 ? std::min(cores_, ranks * threads_) : cores_;
}

template <class Value, class Terms>
double Forecaster::follow(int ranks, Value value, Terms terms) const {
  std::vector<const Whole*> known;
  for (const Whole& whole : wholes_)
    if (value(whole) > 0) known.push_back(&whole);
  if (known.empty()) return 0;
  const std::vector<double> wanted = terms(ranks);
  const auto width = static_cast<Eigen::Index>(wanted.size());
  Eigen::MatrixXd all(static_cast<Eigen::Index>(known.size()), width);
  Eigen::VectorXd seen(all.rows());
  for (Eigen::Index i = 0; i < all.rows(); ++i) {
    const Whole& whole = *known[static_cast<std::size_t>(i)];
    const std::vector<double> row = terms(whole.ranks);
    for (Eigen::Index j = 0; j < width; ++j) all(i, j) = row[static_cast<std::size_t>(j)];
    seen[i] = value(whole);
  }
  const Eigen::VectorXd found = fit_not_negative(all, seen);
  return std::inner_product(wanted.begin(), wanted.end(), found.begin(), 0.0);
}

void Forecaster::tell_bytes(Forecast& forecast, double rounds) const {
  // Each rank sends to each other, or to about log₂ P.
  const auto by_ranks = [](int ranks) {
    return std::vector<double>({ranks - 1.0, ranks * std::log2(ranks)});
  };
  const Whole* const whole = find(forecast.ranks);
  const auto bytes = [&](const Whole& of) { return of.first_bytes + rounds * of.round_bytes; };
  forecast.run = whole != nullptr && whole->run;
  forecast.exact_bytes = forecast.ranks == 1 || (whole != nullptr && whole->exact_bytes);
  forecast.bytes = forecast.ranks == 1 ? 0
                   : whole != nullptr  ? bytes(*whole)
                                       : follow(forecast.ranks, bytes, by_ranks);
}

Forecast Forecaster::here(int ranks, double rounds) const {
  Forecast forecast{.ranks = ranks};
  tell_bytes(forecast, rounds);
  const auto by_cores = [&](int count) {
    return std::vector<double>({1, 1 / cores_of(count), std::log2(count), double(count)});
  };
  if (const Whole* const run = find(ranks); run != nullptr && run->run) {
    forecast.set_up = run->set_up;
    forecast.round = run->round;
  } else {
    forecast.set_up = follow(
        ranks, [](const Whole& whole) { return whole.set_up; }, by_cores);
    forecast.round = follow(
        ranks, [](const Whole& whole) { return whole.round; }, by_cores);
  }
  forecast.seconds = forecast.set_up + rounds * forecast.round;
  return forecast;
}

Forecast Forecaster::on(const Host& host, int ranks, double rounds) const {
  Forecast forecast{.ranks = ranks};
  tell_bytes(forecast, rounds);
  const Whole& one = *find(1);
  const double cores = ranks * (threads_ > 0 ? std::min(host.cores, threads_) : host.cores);
  forecast.set_up = one.set_up * cores_of(1) / cores;
  forecast.round = one.round * cores_of(1) / cores;
  if (ranks > 1) {
    const double messages = follow(
        ranks, [](const Whole& whole) { return whole.messages; },
        [](int count) {
          return std::vector<double>({count - 1.0, std::log2(count)});
        });
    forecast.round += messages * host.latency;
    const double travel = host.bandwidth > 0 ? forecast.bytes / ranks / host.bandwidth : 0;
    (rounds > 0 ? forecast.round : forecast.set_up) += travel / std::max(1.0, rounds);
  }
  forecast.seconds = forecast.set_up + rounds * forecast.round;
  forecast.price = ranks * host.price * forecast.seconds / 3600;
  return forecast;
}

}  // namespace gas::tools
