#include "tools/plan/forecast.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <map>
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

/// Bytes of a round at a share of 1. They grow as a power of the share, from 0, where all of the
/// parameters change anyway, to 1, where each row has bytes of its own. The power is that between
/// the two largest shares: small samples converge early, and then send less.
double bytes_at_whole(const std::vector<std::pair<double, double>>& by_share) {
  std::map<double, std::vector<double>, std::greater<>> logarithms;
  for (const auto& [share, bytes] : by_share) {
    if (!(bytes > 0)) return 0;
    logarithms[share].push_back(std::log(bytes));
  }
  const auto mean = [](const std::vector<double>& of) {
    return std::reduce(of.begin(), of.end()) / static_cast<double>(of.size());
  };
  const auto largest = logarithms.begin(), second = std::next(largest);
  const double at_largest = mean(largest->second), away = std::log(largest->first);
  const double power =
      second == logarithms.end()
          ? 0
          : std::clamp((at_largest - mean(second->second)) / (away - std::log(second->first)), 0.0,
                       1.0);
  return std::exp(at_largest - power * away);
}

double middle(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

}  // namespace

Forecaster::Forecaster(const std::vector<Sample>& samples, double cores, double threads)
    : cores_(cores), threads_(threads) {
  std::set<int> ranks;
  for (const Sample& sample : samples) ranks.insert(sample.ranks);
  for (const int count : ranks) wholes_.push_back(whole_of(samples, count));
}

Forecaster::Whole Forecaster::whole_of(const std::vector<Sample>& samples, int ranks) {
  std::vector<Sample> of_ranks;
  std::vector<double> loads;
  for (const Sample& sample : samples) {
    if (sample.ranks != ranks) continue;
    of_ranks.push_back(sample);
    loads.push_back(sample.load);
  }
  // Bytes by rounds: what a round adds, and what comes before. Of each share that was run for
  // several numbers of rounds.
  struct Bytes {
    double share, round, first;
  };
  std::vector<Bytes> bytes;
  for (const Sample& a : of_ranks)
    for (const Sample& b : of_ranks)
      if (a.share == b.share && a.rounds < b.rounds) {
        const double round = (static_cast<double>(b.bytes) - static_cast<double>(a.bytes)) /
                             static_cast<double>(b.rounds - a.rounds);
        bytes.push_back(
            {a.share, round, static_cast<double>(a.bytes) - round * static_cast<double>(a.rounds)});
      }
  const bool told_apart = !bytes.empty();
  if (!told_apart)  // they ended by themselves, after as many rounds: all that was sent, by round
    for (const Sample& sample : of_ranks)
      if (sample.rounds > 0)
        bytes.push_back({sample.share,
                         static_cast<double>(sample.bytes) / static_cast<double>(sample.rounds),
                         0});
  Whole whole{.ranks = ranks,
              .set_up = middle(loads) +
                        at_whole(of_ranks, [](const Sample& s) { return s.partition; }) +
                        at_whole(of_ranks, [](const Sample& s) { return s.beyond; }),
              .round = at_whole(of_ranks, [](const Sample& s) { return s.round; }),
              .messages = 0,
              .bytes = 0,
              .first_bytes = 0,
              .exact_bytes = told_apart};
  for (const Sample& sample : of_ranks) whole.messages = std::max(whole.messages, sample.messages);
  std::vector<std::pair<double, double>> rounds;  // by share
  for (const Bytes& found : bytes) {
    whole.exact_bytes =
        whole.exact_bytes && found.round == bytes[0].round && found.first == bytes[0].first;
    whole.first_bytes = std::max(whole.first_bytes, found.first);
    rounds.emplace_back(found.share, found.round);
  }
  if (!bytes.empty()) whole.bytes = whole.exact_bytes ? bytes[0].round : bytes_at_whole(rounds);
  return whole;
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
  const Whole* const run = find(forecast.ranks);
  const auto bytes = [&](const Whole& whole) { return whole.bytes * rounds + whole.first_bytes; };
  forecast.run = run != nullptr;
  forecast.exact_bytes = forecast.ranks == 1 || (run != nullptr && run->exact_bytes);
  forecast.bytes = forecast.ranks == 1 ? 0
                   : run != nullptr    ? bytes(*run)
                                       : follow(forecast.ranks, bytes, by_ranks);
}

Forecast Forecaster::here(int ranks, double rounds) const {
  Forecast forecast{.ranks = ranks};
  tell_bytes(forecast, rounds);
  const auto by_cores = [&](int count) {
    return std::vector<double>({1, 1 / cores_of(count), std::log2(count), double(count)});
  };
  if (const Whole* const run = find(ranks)) {
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
  const double cores = ranks * host.cores;
  forecast.set_up = one.set_up * cores_of(1) / cores;
  forecast.round = one.round * cores_of(1) / cores;
  if (ranks > 1) {
    const double messages = follow(
        ranks, [](const Whole& whole) { return whole.messages; },
        [](int count) {
          return std::vector<double>({count - 1.0, std::log2(count)});
        });
    forecast.round += messages * host.latency;
    if (host.bandwidth > 0) forecast.round += forecast.bytes / rounds / ranks / host.bandwidth;
  }
  forecast.seconds = forecast.set_up + rounds * forecast.round;
  forecast.price = ranks * host.price * forecast.seconds / 3600;
  return forecast;
}

}  // namespace gas::tools
