#include "gas/graph/simple_edges.hpp"

#include <algorithm>
#include <utility>

#include "gas/graph/keep_edges.hpp"

namespace gas {
namespace {

struct Pair {
  VertexId first, second;
  auto operator<=>(const Pair&) const = default;
};

/// A pair that rank `from` asked for, as its number `at`; in order, the first of a pair is that of
/// the list.
struct Question {
  Pair pair;
  std::size_t from, at;
  auto operator<=>(const Question&) const = default;
};

/// Which pairs are the first of their kind over all ranks, by the ranks that were asked.
std::vector<std::vector<std::uint8_t>> firsts(Communicator& comm,
                                              std::vector<std::vector<Pair>>&& asked) {
  const auto questions = all_to_all(comm, std::move(asked));
  std::vector<Question> all;
  std::vector<std::vector<std::uint8_t>> answers(questions.size());
  for (std::size_t from = 0; from < questions.size(); ++from) {
    answers[from].resize(questions[from].size());
    for (std::size_t i = 0; i < questions[from].size(); ++i)
      all.push_back({questions[from][i], from, i});
  }
  std::ranges::sort(all);
  for (std::size_t i = 0; i < all.size(); ++i)
    answers[all[i].from][all[i].at] = i == 0 || all[i - 1].pair != all[i].pair;
  return all_to_all(comm, std::move(answers));
}

}  // namespace

void make_simple(Communicator& comm, const GraphShape& shape, EdgeList& edges,
                 std::vector<Part>& parts) {
  std::vector<std::uint8_t> keep(edges.size());
  for (std::size_t e = 0; e < edges.size(); ++e) keep[e] = edges.source[e] != edges.target[e];
  if (comm.size() > 1) {
    const BlockDistribution blocks{shape.sources, comm.size()};
    std::vector<std::vector<Pair>> asked(static_cast<std::size_t>(comm.size()));
    std::vector<std::vector<std::size_t>> where(asked.size());
    for (std::size_t e = 0; e < edges.size(); ++e) {
      if (keep[e] == 0) continue;
      Pair pair{edges.source[e], edges.target[e]};
      if (edges.both_ways && pair.first > pair.second) std::swap(pair.first, pair.second);
      const auto to = static_cast<std::size_t>(blocks.owner(pair.first));
      asked[to].push_back(pair);
      where[to].push_back(e);
    }
    const auto told = firsts(comm, std::move(asked));
    for (std::size_t to = 0; to < told.size(); ++to)
      for (std::size_t i = 0; i < told[to].size(); ++i) keep[where[to][i]] = told[to][i];
  }
  keep_edges(edges, &parts, [&](std::size_t e) { return keep[e] != 0; });
}

}  // namespace gas
