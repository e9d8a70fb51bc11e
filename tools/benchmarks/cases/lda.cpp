// Sweeps of topics over planted documents: the vertex program against a plain loop.
#include <fmt/format.h>

#include <algorithm>
#include <random>

#include "gas/exchange/local_transport.hpp"
#include "programs/lda/program.hpp"
#include "tools/benchmarks/cases/harness.hpp"
#include "tools/benchmarks/loops/lda_loop.hpp"

using namespace gas;
using namespace gas::bench;

namespace {

constexpr float alpha = 0.1F, beta = 0.01F;

/// Σ log Σ_k θ_dk φ_kw over all tokens. O(tokens · a document's tokens).
double log_likelihood(const TokenRows& x, const TopicState& s) {
  const double priors = static_cast<double>(s.topics) * static_cast<double>(s.alpha);
  std::vector<double> all(x.words);
  for (std::size_t w = 0; w < x.words; ++w)
    for (std::size_t k = 0; k < s.topics; ++k)
      all[w] += static_cast<double>(s.weights[w * s.topics + k]);
  double sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (std::size_t d = 0; d < x.documents; ++d) {
    const auto length = static_cast<double>(x.offsets[d + 1] - x.offsets[d]);
    for (std::uint64_t e = x.offsets[d]; e < x.offsets[d + 1]; ++e) {
      double p = static_cast<double>(s.alpha) * all[x.word[e]];
      for (std::uint64_t other = x.offsets[d]; other < x.offsets[d + 1]; ++other)
        p += static_cast<double>(s.weights[x.word[e] * s.topics + s.topic[other]]);
      sum += std::log(p / (length + priors));
    }
  }
  return sum;
}

/// Each token gets a topic in proportion to a prior and the topics of the document's tokens before
/// it, as gas::Lda has it.
TopicState begin(const TokenRows& x, std::size_t topics) {
  TopicState s{topics,
               alpha,
               beta,
               std::vector<std::uint16_t>(x.offsets[x.documents]),
               std::vector<float>(x.words * topics + 15, beta),
               std::vector<double>(topics, static_cast<double>(x.words) * double{beta})};
  std::mt19937 random(1);
  const double all = static_cast<double>(topics);
  const double prior =
      topics > gas::TopicCounts::most_dense ? std::min(double{alpha}, 1 / all) : double{alpha};
  for (std::size_t d = 0; d < x.documents; ++d)
    for (std::uint64_t e = x.offsets[d]; e < x.offsets[d + 1]; ++e) {
      const auto before = static_cast<double>(e - x.offsets[d]);
      const double at = std::uniform_real_distribution(-all * prior, before)(random);
      s.topic[e] = at < 0 ? static_cast<std::uint16_t>(-at / prior)
                          : s.topic[x.offsets[d] + static_cast<std::uint64_t>(at)];
      s.weights[x.word[e] * topics + s.topic[e]] += 1;
      s.totals[s.topic[e]] += 1;
    }
  for (std::size_t w = 0; w < x.words; ++w)
    for (std::size_t k = 0; k < topics; ++k)
      s.weights[w * topics + k] /= static_cast<float>(s.totals[k]);
  s.starts.assign(x.words + 1, 0);
  s.tokens.resize(s.topic.size());
  for (std::size_t e = 0; e < s.tokens.size(); ++e) ++s.starts[x.word[e] + 1];
  for (std::size_t w = 0; w < x.words; ++w) s.starts[w + 1] += s.starts[w];
  std::vector<std::uint64_t> next(s.starts.begin(), s.starts.end() - 1);
  for (std::size_t e = 0; e < s.tokens.size(); ++e) s.tokens[next[x.word[e]]++] = e;
  return s;
}

/// Gives each word 64 topics in proportion to its weights.
void pick(TopicState& s, const TokenRows& x) {
  std::mt19937 random(2);
  s.picks.resize(x.words * 64);
  for (std::size_t w = 0; w < x.words; ++w) {
    const auto row = s.weights.begin() + static_cast<std::ptrdiff_t>(w * s.topics);
    std::discrete_distribution<std::uint16_t> weights(row,
                                                      row + static_cast<std::ptrdiff_t>(s.topics));
    for (std::size_t i = 0; i < 64; ++i) s.picks[w * 64 + i] = weights(random);
  }
}

void compare(Transport& transport, const Options& options, const std::string& name,
             std::size_t topics, int threads, const std::shared_ptr<const LocalGraph>& graph) {
  const TokenRows rows{graph->owner.interior, graph->parameter.interior,
                       graph->adjacency.offsets.data(), graph->adjacency.neighbours.data()};
  const auto tokens = static_cast<double>(graph->edge_count);
  const auto executor = make_tbb_executor(threads);
  Lda program;
  program.topics = topics;
  program.alpha = alpha;
  program.beta = beta;
  program.words = rows.words;
  program.walks = topics > 256;  // as gas-lda chooses
  Engine<Lda> engine(transport, *executor, graph, program);
  const RunOptions run{.iterations = 1};
  TopicState first = begin(rows, topics);
  first.counts.resize(static_cast<std::size_t>(threads));
  if (program.walks) pick(first, rows);
  TopicState plain = first, native = first;
  Contest contest("lda", name, threads, tokens, "token");
  const auto portable_sweep = program.walks ? portable::lda_walk_sweep : portable::lda_sweep;
  const auto native_sweep = program.walks ? native::lda_walk_sweep : native::lda_sweep;
  contest.add("ours", [&] { return engine.run(run).seconds; });
  contest.add("loop -O3",
              [&] { return seconds_of([&] { portable_sweep(rows, plain, threads); }); });
  contest.add("loop -O3 -march=native",
              [&] { return seconds_of([&] { native_sweep(rows, native, threads); }); });
  engine.run(run);  // gives the tokens their first topics, as begin() does
  contest.run(options);

  engine.run_at_rest();
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
  return run_benchmark(
      argc, argv, "Topics: sweeps of the vertex program against a plain loop",
      [](const Options& options) {
        run_local_ranks(1, [&](Transport& transport) {
          const std::string spec = fmt::format(
              "lda:documents={},words={},topics={},length=100", options.pick(200, 10000, 100000),
              options.pick(200, 5000, 20000), options.pick(10, 100, 100));
          const auto input = make_graph(transport, spec, Repeats::expand);
          for (const int threads : options.threads)
            compare(transport, options, "planted K=100", options.pick(10, 100, 100), threads,
                    input.graph);
          for (const int threads : options.threads)
            compare(transport, options, "planted K=1000", 1000, threads, input.graph);
        });
      });
}
