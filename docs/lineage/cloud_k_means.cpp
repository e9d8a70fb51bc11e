// What k-means in a cloud spends beside computing: rounds of gas-kmeans's program whose exchange is
// real, while computing is a sleep.
//
//     mpirun -n 4 cloud_k_means [KEY=VALUE ...]            # ranks that sleep by the clock
//     cloud_k_means ranks=120 topology=tree [KEY=VALUE ...]  # simulated ones, in virtual time
//
// Every rank has `points` random points of `dimensions` numbers, and there are `clusters`
// centroids. A task, one rank's computing in a round, sleeps `task` seconds, or as long as tasks in
// a cloud took (profile=cloud). On simulated ranks a message keeps its sender and its receiver busy
// for `message` seconds and for its bytes at `bandwidth` bytes per second (0: no limit), and
// travels about `latency` seconds.
//
// Prints when each round ended, in seconds; what the busiest rank sent in a round, messages and
// bytes; how long each task took; and a number that tells whether centroids are the same bits.
#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <map>
#include <sstream>
#include <thread>

#include "gas/exchange/simulated_transport.hpp"
#include "gas/gas.hpp"
#include "gas/observe/straggler.hpp"
#include "programs/k_means/program.hpp"

namespace {

/// The settings, by name; what is not given keeps the value here.
struct Settings {
  std::map<std::string, std::string> texts{{"topology", "flat"}, {"profile", "even"}};
  std::map<std::string, double> numbers{
      {"ranks", 0},     {"rounds", 10}, {"clusters", 100}, {"dimensions", 100}, {"points", 2000},
      {"task", 0.2226}, {"message", 0}, {"bandwidth", 0},  {"latency", 0},      {"seed", 1}};

  Settings(int argc, char** argv) {
    const std::vector<std::string> words(argv + 1, argv + argc);
    for (const std::string& word : words) {
      const std::size_t equals = std::min(word.find('='), word.size());
      const std::string key = word.substr(0, equals),
                        value = word.substr(std::min(equals + 1, word.size()));
      if (texts.contains(key)) {
        texts[key] = value;
      } else if (numbers.contains(key)) {
        std::istringstream in(value);
        double& number = numbers[key];
        if (!(in >> number) || !in.eof() || !(number >= 0 && number <= 1e12))
          throw gas::UsageError(fmt::format("{}: expected a number from 0 on", word));
      } else {
        throw gas::UsageError(
            fmt::format("{}: unknown, expected KEY=VALUE, such as rounds=10", word));
      }
    }
    for (const char* key : {"rounds", "clusters", "dimensions", "points"})
      if (whole(key) == 0) throw gas::UsageError(fmt::format("{}: expected at least 1", key));
    topology(), profile();  // known ones
  }
  std::size_t whole(const std::string& key) const {
    return static_cast<std::size_t>(numbers.at(key));
  }
  gas::Topology topology() const {
    return one_of("topology",
                  std::map<std::string, gas::Topology>{{"flat", gas::Topology::flat},
                                                       {"groups", gas::Topology::groups},
                                                       {"tree", gas::Topology::tree}});
  }
  gas::Slowness profile() const {
    return one_of("profile", std::map<std::string, gas::Slowness>{{"even", gas::Slowness::even},
                                                                  {"cloud", gas::Slowness::cloud}});
  }

 private:
  template <class T>
  T one_of(const std::string& key, const std::map<std::string, T>& choices) const {
    const auto found = choices.find(texts.at(key));
    if (found != choices.end()) return found->second;
    throw gas::UsageError(fmt::format("{}={}: unknown", key, texts.at(key)));
  }
};

/// Lloyd's rounds, each after a pause, to the last one that is asked for.
struct PausingKMeans : gas::KMeans<float> {
  std::function<void(std::uint64_t round)> pause;
  void before_step(const gas::Step& step, const auto& last) {
    if (!step.is_parameter()) pause(step.round);
    KMeans::before_step(step, last);
  }
  bool converged(const auto&) const { return false; }
};

struct Clock {
  std::function<double()> now;  // seconds
  std::function<void(double)> sleep;
};

void run_rounds(gas::Transport& ranks, const Settings& settings, const Clock& clock) {
  const std::size_t points = settings.whole("points"), width = settings.whole("dimensions");
  const gas::Random draw(settings.whole("seed"));
  const auto coordinate = [&](std::uint64_t row, std::size_t d) {
    return static_cast<float>(draw.stream(row).uniform(d));
  };
  const std::uint64_t all = points * static_cast<std::uint64_t>(ranks.size());
  std::vector<gas::VertexId> rows(points);
  auto inputs = std::make_shared<gas::Inputs<float>>(width, points);
  for (std::size_t i = 0; i < points; ++i) {
    rows[i] = gas::to_vertex_id(points * static_cast<std::size_t>(ranks.rank()) + i);
    for (std::size_t d = 0; d < width; ++d) (*inputs)[i][d] = coordinate(rows[i], d);
  }
  auto graph = std::make_shared<gas::LocalGraph>();
  graph->bipartite = true;
  graph->owner = gas::unshared_layout(all, std::move(rows));
  graph->parameter = gas::replicated_layout(ranks, settings.whole("clusters"));

  const gas::Straggler tasks(settings.profile(), settings.numbers.at("task"),
                             settings.whole("seed"), ranks.rank(), ranks.size());
  std::vector<double> took;
  PausingKMeans program;
  program.dimensions = width;
  program.in_step = true;
  program.scales =
      std::make_shared<const std::vector<double>>(width, gas::RunningRowSum::scale_for(1, all));
  program.pause = [&](std::uint64_t round) {
    const double began = clock.now();
    clock.sleep(tasks.seconds(round));
    took.push_back(clock.now() - began);
  };
  const gas::Context context(ranks, gas::make_deterministic_executor(1, 0));
  gas::Engine engine(context, std::shared_ptr<const gas::LocalGraph>(graph), std::move(program));
  engine.local_set_inputs(std::shared_ptr<const gas::Inputs<float>>(inputs));
  engine.template local_give<PausingKMeans::Centroid>([&](gas::VertexId row, auto out) {
    for (std::size_t d = 0; d < width; ++d) out[d] = coordinate(~row, d);
  });
  double began = 0;
  std::uint64_t messages = 0, bytes = 0;
  const auto sent = [&] {
    std::uint64_t sum = 0;
    for (const std::uint64_t of_purpose : ranks.sent()) sum += of_purpose;
    return sum;
  };
  std::vector<double> ends;
  engine.run({.iterations = settings.whole("rounds"), .topology = settings.topology()},
             [&](const auto& round) {
               if (round.round == 1)
                 began = clock.now(), messages = ranks.messages_sent(), bytes = sent();
               ends.push_back(clock.now() - began);
             });
  const auto later = static_cast<double>(std::max<std::size_t>(settings.whole("rounds"), 2) - 1);
  messages = gas::all_max(ranks, ranks.messages_sent() - messages);
  bytes = gas::all_max(ranks, sent() - bytes);
  const std::vector<float> own = engine.template published_by_id<PausingKMeans::Centroid>();
  std::uint64_t hash = 0;
  for (const auto& block : gas::all_gather(ranks, std::span<const float>(own)))
    for (const float x : block) hash = gas::Random(hash).bits(std::bit_cast<std::uint32_t>(x));
  const auto all_took = gas::all_gather(ranks, std::span<const double>(took));
  if (ranks.rank() != 0) return;
  for (std::size_t r = 0; r < ends.size(); ++r) fmt::print("round {} {:.9f}\n", r + 1, ends[r]);
  fmt::print("sent {:.1f} {:.0f}\n", static_cast<double>(messages) / later,
             static_cast<double>(bytes) / later);
  for (const auto& of_rank : all_took)
    for (const double seconds : of_rank) fmt::print("task {:.9f}\n", seconds);
  fmt::print("centroids {:016x}\n", hash);
}

gas::VirtualTime virtual_time(double seconds) {
  return gas::VirtualTime(std::llround(1e9 * seconds));
}

void simulate(const Settings& settings) {
  const gas::SimulatedNetwork network{.seed = settings.whole("seed"),
                                      .call = gas::VirtualTime{},
                                      .delay = virtual_time(settings.numbers.at("latency")),
                                      .late_chance = 0,
                                      .clog_chance = 0,
                                      .slow_chance = 0,
                                      .per_message = virtual_time(settings.numbers.at("message")),
                                      .bytes_per_second = settings.numbers.at("bandwidth")};
  gas::run_simulated_ranks(
      static_cast<int>(settings.whole("ranks")), network, [&](gas::SimulatedTransport& ranks) {
        run_rounds(ranks, settings,
                   {[&] { return std::chrono::duration<double>(ranks.now()).count(); },
                    [&](double seconds) { ranks.local_pass(virtual_time(seconds)); }});
      });
}

}  // namespace

int main(int argc, char* argv[]) {
  const auto failed = [](const std::exception& error) {
    return fmt::print(stderr, "cloud_k_means: {}\n", error.what()), 1;
  };
  try {
    const Settings settings(argc, argv);
    if (settings.whole("ranks") > 0) return simulate(settings), 0;
    gas::MpiTransport ranks;
    const auto begin = std::chrono::steady_clock::now();
    const auto now = [&] {
      return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    };
    const auto sleep = [](double seconds) {
      std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
    };
    try {
      run_rounds(ranks, settings, {now, sleep});
    } catch (const std::exception& error) {
      failed(error);
      ranks.local_abort(1);  // ends the other ranks, too
    }
  } catch (const std::exception& error) {
    return failed(error);
  }
}
