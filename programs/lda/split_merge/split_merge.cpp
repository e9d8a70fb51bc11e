#include "programs/lda/split_merge/split_merge.hpp"

#include <algorithm>
#include <vector>

#include "programs/calls/engine_bytes.hpp"
#include "programs/lda/split_merge/program.hpp"

namespace gas {
namespace {

constexpr std::uint64_t most_rounds = 8;  // of documents' sides

/// Tokens of topic `from` become of topic `into`, and those of side 1 of topic `split` of `from`.
struct Move {
  std::size_t from, into, split;
};
/// What a split or a merger adds to the log of the joint likelihood.
struct Gain {
  double gain;
  std::size_t a, b;  // a topic, or two
};

std::vector<Move> likelier_moves(const TopicSides& program, const TopicSides::Summary& documents,
                                 const TopicSides::Summary& words) {
  const RisingFactorial topic(static_cast<double>(program.words) * program.beta);
  const auto tokens = [&](std::size_t k, std::size_t side) {
    return documents.values[program.place(k, side)];
  };
  const auto all = [&](std::size_t k) { return tokens(k, 0) + tokens(k, 1); };
  std::vector<Gain> splits, mergers;
  for (std::size_t a = 0; a < program.topics; ++a) {
    splits.push_back({static_cast<double>(words.values[program.split(a)]) * TopicSides::unit -
                          (topic(tokens(a, 0)) + topic(tokens(a, 1)) - topic(all(a))),
                      a, a});
    for (std::size_t b = a + 1; b < program.topics; ++b) {
      const std::size_t pair = program.merged(a, b);
      mergers.push_back(
          {static_cast<double>(documents.values[pair] + words.values[pair]) * TopicSides::unit -
               (topic(all(a) + all(b)) - topic(all(a)) - topic(all(b))),
           a, b});
    }
  }
  const auto more = [](const Gain& x, const Gain& y) { return x.gain > y.gain; };
  std::ranges::stable_sort(splits, more);
  std::ranges::stable_sort(mergers, more);

  std::vector<char> moved(program.topics, 0);
  std::vector<Move> moves;
  for (const Gain& split : splits) {
    if (moved[split.a] || tokens(split.a, 0) == 0 || tokens(split.a, 1) == 0) continue;
    const auto pair = std::ranges::find_if(mergers, [&](const Gain& two) {
      return !moved[two.a] && !moved[two.b] && two.a != split.a && two.b != split.a;
    });
    if (pair == mergers.end() || split.gain + pair->gain <= 0) continue;
    moves.push_back({pair->b, pair->a, split.a});
    moved[pair->a] = moved[pair->b] = moved[split.a] = 1;
  }
  return moves;
}

TopicSides sides_of(std::size_t topics) {
  TopicSides program;
  program.topics = topics;
  return program;
}

}  // namespace

std::size_t split_merge(const Context& context, const std::shared_ptr<const LocalGraph>& tokens,
                        const LdaPriors& priors, Random random, const EachTopic& each) {
  if (priors.alpha.size() < 3) return 0;
  TopicSides program = sides_of(priors.alpha.size());
  program.alpha = priors.alpha_sum() / static_cast<double>(program.topics);
  program.beta = priors.beta;
  program.words = tokens->parameter.count;
  program.random = random;
  std::vector<std::uint16_t> topics;
  topics.reserve(tokens->adjacency.neighbours.size());
  each([&](std::uint16_t& topic) { topics.push_back(topic); });

  Engine<TopicSides> engine(context.transport(), context.executor(), tokens, program);
  std::size_t next = 0;
  engine.local_for_each_edge(
      [&](VertexId, VertexId, TopicSides::Token& token) { token.topic = topics[next++]; });
  engine.run({.iterations = most_rounds});
  engine.run_at_rest();
  const std::vector<Move> moves =
      likelier_moves(program, engine.last().data(), engine.last().parameter());

  std::vector<std::uint16_t> becomes(2 * program.topics);  // by topic and side
  for (std::size_t i = 0; i < becomes.size(); ++i) becomes[i] = static_cast<std::uint16_t>(i / 2);
  for (const auto [from, into, split] : moves) {
    becomes[program.place(from, 0)] = becomes[program.place(from, 1)] =
        static_cast<std::uint16_t>(into);
    becomes[program.place(split, 1)] = static_cast<std::uint16_t>(from);
  }
  next = 0;
  engine.local_for_each_edge([&](VertexId, VertexId, const TopicSides::Token& token) {
    if (token.topic != TopicCounts::none)
      topics[next] = becomes[program.place(token.topic, token.side)];
    ++next;
  });
  next = 0;
  each([&](std::uint16_t& topic) { topic = topics[next++]; });
  return moves.size();
}

double split_merge_bytes(const PieceSizes& piece, std::size_t topics) {
  return detail::engine_bytes(sides_of(topics), piece) + piece.edges * sizeof(std::uint16_t);
}

}  // namespace gas
