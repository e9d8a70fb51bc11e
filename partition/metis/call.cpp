#include "partition/metis/call.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <metis.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <compare>
#include <cstdio>
#include <functional>
#include <limits>
#include <mutex>
#include <numeric>
#include <queue>
#include <tuple>

#include "gas/base/error.hpp"
#include "partition/measure/balance.hpp"
#include "partition/metis/repair.hpp"
#include "partition/metis/sigterm.hpp"

namespace gas::partition {
namespace {

static_assert(sizeof(idx_t) == sizeof(std::int32_t),
              "found a METIS with 64-bit ids, expected one built with IDXTYPEWIDTH 32");

constexpr std::uint64_t most_weight = std::numeric_limits<idx_t>::max();  // of all vertices

/// 16 per edge that follows the vertex (less in graphs so large that the sum would not fit) and 1
/// per owner, so that vertices without edges of their own are spread, too.
std::vector<std::uint64_t> by_degree(const MetisGraph& graph) {
  const std::uint64_t edges =
      std::accumulate(graph.weight.begin(), graph.weight.end(), std::uint64_t{0});
  const std::uint64_t scale = std::clamp<std::uint64_t>(
      (most_weight - graph.vertices()) / std::max<std::uint64_t>(edges, 1), 1, 16);
  std::vector<std::uint64_t> weight;
  weight.reserve(graph.vertices());
  for (std::size_t i = 0; i < graph.vertices(); ++i)
    weight.push_back(graph.weight[i] * scale + (graph.owner[i] ? 1 : 0));
  return weight;
}

/// The weights that METIS balances; a hub's is what its part is to weigh.
std::vector<idx_t> balanced_weights(const std::vector<std::uint64_t>& weight, Part parts) {
  const std::uint64_t all = std::accumulate(weight.begin(), weight.end(), std::uint64_t{0});
  if (all > most_weight)
    throw InputError(fmt::format(
        "METIS takes weights that add up to {} at most, found {}: use 'hypergraph', 'aweto' or "
        "'range', or smaller weights",
        most_weight, all));
  const std::uint64_t most = limit_beside_hubs(
      weight, parts, [](std::uint64_t rest, Part left) { return rest / left + 1; });
  std::vector<idx_t> clamped;
  clamped.reserve(weight.size());
  for (const std::uint64_t w : weight) clamped.push_back(static_cast<idx_t>(std::min(w, most)));
  return clamped;
}

std::vector<Part> by_weight(const std::vector<idx_t>& weight, Part parts) {
  std::vector<std::size_t> order(weight.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return weight[a] > weight[b]; });
  using Load = std::tuple<std::int64_t, std::size_t, Part>;  // weight, vertices, part
  std::priority_queue<Load, std::vector<Load>, std::greater<>> lightest;
  for (Part part = 0; part < parts; ++part) lightest.emplace(0, 0, part);
  std::vector<Part> result(weight.size());
  for (const std::size_t i : order) {
    const auto [load, vertices, part] = lightest.top();
    lightest.pop();
    result[i] = part;
    lightest.emplace(load + weight[i], vertices + 1, part);
  }
  return result;
}

std::atomic<bool> drops_remarks{false};

/// METIS remarks on standard output when a bisection leaves a side without vertices (nothing is
/// wrong then). Where that is a tool's, which has its results there, sends descriptor 1 nowhere
/// during the call. It is the whole process's, so only whoever has that to itself may ask for it.
template <class Call>
int quietly(Call call) {
  if (!drops_remarks) return call();
  std::fflush(nullptr);
  const int kept = dup(STDOUT_FILENO);
  const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (kept >= 0 && nowhere >= 0) dup2(nowhere, STDOUT_FILENO);
  const int result = call();
  std::fflush(nullptr);
  if (kept >= 0 && nowhere >= 0) dup2(kept, STDOUT_FILENO);
  if (kept >= 0) close(kept);
  if (nowhere >= 0) close(nowhere);
  return result;
}

const char* reason(int status) {
  switch (status) {
    case METIS_ERROR_INPUT:
      return "it refused its input";
    default:
      return "an internal error of METIS";
  }
}

/// What METIS is asked to cut.
struct Problem {
  const MetisGraph& graph;
  const Options& options;
  std::vector<idx_t> weight;  // of the vertices, as METIS balances them
  std::uint64_t most;         // of graph.weight on a part, by the promise
};

std::vector<Part> metis_call(const Problem& problem, MetisScheme scheme) {
  const Options& options = problem.options;
  auto vertices = static_cast<idx_t>(problem.graph.vertices());
  auto parts = static_cast<idx_t>(options.parts);
  idx_t constraints = 1;
  real_t imbalance = static_cast<real_t>(std::max(1.001, 1 + options.imbalance_percent / 100));
  idx_t settings[METIS_NOPTIONS];
  METIS_SetDefaultOptions(settings);
  settings[METIS_OPTION_SEED] = static_cast<idx_t>(options.seed & 0x7fffffffU);
  settings[METIS_OPTION_NUMBERING] = 0;
  MetisGraph copy = problem.graph;  // METIS takes pointers to non-const
  std::vector<idx_t> weight = problem.weight;
  // The same weight for all would cut as none, but not quite where gpmetis does with none.
  const bool weighs_pairs =
      options.weighs_pairs ||
      std::ranges::adjacent_find(copy.pair_weight, std::not_equal_to<>()) != copy.pair_weight.end();
  std::vector<idx_t> found(copy.vertices(), -1);
  idx_t cut = 0;
  static std::mutex one_at_a_time;
  const std::lock_guard lock(one_at_a_time);
  const auto call = [&] {
    const auto method =
        scheme == MetisScheme::kway ? METIS_PartGraphKway : METIS_PartGraphRecursive;
    return method(&vertices, &constraints, copy.begin.data(), copy.neighbour.data(), weight.data(),
                  nullptr, weighs_pairs ? copy.pair_weight.data() : nullptr, &parts, nullptr,
                  &imbalance, settings, &cut, found.data());
  };
  const int status = quietly([&] { return apart_from_sigterm(call); });
  if (status == METIS_ERROR_MEMORY) throw std::bad_alloc();
  if (status != METIS_OK) throw RunError(fmt::format("METIS failed: {}", reason(status)));
  std::vector<Part> result;
  result.reserve(found.size());
  for (const idx_t part : found) {
    if (part < 0 || part >= parts)
      throw RunError(fmt::format("METIS failed: found part {}, expected one of {} parts, from 0",
                                 part, parts));
    result.push_back(static_cast<Part>(part));
  }
  return result;
}

/// How good parts are: a lower one is better.
struct Score {
  std::uint64_t excess = 0;  // of the largest part above the promise
  std::uint64_t cut = 0;     // what cut pairs weigh
  auto operator<=>(const Score&) const = default;
};

Score score(const Problem& problem, const std::vector<Part>& part) {
  const MetisGraph& graph = problem.graph;
  Score score;
  std::vector<std::uint64_t> load(problem.options.parts, 0);
  for (std::size_t v = 0; v < graph.vertices(); ++v) {
    load[part[v]] += graph.weight[v];
    for (auto at = static_cast<std::size_t>(graph.begin[v]);
         at < static_cast<std::size_t>(graph.begin[v + 1]); ++at)
      if (part[v] < part[static_cast<std::size_t>(graph.neighbour[at])])
        score.cut += static_cast<std::uint64_t>(graph.pair_weight[at]);
  }
  const std::uint64_t largest = *std::ranges::max_element(load);
  score.excess = largest - std::min(largest, problem.most);
  return score;
}

std::vector<Part> cut_by(const Problem& problem, MetisScheme scheme) {
  std::vector<Part> part = metis_call(problem, scheme);
  if (problem.options.vertex_weights == VertexWeights::degree ||
      problem.options.metis_scheme == MetisScheme::better)
    repair_balance(problem.graph, problem.most, problem.options.parts, part);
  return part;
}

}  // namespace

void drop_remarks_of_metis() { drops_remarks = true; }

std::vector<Part> metis_parts(const MetisGraph& graph, const Options& options) {
  const bool by_edges = options.vertex_weights == VertexWeights::degree;
  std::vector<idx_t> weight =
      balanced_weights(by_edges ? by_degree(graph) : graph.weight, options.parts);
  if (options.parts == 1 || graph.vertices() <= options.parts || graph.neighbour.empty())
    return by_weight(weight, options.parts);
  const auto all = std::accumulate(graph.weight.begin(), graph.weight.end(), std::uint64_t{0});
  const Problem problem{graph, options, std::move(weight),
                        promised_share(all, options.parts, options.imbalance_percent)};
  if (options.metis_scheme != MetisScheme::better) return cut_by(problem, options.metis_scheme);
  std::vector<Part> bisected = cut_by(problem, MetisScheme::recursive);
  std::vector<Part> at_once = cut_by(problem, MetisScheme::kway);
  const Score of_bisected = score(problem, bisected), of_at_once = score(problem, at_once);
  const bool takes_kway = of_at_once < of_bisected;
  if (options.tell)
    options.tell(fmt::format(
        "metis chose {}: it cuts {} edges, {} cuts {}{}", takes_kway ? "kway" : "recursive",
        std::min(of_bisected, of_at_once).cut / graph.edge_weight,
        takes_kway ? "recursive" : "kway",
        std::max(of_bisected, of_at_once).cut / graph.edge_weight,
        of_bisected.excess != of_at_once.excess ? " and is balanced worse" : ""));
  return takes_kway ? std::move(at_once) : std::move(bisected);
}

}  // namespace gas::partition
