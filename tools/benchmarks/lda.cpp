// Sweeps of topics over planted documents: the vertex program against a plain loop.
#include "programs/lda.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <random>

#include "gas/exchange/local_transport.hpp"
#include "tools/benchmarks/harness.hpp"
#include "tools/benchmarks/lda_loop.hpp"

using namespace gas;
using namespace gas::bench;

namespace {

constexpr float alpha = 0.1F, beta = 0.01F;

/// Σ log Σ_k θ_dk φ_kw over all tokens.
double log_likelihood(const TokenRows& x, const TopicState& s) {
  double sum = 0;
  std::vector<double> theta(s.topics);
  for (std::size_t d = 0; d < x.documents; ++d) {
    std::ranges::fill(theta, static_cast<double>(s.alpha));
    const auto length = static_cast<double>(x.offsets[d + 1] - x.offsets[d]);
    for (std::uint64_t e = x.offsets[d]; e < x.offsets[d + 1]; ++e) theta[s.topic[e]] += 1;
    for (std::uint64_t e = x.offsets[d]; e < x.offsets[d + 1]; ++e) {
      double p = 0;
      for (std::size_t k = 0; k < s.topics; ++k)
        p += theta[k] * static_cast<double>(s.weights[x.word[e] * s.topics + k]);
      sum += std::log(p / (length + static_cast<double>(s.topics) * static_cast<double>(s.alpha)));
    }
  }
  return sum;
}

/// Each token gets a topic in proportion to alpha and the topics of the document's tokens before
/// it.
TopicState begin(const TokenRows& x, std::size_t topics) {
  TopicState s{topics,
               alpha,
               beta,
               std::vector<std::uint16_t>(x.offsets[x.documents]),
               std::vector<float>(x.words * topics + 15, beta),
               std::vector<double>(topics, static_cast<double>(x.words) * double{beta})};
  std::mt19937 random(1);
  for (std::size_t d = 0; d < x.documents; ++d)
    for (std::uint64_t e = x.offsets[d]; e < x.offsets[d + 1]; ++e) {
      const auto before = static_cast<double>(e - x.offsets[d]);
      const double priors = static_cast<double>(topics) * double{alpha};
      const double at = std::uniform_real_distribution(-priors, before)(random);
      s.topic[e] = at < 0 ? static_cast<std::uint16_t>(-at / double{alpha})
                          : s.topic[x.offsets[d] + static_cast<std::uint64_t>(at)];
      s.weights[x.word[e] * topics + s.topic[e]] += 1;
      s.totals[s.topic[e]] += 1;
    }
  for (std::size_t w = 0; w < x.words; ++w)
    for (std::size_t k = 0; k < topics; ++k)
      s.weights[w * topics + k] /= static_cast<float>(s.totals[k]);
  return s;
}

void compare(Transport& transport, const Options& options, const std::string& name,
             std::size_t topics, int threads, const std::shared_ptr<const LocalGraph>& graph) {
  const TokenRows rows{graph->home.interior, graph->parameter.interior,
                       graph->adjacency.offsets.data(), graph->adjacency.neighbours.data()};
  const auto tokens = static_cast<double>(graph->edge_count);
  const auto executor = make_tbb_executor(threads);
  Lda program;
  program.topics = topics;
  program.alpha = alpha;
  program.beta = beta;
  program.words = rows.words;
  Engine<Lda> engine(transport, *executor, graph, program);
  RunOptions run{.iterations = 0};
  TopicState first = begin(rows, topics);
  first.counts.resize(static_cast<std::size_t>(threads));
  TopicState plain = first, native = first;
  Contest contest("lda", name, threads, tokens, "token");
  contest.add("ours", [&] {
    ++run.iterations;
    return engine.run(run).seconds;
  });
  contest.add("loop -O3",
              [&] { return seconds_of([&] { portable::lda_sweep(rows, plain, threads); }); });
  contest.add("loop -O3 -march=native",
              [&] { return seconds_of([&] { native::lda_sweep(rows, native, threads); }); });
  contest.run(options);

  engine.program().measures = true;
  ++run.iterations;
  engine.run(run);
  const double reference = log_likelihood(rows, plain);
  const auto off = [&](double found) { return std::abs(found / reference - 1); };
  const double most = options.pick(0.05, 0.01, 0.01);  // the draws differ, so these do a little
  contest.check("ours", off(Lda::log_likelihood(engine.last().data())), most);
  contest.check("loop -O3", 0, most);
  contest.check("loop -O3 -march=native", off(log_likelihood(rows, native)), most);
  contest.print();
}

}  // namespace

int main(int argc, char* argv[]) {
  return run_benchmark(argc, argv, "Topics: sweeps of the vertex program against a plain loop",
                       [](const Options& options) {
                         run_local_ranks(1, [&](Transport& transport) {
                           const std::string spec = fmt::format(
                               "lda:documents={},words={},topics={},length=100",
                               options.pick(200, 10000, 100000), options.pick(200, 5000, 20000),
                               options.pick(10, 100, 100));
                           const auto input = make_graph(transport, spec, Repeats::expand);
                           for (const int threads : options.threads)
                             compare(transport, options, "planted K=100",
                                     options.pick(10, 100, 100), threads, input.graph);
                         });
                       });
}
