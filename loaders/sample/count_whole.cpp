#include "loaders/sample/count_whole.hpp"

#include <malloc.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "gas/graph/distinct.hpp"
#include "loaders/sample/load_text.hpp"
#include "loaders/text/byte_stream.hpp"
#include "loaders/text/quoted_rows.hpp"
#include "loaders/text/table.hpp"

namespace gas::loaders {
namespace {

constexpr std::size_t bitmap_places = std::size_t{1} << 27;

class IdBitmap {
 public:
  void add(std::size_t hash) {
    const std::size_t place = hash & (bitmap_places - 1);
    words_[place / 64] |= std::uint64_t{1} << (place % 64);
  }
  void add(const IdBitmap& others) {
    for (std::size_t i = 0; i < words_.size(); ++i) words_[i] |= others.words_[i];
  }
  double different() const {
    std::size_t taken = 0;
    for (const std::uint64_t word : words_) taken += static_cast<std::size_t>(std::popcount(word));
    const auto empty = static_cast<double>(std::max<std::size_t>(1, bitmap_places - taken));
    return static_cast<double>(bitmap_places) *
           -std::log(empty / static_cast<double>(bitmap_places));
  }

 private:
  std::vector<std::uint64_t> words_ = std::vector<std::uint64_t>(bitmap_places / 64);
};

/// Hands on the rows of a file in pieces that end with a row.
template <class Take>
void for_each_piece(const std::string& path, bool quoted, std::size_t piece_bytes, Take take) {
  const Opened opened = open_stream(path);
  std::string text;
  for (bool ended = false; !ended;) {
    const std::size_t before = text.size();
    text.resize(before + piece_bytes);
    std::size_t size = before;
    while (size < text.size() && !ended) {
      const std::size_t count = opened.stream->read(std::span(text).subspan(size));
      ended = count == 0;
      size += count;
    }
    text.resize(size);
    if (ended && !text.empty() && text.back() != '\n') text += '\n';
    std::size_t behind = text.rfind('\n') + 1;  // 0 where there is none
    if (quoted) {
      behind = 0;
      RowEnds ends;
      for (std::size_t end = 0; (end = ends.next(text)) != RowEnds::none;) behind = end + 1;
    }
    if (behind > 0) take(std::string_view(text).substr(0, behind));
    text.erase(0, behind);
  }
}

/// The first row of a text, behind empty lines and comments.
std::string first_row(std::string_view text) {
  while (!text.empty()) {
    const std::string_view row = text.substr(0, text.find('\n') + 1);
    if (detail::is_row(row.substr(0, row.size() - 1))) return std::string(row);
    text.remove_prefix(row.size());
  }
  return "";
}

class Count {
 public:
  explicit Count(const GraphOptions& options)
      : rows_by_place_(has_labels(options.format) || options.format == Format::ldac),
        bipartite_(options.bipartite || rows_by_place_) {}

  void add(Communicator& alone, const LoadedGraph& piece) {
    const EdgeList& edges = piece.edges;
    found_.edges += static_cast<double>(edges.size());
    for (const float value : edges.value) found_.units += static_cast<double>(value);
    for (const double value : edges.wide_value) found_.units += value;
    if (edges.value_bytes() == 0) found_.units += static_cast<double>(edges.size());
    found_.sources += static_cast<double>(piece.shape.sources);
    found_.targets = std::max(found_.targets, static_cast<double>(piece.shape.targets));
    if (!rows_by_place_) add(alone, edges.source, piece.source_ids, source_, found_.source);
    add(alone, edges.target, bipartite_ ? piece.target_ids : piece.source_ids, target_,
        found_.target);
  }
  WholeCount found() {
    found_.source.different = rows_by_place_ ? found_.sources : source_.different();
    found_.target.different = target_.different();
    source_.add(target_);
    found_.both = {source_.different(), std::max(found_.source.largest, found_.target.largest)};
    return found_;
  }

 private:
  static void add(Communicator& alone, const std::vector<VertexId>& column, const RowIds& ids,
                  IdBitmap& bitmap, CountedIds& into) {
    std::vector<VertexId> rows = column;
    keep_each_once(rows);
    for (const VertexId row : rows) {
      if (ids.named()) {
        bitmap.add(std::hash<std::string>()(ids.local_text(alone, row)));
        continue;
      }
      const std::uint64_t number = ids.local_number(alone, row);
      bitmap.add(
          std::hash<std::string_view>()({reinterpret_cast<const char*>(&number), sizeof number}));
      into.largest = std::max(into.largest, static_cast<double>(number));
    }
  }

  bool rows_by_place_;  // rows are the lines, which pieces number anew
  bool bipartite_;
  WholeCount found_;
  IdBitmap source_, target_;
};

}  // namespace

WholeCount count_whole(std::span<const std::string> paths, const GraphOptions& options,
                       std::size_t piece_bytes) {
  GraphOptions with = options;
  const bool quoted = options.format == Format::csv;
  // Pieces behind the first of a file have its header, where one is needed, again.
  const bool headed = quoted ? options.table.header != TableOptions::Header::no
                             : options.table.header == TableOptions::Header::yes ||
                                   detail::names_columns(options.table);
  std::optional<Count> count(options);
  for (const std::string& path : paths) {
    std::string header;
    for_each_piece(path, quoted, piece_bytes, [&](std::string_view piece) {
      const std::string text = header + std::string(piece);
      if (headed && header.empty())
        header =
            quoted ? std::string(piece.substr(0, RowEnds().next(piece) + 1)) : first_row(piece);
      load_text(text, path, [&](Communicator& alone, const std::string& file) {
        const LoadedGraph loaded = load_graph(alone, file, with);
        count->add(alone, loaded);
        with.table.names = options.format == Format::edges && loaded.source_ids.named();
        if (quoted) {
          with.examples = loaded.table;
          with.examples.known = true;
        }
      });
    });
  }
  const WholeCount found = count->found();
  count.reset();
  ::malloc_trim(0);  // what a process holds before it loads is part of the estimate
  return found;
}

}  // namespace gas::loaders
