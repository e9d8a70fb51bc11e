#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "gas/context.hpp"
#include "gas/engine/engine.hpp"
#include "gas/graph/by_id.hpp"
#include "programs/calls/matrix.hpp"

namespace gas {

/// How many weights of a model are not 0.
inline std::uint64_t nonzeros_of(const std::vector<double>& weights) {
  return weights.size() - static_cast<std::uint64_t>(std::ranges::count(weights, 0.0));
}

/// Examples laid out as a graph examples – weights, on the ranks that compute with them. A model
/// has a weight per column of the matrix, and that of the bias last, if it has one.
class LaidOutExamples {
 public:
  LaidOutExamples(const Context& context, const Matrix& matrix, bool bias, Cuts cuts = Cuts::any)
      : context_(context),
        matrix_(matrix),
        bias_(bias),
        layout_(matrix.laid_out(context, {.cuts = cuts, .occurring = true, .ones = bias})) {}

  const std::shared_ptr<const LocalGraph>& graph() const { return layout_.graph; }
  double count() const { return static_cast<double>(layout_.graph->owner.count); }
  /// Of a model of all columns.
  std::size_t weights() const { return layout_.columns + (bias_ ? 1 : 0); }

  /// A value per example that this rank gave → one per master. Collective.
  std::vector<double> to_masters(std::span<const double> given) const {
    return gas::to_masters(comm(), layout_.graph->owner, given, shares());
  }
  /// The way back, of `width` values per example. Collective.
  std::vector<double> to_given(std::vector<double> of_masters, std::size_t width = 1) const {
    return to_blocks(comm(), layout_.graph->owner, std::move(of_masters), width, shares());
  }

  /// Sets Weight::w of a program from a model's weights; 0 where the model has none.
  template <class P>
  void hand_over_weights(Engine<P>& engine, const std::vector<double>& weights) const {
    engine.template local_for_each<typename P::Weight>([&](VertexId vertex, auto& weight) {
      const std::size_t at = place(vertex, weights.size());
      weight.w = at < weights.size() ? weights[at] : 0;
    });
  }
  /// Weight::w of all vertices, on every rank. Collective.
  template <class P>
  std::vector<double> weights_by_vertex(Engine<P>& engine) const {
    return whole(comm(), engine.template by_id<typename P::Weight>(
                             [](const auto& weight) { return weight.w; }));
  }
  /// From weights by vertex, `rows` of each, to as many rows of a model; 0 of columns that do not
  /// occur.
  std::vector<double> to_model(const std::vector<double>& by_vertex, std::size_t rows = 1) const {
    const std::size_t width = weights();
    std::vector<double> all(rows * width);
    for (VertexId vertex = 0; vertex < layout_.graph->parameter.count; ++vertex)
      for (std::size_t row = 0; row < rows; ++row)
        all[row * width + place(vertex, width)] = by_vertex[vertex * rows + row];
    return all;
  }

 protected:
  Communicator& comm() const { return context_.transport(); }
  const RowShares& shares() const { return matrix_.shares(context_); }
  /// Where in a row of `width` weights that of a vertex is; `width`: nowhere.
  std::size_t place(VertexId vertex, std::size_t width) const {
    if (bias_ && vertex + 1 == layout_.graph->parameter.count) return width - 1;
    const std::size_t column = layout_.occurring.empty() ? vertex : layout_.occurring[vertex];
    return column < width - (bias_ ? 1 : 0) ? column : width;
  }

 private:
  const Context& context_;
  const Matrix& matrix_;
  bool bias_;
  MatrixLayout layout_;
};

}  // namespace gas
