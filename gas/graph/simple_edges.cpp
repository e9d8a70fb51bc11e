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

/// By the ranks that asked, for each pair: whether it is the first of its kind over all ranks, and
/// then the sum of the values of all, in order.
struct Told {
  std::vector<std::vector<std::uint8_t>> first;
  std::vector<std::vector<double>> sum;  // empty lists where there are no values
};

Told tell_first(Communicator& comm, std::vector<std::vector<Pair>>&& asked,
                std::vector<std::vector<double>>&& values) {
  const auto questions = all_to_all(comm, std::move(asked));
  Told told{std::vector<std::vector<std::uint8_t>>(questions.size()),
            all_to_all(comm, std::move(values))};
  std::size_t count = 0;
  for (const auto& list : questions) count += list.size();
  std::vector<Question> all;
  all.reserve(count);
  for (std::size_t from = 0; from < questions.size(); ++from) {
    told.first[from].resize(questions[from].size());
    for (std::size_t i = 0; i < questions[from].size(); ++i)
      all.push_back({questions[from][i], from, i});
  }
  std::ranges::sort(all);
  double* sum = nullptr;  // of the pair at hand
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto& [pair, from, at] = all[i];
    const bool first = i == 0 || all[i - 1].pair != pair;
    told.first[from][at] = first ? 1 : 0;
    if (told.sum[from].empty()) continue;
    double& value = told.sum[from][at];
    first ? void(sum = &value) : void(*sum += value);
  }
  return {all_to_all(comm, std::move(told.first)), all_to_all(comm, std::move(told.sum))};
}

}  // namespace

void make_simple(Communicator& comm, const GraphShape& shape, EdgeList& edges,
                 std::vector<Part>& parts) {
  const bool narrow = !edges.value.empty(), wide = !edges.wide_value.empty();
  const bool valued = all_max(comm, narrow || wide ? 1 : 0) > 0;
  std::vector<std::uint8_t> keep(edges.size());
  for (std::size_t e = 0; e < edges.size(); ++e) keep[e] = edges.source[e] != edges.target[e];
  if (comm.size() > 1 || valued) {
    const BlockDistribution blocks{shape.sources, comm.size()};
    std::vector<std::vector<Pair>> asked(static_cast<std::size_t>(comm.size()));
    std::vector<std::vector<double>> values(asked.size());
    std::vector<std::vector<std::size_t>> where(asked.size());
    for (std::size_t e = 0; e < edges.size(); ++e) {
      if (keep[e] == 0) continue;
      Pair pair{edges.source[e], edges.target[e]};
      if (edges.both_ways && pair.first > pair.second) std::swap(pair.first, pair.second);
      const auto to = static_cast<std::size_t>(blocks.owner(pair.first));
      asked[to].push_back(pair);
      if (valued)
        values[to].push_back(wide ? edges.wide_value[e] : narrow ? double{edges.value[e]} : 1);
      where[to].push_back(e);
    }
    const Told told = tell_first(comm, std::move(asked), std::move(values));
    for (std::size_t to = 0; to < told.first.size(); ++to)
      for (std::size_t i = 0; i < told.first[to].size(); ++i) {
        const std::size_t e = where[to][i];
        keep[e] = told.first[to][i];
        if (keep[e] == 0) continue;
        if (narrow) edges.value[e] = static_cast<float>(told.sum[to][i]);
        if (wide) edges.wide_value[e] = told.sum[to][i];
      }
  }
  keep_edges(edges, &parts, [&](std::size_t e) { return keep[e] != 0; });
}

}  // namespace gas
