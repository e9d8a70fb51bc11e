#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "gas/base/error.hpp"
#include "loaders/generate/parts.hpp"
#include "loaders/generate/random.hpp"
#include "loaders/ids/numeric_ids.hpp"

namespace gas::loaders::detail {
namespace {

/// A permutation of 0 … 2^scale − 1: odd factors and shifts, both of which can be undone.
class Scramble {
 public:
  Scramble(std::uint64_t seed, std::uint64_t scale)
      : mask_((std::uint64_t{1} << scale) - 1), shift_((scale + 1) / 2) {
    Draws draws(seed, Use::scramble, 0);
    for (auto& [factor, offset] : rounds_) {
      factor = draws.next64() | 1;
      offset = draws.next64();
    }
  }
  std::uint64_t operator()(std::uint64_t id) const {
    for (const auto& [factor, offset] : rounds_) {
      id = (id * factor + offset) & mask_;
      id ^= id >> shift_;
    }
    return id;
  }

 private:
  std::uint64_t mask_, shift_;
  std::array<std::pair<std::uint64_t, std::uint64_t>, 4> rounds_;
};

/// A quarter of the matrix per bit, by 16 random bits.
std::pair<std::uint64_t, std::uint64_t> draw_kronecker(Draws& draws, std::uint64_t scale) {
  constexpr std::uint32_t a = 37356, ab = 49807, abc = 62259;  // of 65536
  std::uint64_t row = 0, column = 0;
  std::uint32_t word = 0;
  for (std::uint64_t bit = 0; bit < scale; ++bit) {
    word = bit % 2 == 0 ? draws.next() : word >> 16;
    const std::uint32_t part = word & 65535;
    row = row << 1 | (part >= ab ? 1U : 0U);
    column = column << 1 | ((part >= a && part < ab) || part >= abc ? 1U : 0U);
  }
  return {row, column};
}

/// Ids as number_ids takes them; scales are small enough for 4 bytes.
IdColumn take_ids(std::vector<VertexId>& ids) {
  IdBlock block{PageArray<std::uint32_t>(ids.size()), {}};
  std::transform(ids.begin(), ids.end(), block.narrow.data(),
                 [](VertexId id) { return static_cast<std::uint32_t>(id); });
  IdColumn column{{}, &ids};
  column.blocks.push_back(std::move(block));
  ids = std::vector<VertexId>();
  return column;
}

EdgeList drawn(Communicator& comm, const GeneratorSpec& spec) {
  const std::uint64_t scale = spec.whole("scale");
  const std::uint64_t ids = std::uint64_t{1} << scale;
  const bool kronecker = spec.name == "kronecker";
  const Scramble scramble(spec.seed, scale);
  const BlockDistribution shares{spec.whole("degree") * ids, comm.size()};
  const BlockDistribution owner{ids, comm.size()};
  std::vector<std::vector<std::uint64_t>> out(static_cast<std::size_t>(comm.size()));
  const std::uint64_t first = shares.first(comm.rank());
  for (std::uint64_t i = first; i < first + shares.count(comm.rank()); ++i) {
    Draws draws(spec.seed, Use::pair, i);
    std::uint64_t a = 0, b = 0;
    if (kronecker) {
      std::tie(a, b) = draw_kronecker(draws, scale);
      a = scramble(a);
      b = scramble(b);
    } else {
      a = draws.below(ids);
      b = draws.below(ids);
    }
    if (a == b) continue;
    if (a > b) std::swap(a, b);
    out[static_cast<std::size_t>(owner.owner(a))].push_back(a << scale | b);
  }
  auto arrived = all_to_all(comm, std::move(out));
  std::vector<std::uint64_t> pairs = std::move(arrived[static_cast<std::size_t>(comm.rank())]);
  for (auto& block : arrived) {
    pairs.insert(pairs.end(), block.begin(), block.end());
    block = std::vector<std::uint64_t>();
  }
  std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  EdgeList edges;
  edges.source.reserve(pairs.size());
  edges.target.reserve(pairs.size());
  for (const std::uint64_t pair : pairs) {
    edges.source.push_back(to_vertex_id(pair >> scale));
    edges.target.push_back(to_vertex_id(pair & (ids - 1)));
  }
  return edges;
}

EdgeList grid(const Communicator& comm, std::uint64_t side) {
  const BlockDistribution owner{side * side, comm.size()};
  EdgeList edges;
  const auto add = [&](std::uint64_t a, std::uint64_t b) {
    edges.source.push_back(to_vertex_id(a));
    edges.target.push_back(to_vertex_id(b));
  };
  const std::uint64_t first = owner.first(comm.rank());
  for (std::uint64_t v = first; v < first + owner.count(comm.rank()); ++v) {
    if (v % side + 1 < side) add(v, v + 1);
    if (v + side < side * side) add(v, v + side);
  }
  return edges;
}

}  // namespace

EdgeList draw_pairs(Communicator& comm, const GeneratorSpec& spec) {
  EdgeList edges = spec.name == "grid" ? grid(comm, spec.whole("side")) : drawn(comm, spec);
  if (const std::uint64_t longest = spec.whole("lengths"); longest > 0) {
    edges.value.reserve(edges.size());
    for (std::size_t e = 0; e < edges.size(); ++e) {
      const std::uint64_t pair = std::uint64_t{edges.source[e]} << 32U | edges.target[e];
      edges.value.push_back(1 +
                            static_cast<float>(Draws(spec.seed, Use::length, pair).below(longest)));
    }
  }
  return edges;
}

Generated generate_pairs(Communicator& comm, const GeneratorSpec& spec,
                         std::optional<std::uint64_t> vertices) {
  LoadedGraph graph;
  graph.edges = draw_pairs(comm, spec);
  if (vertices) {
    together(comm, [&] {
      for (const VertexId id : graph.edges.target)  // the larger of each pair
        if (id >= *vertices)
          throw InputError(fmt::format("a generated edge: found the id {}, expected less than {}",
                                       id, *vertices));
    });
    graph.source_ids = RowIds(*vertices, 0);
  } else {
    IdColumn source = take_ids(graph.edges.source), target = take_ids(graph.edges.target);
    graph.source_ids = number_ids(comm, 1, std::array{&source, &target});
  }
  graph.shape = {graph.source_ids.rows(), graph.source_ids.rows(), false};
  Generated generated;
  generated.graph = std::move(graph);
  generated.undirected = true;
  return generated;
}

}  // namespace gas::loaders::detail
