#include "tools/benchmarks/cases/harness.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <thread>

#include "gas/base/error.hpp"
#include "gas/base/random.hpp"
#include "loaders/load_graph.hpp"

namespace gas::bench {

int run_benchmark(int argc, char* argv[], const std::string& what,
                  const std::function<void(const Options&)>& body, Given given) {
  Options options;
  CLI::App app(what);
  app.add_option("--threads", options.threads, "Numbers of threads, one after the other")
      ->delimiter(',')
      ->check(CLI::Range(1, 1024));
  app.add_option("--repeats", options.repeats, "Timed goes of each")->check(CLI::Range(1, 1000));
  app.add_option("--size", options.size, "Of the input")
      ->check(CLI::IsMember({"tiny", "quick", "full"}));
  app.add_option("--least", options.least, "Seconds of a timed go")->check(CLI::Range(0, 60));
  if (given == Given::graph)
    app.add_option("--edges", options.edges, "A graph: pairs of ids, and perhaps lengths")
        ->check(CLI::ExistingFile);
  CLI11_PARSE(app, argc, argv);
  try {
    body(options);
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}: {}\n", argv[0], error.what());
    return 1;
  }
}

double seconds_of(const std::function<void()>& f) {
  const auto begin = std::chrono::steady_clock::now();
  f();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

void Contest::add(std::string who, std::function<double()> go) {
  contenders_.push_back({std::move(who), std::move(go)});
}

void Contest::run(const Options& options) {
  int calls = 1;
  for (int i = 0; i <= options.repeats; ++i) {
    for (Contender& contender : contenders_) {
      // Idle threads of the one before spin for some milliseconds, on processors that this one
      // needs.
      if (options.least > 0) std::this_thread::sleep_for(std::chrono::milliseconds(25));
      double seconds = 0;
      for (int call = 0; call < calls; ++call) seconds += contender.go();
      contender.seconds.push_back(seconds / calls);
    }
    if (i > 0) continue;
    // A power of two, so that a little noise seldom changes how much is done.
    while (calls * contenders_.front().seconds.front() < options.least && calls < 1024) calls *= 2;
    for (Contender& contender : contenders_) contender.seconds.clear();
  }
}

void Contest::check(const std::string& who, double difference, double most) {
  if (!(difference <= most))
    throw RunError(fmt::format("{} {}: the result of {} is off by {}, at most {} is right", kernel_,
                               case_, who, difference, most));
  for (Contender& contender : contenders_)
    if (contender.who == who) contender.difference = difference;
}

void Contest::print() const {
  for (const Contender& contender : contenders_) {
    if (contender.difference < 0)
      throw RunError(fmt::format("{} {}: {} was not checked", kernel_, case_, contender.who));
    const nlohmann::json line = {
        {"kernel", kernel_},   {"case", case_},   {"who", contender.who},
        {"threads", threads_}, {"ranks", ranks_}, {"seconds", contender.seconds},
        {"work", work_},       {"unit", unit_},   {"check", contender.difference}};
    fmt::print("{}\n", line.dump());
  }
  std::fflush(stdout);
}

namespace {

void draw_lengths(EdgeList& pairs, Lengths wanted) {
  const Random random(1);
  if (wanted == Lengths::whole)
    for (std::size_t e = 0; e < pairs.size(); ++e)
      pairs.value.push_back(1 + static_cast<float>(random.bits(e) % 255));
}

std::shared_ptr<const LocalGraph> on_one_rank(Communicator& comm, const GraphShape& shape,
                                              EdgeList edges, Repeats repeats) {
  Partition whole;
  whole.source_master.assign(shape.sources, 0);
  if (shape.bipartite) whole.target_master.assign(shape.targets, 0);
  return std::make_shared<const LocalGraph>(
      build_graph(comm, shape, std::move(edges), std::move(whole), repeats));
}

}  // namespace

BenchGraph make_graph(Communicator& comm, const std::string& spec, Repeats repeats,
                      Lengths lengths) {
  const loaders::GeneratorSpec parsed = loaders::parse_spec(spec);
  loaders::LoadedGraph loaded = std::move(*loaders::generate(comm, parsed).graph);
  draw_lengths(loaded.edges, lengths);
  loaded.edges.both_ways = parsed.undirected();
  BenchGraph result;
  result.labels = std::move(loaded.labels);
  result.graph = on_one_rank(comm, loaded.shape, std::move(loaded.edges), repeats);
  return result;
}

std::shared_ptr<const LocalGraph> make_grid(Communicator& comm, VertexId side, Lengths lengths) {
  EdgeList edges;
  edges.both_ways = true;
  for (VertexId v = 0; v < side * side; ++v)
    for (const VertexId step : {VertexId{1}, side})
      if (step == 1 ? v % side + 1 < side : v + side < side * side) {
        edges.source.push_back(v);
        edges.target.push_back(v + step);
      }
  draw_lengths(edges, lengths);
  const std::uint64_t count = std::uint64_t{side} * side;
  return on_one_rank(comm, {count, count, false}, std::move(edges), Repeats::keep);
}

std::shared_ptr<const LocalGraph> make_chain(Communicator& comm, VertexId length) {
  EdgeList edges;
  edges.both_ways = true;
  for (VertexId v = 0; v + 1 < length; ++v) {
    edges.source.push_back(v);
    edges.target.push_back(v + 1);
  }
  return on_one_rank(comm, {length, length, false}, std::move(edges), Repeats::keep);
}

std::shared_ptr<const LocalGraph> read_graph(Communicator& comm, const std::string& path,
                                             Repeats repeats) {
  loaders::LoadedGraph loaded = loaders::load_graph(comm, path, {.lengths = true});
  loaded.edges.both_ways = true;
  return on_one_rank(comm, loaded.shape, std::move(loaded.edges), repeats);
}

PairGraph pairs_of(const LocalGraph& graph) {
  const Adjacency& adjacency = graph.adjacency;
  return {graph.owner.interior, adjacency.offsets.data(), adjacency.neighbours.data(),
          graph.values.empty() ? nullptr : graph.values.data()};
}

}  // namespace gas::bench
