#include "tools/lda/tokens.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "gas/graph/keep_edges.hpp"
#include "tools/support/ids/row_names.hpp"
#include "tools/support/run/room.hpp"
#include "tools/support/show/counted.hpp"

namespace gas::tools {
namespace {

/// If most words have blanks, the input is likely to have texts in their place.
void tell_texts(Run& run, const loaders::RowIds& words) {
  constexpr std::uint64_t most = 1000;  // that a rank looks at
  Communicator& comm = run.transport;
  std::uint64_t texts = 0, seen = 0;
  const std::uint64_t here = BlockDistribution{words.rows(), comm.size()}.count(comm.rank());
  for (; words.named() && seen < std::min(most, here); ++seen)
    texts += words.local_text(comm, seen).find(' ') != std::string::npos ? 1 : 0;
  texts = all_sum(comm, texts);
  seen = all_sum(comm, seen);
  if (2 * texts > seen)
    run.warn(
        "most words have blanks; if these are texts, count their words first (docs/formats.md says "
        "how)");
}

constexpr double bytes_per_topic = 5;  // that a round sends of a word's counts, measured at K = 100

}  // namespace

GraphWish tokens_wish(std::uint64_t topics) {
  return {.kinds = Kinds::two,
          .values = Values::counts,
          .repeats = Repeats::expand,
          .cuts = Cuts::whole,
          .bytes_per_mirror = bytes_per_topic * static_cast<double>(topics)};
}

InputGraph read_tokens(Run& run, std::uint64_t topics) {
  InputGraph loaded = read_graph(run, tokens_wish(topics));
  check_counts(run.transport, loaded.edges, run.options.input_name());
  tell_texts(run, loaded.target_ids);
  return loaded;
}

InputGraph read_tokens_of(Run& run, const std::string& file, std::uint64_t topics) {
  InputGraph loaded{
      loaders::load_graph(run.transport, file, graph_options(run, tokens_wish(topics))),
      std::nullopt};
  for (const std::string& note : loaded.notes) run.warn(note);
  check_counts(run.transport, loaded.edges, file);
  return loaded;
}

std::optional<std::uint64_t> words_from(loaders::Format format) {
  switch (format) {
    case loaders::Format::ldac:
      return 0;
    case loaders::Format::docword:
    case loaders::Format::mtx:
      return 1;
    default:
      return std::nullopt;
  }
}

std::vector<VertexId> rows_of_words(Run& run, const InputGraph& graph,
                                    const std::vector<std::string>& known,
                                    std::optional<std::uint64_t> known_from) {
  const std::optional<std::uint64_t> from = words_from(graph.format);
  if (!from || !known_from || *from == *known_from)
    return rows_among(run.transport, graph.target_ids, known);
  std::vector<VertexId> rows(graph.shape.targets, no_row);
  for (std::size_t word = 0; word < std::min(rows.size(), known.size()); ++word)
    rows[word] = to_vertex_id(word);
  return rows;
}

void rename_words(Run& run, InputGraph& graph, const std::vector<VertexId>& rows,
                  std::uint64_t words) {
  keep_edges(graph.edges, graph.stored ? &graph.stored->cut.edge_part : nullptr,
             [&](std::size_t e) {
               VertexId& word = graph.edges.target[e];
               word = rows[word];
               return word != no_row;
             });
  graph.shape.targets = words;
  if (graph.stored) {  // parts of words that the folder may not have
    Partition& cut = graph.stored->cut;
    const BlockDistribution blocks{words, run.transport.size()};
    cut.target_master.resize(blocks.count(run.transport.rank()));
    for (std::uint64_t i = 0; i < cut.target_master.size(); ++i)
      cut.target_master[i] =
          static_cast<Part>((blocks.first(run.transport.rank()) + i) * cut.parts / words);
  }
  const auto unknown = static_cast<std::uint64_t>(std::ranges::count(rows, no_row));
  if (unknown > 0)
    run.warn(counted(unknown, "word is", "words are") + " not in the model and left out");
}

void check_rows(Run& run, std::uint64_t words, std::size_t topics, double bytes_per_weight) {
  check_room(run, fmt::format("{} words × {} topics", words, topics),
             static_cast<double>(words) * static_cast<double>(topics) * bytes_per_weight);
}

}  // namespace gas::tools
