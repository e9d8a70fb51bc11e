#pragma once

#include <algorithm>
#include <filesystem>
#include <numeric>
#include <span>
#include <vector>

#include "gas/engine/engine.hpp"
#include "programs/lda/topic_counts.hpp"
#include "tools/support/run/run_tool.hpp"
#include "tools/support/run/write_rows.hpp"

namespace gas::tools {

/// The rows that are mastered here, by local id. Local.
inline std::vector<VertexId> masters(const VertexLayout& layout) {
  return {layout.rows.begin(), layout.rows.begin() + layout.masters()};
}

/// Hands the words' rows to an engine; weight(i, k) is topic k's of master i.
template <class Program, class Weight>
void give_words(Engine<Program>& engine, std::size_t topics, Weight weight) {
  std::size_t i = 0;
  engine.template local_give<typename Program::Word>([&](VertexId, RowView<float> out) {
    TopicRow::write(out, topics, [&](std::size_t k) { return weight(i, k); });
    ++i;
  });
}

/// θ by document: each document's topics are on the rank that has its edges. Collective.
template <class Program>
void write_documents(Run& run, Engine<Program>& engine, const LocalGraph& graph, std::size_t topics,
                     double alpha, const loaders::RowIds& ids,
                     const std::filesystem::path& folder) {
  const std::vector<VertexId> rows = masters(graph.owner);
  std::vector<float> theta(rows.size() * topics, 0.0F);
  const auto by_row = [&] {
    std::vector<std::size_t> order(rows.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order, {}, [&](std::size_t i) { return rows[i]; });
    return order;
  }();
  const auto place = [&](VertexId row) {
    return *std::ranges::lower_bound(by_row, row, {}, [&](std::size_t i) { return rows[i]; });
  };
  engine.local_for_each_edge([&](VertexId document, VertexId, const auto& token) {
    if (token.topic != TopicCounts::none) ++theta[place(document) * topics + token.topic];
  });
  for (std::size_t d = 0; d < rows.size(); ++d) {
    const std::span<float> row(theta.data() + d * topics, topics);
    const double length = std::accumulate(row.begin(), row.end(), 0.0);
    for (float& x : row)
      x = static_cast<float>((static_cast<double>(x) + alpha) /
                             (length + static_cast<double>(topics) * alpha));
  }
  write_rows<float>(run, folder, "document_topic", ids, topics, rows, theta);
}

}  // namespace gas::tools
