// What a run says of itself: each rank's time, who waits for whom, the trace.
#include <catch2/catch.hpp>
#include <chrono>
#include <fstream>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>

#include "gas/engine/engine.hpp"
#include "gas/observe/straggler.hpp"
#include "programs/page_rank/program.hpp"
#include "tests/support/executor.hpp"
#include "tests/support/graphs.hpp"
#include "tests/support/ranks.hpp"
#include "tests/tools/support/process.hpp"

using gas_test::build;
using gas_test::Cut;
using gas_test::random_graph;
using gas_test::TestGraph;
using Json = nlohmann::json;
using PageRankFloat = gas::PageRank<float>;

namespace {

const TestGraph& graph() {
  static const TestGraph made = random_graph(300, 300, 2000, false, 3);
  return made;
}

struct Measured {
  gas::RankReport report;
  double seconds = 0;
};

/// PageRank for `rounds` rounds on every rank of one process.
std::vector<Measured> run_pages(
    int ranks, std::uint64_t rounds,
    const std::function<void(gas::Transport&, gas::RunOptions&)>& adjust,
    const std::function<void(gas::Transport&)>& after = [](gas::Transport&) {}) {
  std::vector<Measured> measured(static_cast<std::size_t>(ranks));
  gas::run_local_ranks(ranks, [&](gas::Transport& transport) {
    const auto executor = gas_test::make_executor(2);
    gas::Engine<PageRankFloat> engine(
        transport, *executor,
        build(transport, graph(), Cut::any_edge, static_cast<gas::Part>(ranks), 3),
        {.tolerance = 0});
    gas::RunOptions options;
    options.iterations = rounds;
    adjust(transport, options);
    const gas::RunReport report = engine.run(options);
    measured[static_cast<std::size_t>(transport.rank())] = {engine.local_report(), report.seconds};
    after(transport);
  });
  return measured;
}

auto slow_rank(int rank, double seconds) {
  return [=](gas::Transport& transport, gas::RunOptions& options) {
    if (transport.rank() == rank) options.delay = [=](std::uint64_t) { return seconds; };
  };
}

}  // namespace

TEST_CASE("the time of a rank is all accounted for", "[observe]") {
  for (const int ranks : {1, 3})
    for (const Measured& rank : run_pages(ranks, 20, [](gas::Transport&, gas::RunOptions& options) {
           options.delay = [](std::uint64_t) { return 0.002; };
         })) {
      const gas::RankReport& report = rank.report;
      const double sum = report.computing + report.waiting + report.communicating;
      CHECK(report.computing >= 20 * 0.002);
      CHECK(report.waiting >= 0);
      CHECK(report.communicating > 0);
      CHECK(sum >= 0.9 * rank.seconds);
      CHECK(sum <= rank.seconds + 0.01);
    }
}

TEST_CASE("what the caller does between rounds is not the rank's time", "[observe]") {
  gas::run_local_ranks(1, [&](gas::Transport& transport) {
    const auto executor = gas_test::make_executor(1);
    gas::Engine<PageRankFloat> engine(
        transport, *executor, build(transport, graph(), Cut::by_owner, 1, 3), {.tolerance = 0});
    engine.run({.iterations = 5},
               [](const auto&) { std::this_thread::sleep_for(std::chrono::milliseconds(40)); });
    const gas::RankReport report = engine.local_report();
    if (report.computing + report.waiting + report.communicating > 0.1)
      throw gas::RunError("callbacks were counted");
  });
}

TEST_CASE("a slow rank computes and the others wait", "[observe]") {
  const auto measured = run_pages(3, 10, slow_rank(1, 0.02));
  CHECK(measured[1].report.computing >= 10 * 0.02);
  CHECK(measured[1].report.waiting < 0.1);
  for (const std::size_t rank : {0U, 2U}) {
    CHECK(measured[rank].report.waiting >= 0.7 * 10 * 0.02);
    CHECK(measured[rank].report.computing < 0.1);
  }
}

TEST_CASE("a rank that is slow once is not waited for within the bound", "[observe]") {
  const auto measured = run_pages(3, 12, [](gas::Transport& transport, gas::RunOptions& options) {
    options.staleness.bound = 20;
    options.delay = [rank = transport.rank()](std::uint64_t round) {
      return rank + 1 == static_cast<int>(round / 4) && round % 4 == 0 ? 0.1 : 0.001;
    };
  });
  for (const Measured& rank : measured) CHECK(rank.seconds < 0.25);  // the sum is 0.3
}

TEST_CASE("the watchdog names who waits for whom, and ends nothing", "[observe]") {
  std::mutex mutex;
  std::map<int, std::vector<std::string>> said;
  const auto measured = run_pages(2, 2, [&](gas::Transport& transport, gas::RunOptions& options) {
    slow_rank(1, 0.35)(transport, options);
    options.watchdog = {0.1, [&, rank = transport.rank()](const std::string& text) {
                          const std::lock_guard lock(mutex);
                          said[rank].push_back(text);
                        }};
  });
  REQUIRE(said.size() == 1);
  const std::vector<std::string>& lines = said.at(0);
  CHECK(lines.size() >= 4);  // twice or more in each round
  CHECK(lines.size() <= 7);
  CHECK_THAT(lines.front(), Catch::Matches("rank 0 has waited 0 s for rank 1: "
                                           "(values|totals|record) of round 1, step 1"));
  CHECK_THAT(lines.back(), Catch::Contains("of round 2, step 1"));
}

TEST_CASE("a trace has every round, and nothing overlaps in a lane", "[observe]") {
  const gas_test::TemporaryFolder folder;
  const std::string path = folder / "trace.json";
  constexpr int ranks = 3, rounds = 6;
  for (const std::uint64_t bound : {0U, 2U}) {
    std::vector<gas::Trace> traces(ranks);
    run_pages(
        ranks, rounds,
        [&](gas::Transport& transport, gas::RunOptions& options) {
          options.trace = &traces[static_cast<std::size_t>(transport.rank())];
          options.staleness.bound = bound;
          slow_rank(2, 0.004)(transport, options);
        },
        [&](gas::Transport& transport) {
          gas::write_trace(transport, traces[static_cast<std::size_t>(transport.rank())], path);
        });
    const Json trace = Json::parse(gas_test::read_text(path));
    CHECK(trace["otherData"]["events_left_out"] == 0);

    struct Slice {
      double begin, end;
      std::string name;
    };
    std::map<std::pair<int, int>, std::vector<Slice>> lanes;
    std::map<std::uint64_t, std::pair<double, double>> arrows;
    std::map<int, std::map<std::string, std::string>> names;
    std::uint64_t sent = 0, arrived = 0;
    for (const Json& event : trace["traceEvents"]) {
      const std::string ph = event["ph"];
      const int rank = event["pid"];
      if (ph == "M") {
        CHECK(rank < ranks);
        names[rank][event["name"]] = event["args"]["name"];
      } else if (ph == "X") {
        const double begin = event["ts"], duration = event["dur"];
        CHECK(begin >= 0);
        CHECK(duration >= 0);
        lanes[{rank, event["tid"]}].push_back({begin, begin + duration, event["name"]});
      } else if (ph == "s" || ph == "f") {
        auto& [from, to] = arrows.try_emplace(event["id"], -1, -1).first->second;
        (ph == "s" ? from : to) = event["ts"];
      } else {
        REQUIRE(ph == "i");
        const bool here = event["args"]["from"] == rank;
        // At the end of a run ranks meet by messages that hold nothing.
        CHECK((event["args"]["bytes"] > 0 || !event["args"].contains("round")));
        CHECK(event["args"]["to"] == (here ? event["args"]["to"] : Json(rank)));
        ++(here ? sent : arrived);
      }
    }
    CHECK(sent > 0);
    CHECK(sent == arrived);
    CHECK(arrows.size() == sent);
    for (const auto& [id, times] : arrows) {
      CHECK(times.first >= 0);
      CHECK(times.second >= times.first);
    }
    for (int rank = 0; rank < ranks; ++rank) {
      CHECK(names[rank]["process_name"] == "rank " + std::to_string(rank));
      std::multiset<std::string> rounds_seen;
      int steps = 0, waits = 0;
      for (const Slice& slice : lanes[{rank, 0}]) {
        if (slice.name.starts_with("round ")) rounds_seen.insert(slice.name);
        steps += slice.name == "step 1" ? 1 : 0;
        waits += slice.name == "wait for rank 2" ? 1 : 0;
      }
      CHECK(rounds_seen == std::multiset<std::string>{"round 1", "round 2", "round 3", "round 4",
                                                      "round 5", "round 6"});
      CHECK(steps == rounds);
      if (rank < 2) CHECK(waits > 0);
      CHECK(lanes.count({rank, 1}) + lanes.count({rank, 2}) > 0);  // workers
    }
    constexpr double rounding = 0.0021;  // microseconds, printed to nanoseconds
    for (auto& [lane, slices] : lanes) {
      std::ranges::sort(slices, [](const Slice& a, const Slice& b) {
        return a.begin < b.begin || (a.begin == b.begin && a.end > b.end);
      });
      std::vector<Slice> open;
      for (const Slice& slice : slices) {
        while (!open.empty() && open.back().end <= slice.begin + rounding) open.pop_back();
        INFO(lane.first << "/" << lane.second << " " << slice.name);
        if (!open.empty()) CHECK(slice.end <= open.back().end + rounding);
        if (lane.second > 0) CHECK(open.empty());
        open.push_back(slice);
      }
    }
  }
}

TEST_CASE("a trace is bounded and counts what it leaves out", "[observe]") {
  gas::Trace trace;
  for (std::size_t i = 0; i < gas::Trace::most_events + 3; ++i) trace.add({});
  CHECK(trace.events().size() == gas::Trace::most_events);
  CHECK(trace.left_out() == 3);
}

TEST_CASE("stragglers are slow as often and as much as they should", "[observe]") {
  constexpr int ranks = 4;
  constexpr std::uint64_t rounds = 4000;
  const auto factors = [&](gas::Slowness slowness, int rank, std::uint64_t seed = 1) {
    const gas::Straggler straggler(slowness, 1, seed, rank, ranks);
    std::vector<double> all;
    for (std::uint64_t round = 1; round <= rounds; ++round) all.push_back(straggler.seconds(round));
    return all;
  };
  for (int rank = 0; rank < ranks; ++rank) {
    CHECK(factors(gas::Slowness::even, rank) == std::vector<double>(rounds, 1));
    const auto transient = factors(gas::Slowness::transient, rank);
    CHECK(std::ranges::count(transient, 10) == Approx(rounds / 10).epsilon(0.15));
    CHECK(std::ranges::count(transient, 1) + std::ranges::count(transient, 10) == rounds);
    CHECK(transient != factors(gas::Slowness::transient, (rank + 1) % ranks));
    CHECK(transient != factors(gas::Slowness::transient, rank, 2));
    CHECK(transient == factors(gas::Slowness::transient, rank));
    const auto cloud = factors(gas::Slowness::cloud, rank);
    CHECK(std::ranges::count_if(cloud, [](double f) { return f > 500.5 / 420; }) ==
          Approx(rounds / 10).epsilon(0.15));
    const auto [least, most] = std::ranges::minmax(cloud);
    CHECK(least == Approx(390.0 / 420));
    CHECK(most == Approx(823.0 / 420));
  }
  std::multiset<double> persistent;
  for (int rank = 0; rank < ranks; ++rank) {
    const auto all = factors(gas::Slowness::persistent, rank);
    CHECK(std::ranges::count(all, all[0]) == rounds);
    persistent.insert(all[0]);
  }
  CHECK(persistent == std::multiset<double>{1, 1, 1, 2});
  std::set<int> turns;
  int before = -1;
  for (std::uint64_t round = 1; round <= 40; ++round) {
    std::vector<int> slow;
    for (int rank = 0; rank < ranks; ++rank)
      if (gas::Straggler(gas::Slowness::rotating, 1, 1, rank, ranks).seconds(round) == 3)
        slow.push_back(rank);
    REQUIRE(slow.size() == 1);
    if (round % 5 != 1) CHECK(slow[0] == before);
    if (round % 5 == 1) CHECK(slow[0] != before);
    before = slow[0];
    turns.insert(before);
  }
  CHECK(turns.size() == ranks);
}
