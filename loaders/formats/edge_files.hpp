#pragma once

#include <algorithm>
#include <iterator>
#include <span>
#include <string>
#include <vector>

#include "gas/base/error.hpp"
#include "loaders/formats/edge_form.hpp"
#include "loaders/formats/size_line.hpp"
#include "loaders/formats/value_rule.hpp"
#include "loaders/text/blocks.hpp"

namespace gas::loaders::detail {

/// How the edges of a file are read.
struct EdgeRows {
  TableForm table;
  bool weighted = false;  // there is a third column
  ValueRule rule;
};

/// The files one after the other, each with its form.
class EdgeFiles {
 public:
  EdgeFiles(Communicator& comm, TextInput& input, const GraphOptions& options)
      : comm_(comm), input_(input), options_(options) {
    open();
    while (first_.table.width == 0 && !input_.last_file()) {  // it has no edge to tell what ids are
      begin_file();
      input_.each_text(1, [](std::size_t, std::string_view) {});
      input_.next_file();
      open();
    }
  }

  bool named() const { return first_.named; }
  /// Whether the first line, which is read as an edge of names, may be a header.
  bool may_begin_with_names() const {
    return named() && first_.table.header == 0 &&
           options_.table.header == TableOptions::Header::automatic;
  }
  EdgeIds ids() const {
    return first_.table.width == 0 ? EdgeIds::unknown : named() ? EdgeIds::names : EdgeIds::numbers;
  }
  /// What the user should know; complete after place_pairs.
  std::vector<std::string>& notes() { return notes_; }

  /// What parse(text, rows) makes of all blocks.
  template <class Parsed, class Parse>
  std::vector<Parsed> parse(unsigned threads, Parse parse) {
    std::vector<Parsed> blocks;
    while (true) {
      EdgeRows rows{form_.table, form_.weighted, ValueRule(options_)};
      rows.rule.in_column = true;
      begin_file();
      add_blocks(blocks, input_, threads, [&](std::string_view text) { return parse(text, rows); });
      if (!input_.next_file()) break;
      open();
    }
    begins_.push_back(input_.blocks_read());
    return blocks;
  }

  /// Finds out which of the first lines of two numbers are sizes, and gives the others to
  /// put(first block of the file on this rank, line) on rank 0, where they are edges. `see(bounds,
  /// block)` adds the ids of a block. Returns which vertices there are, if sizes tell. Collective.
  template <class Block, class See, class Put>
  SizeLine place_pairs(std::vector<Block>& blocks, See see, Put put) {
    const auto of_file = [&](std::size_t file) {
      const std::size_t end = std::min(begins_[file + 1], blocks.size());
      return std::span(blocks).subspan(std::min(begins_[file], end),
                                       end - std::min(begins_[file], end));
    };
    std::vector<std::uint64_t> edges(pairs_.size());
    for (std::size_t file = 0; file < edges.size(); ++file)
      for (const Block& block : of_file(file)) edges[file] += block.size();
    const auto bounds_of = [&](std::size_t file) {
      IdBounds bounds;
      for (const Block& block : of_file(file)) see(bounds, block);
      return bounds;
    };
    SizeLines found = find_size_lines(comm_, pairs_, std::move(edges), bounds_of, options_.excerpt);
    together(comm_, [&] {
      if (comm_.rank() != 0) return;
      for (const std::size_t file : found.edges) {
        if (blocks.size() <= begins_[file]) blocks.resize(begins_[file] + 1);
        const FirstPair& pair = pairs_[file];
        try {
          put(blocks[begins_[file]], pair);
        } catch (const BadText& bad) {
          const auto column = static_cast<std::uint64_t>(bad.at - pair.text.data()) + 1;
          throw located_error(pair.file, pair.line, column, bad.found, bad.expected);
        }
      }
    });
    std::ranges::move(found.notes, std::back_inserter(notes_));
    return found.ids;
  }

 private:
  void begin_file() {
    pairs_.push_back(form_.pair);
    begins_.push_back(input_.blocks_read());
  }
  void open() {
    const bool known = first_.table.width > 0;
    form_ = find_edge_form(comm_, input_, options_, known ? &first_ : nullptr, names_);
    if (!known) first_ = form_;
    notes_.insert(notes_.end(), form_.table.notes.begin(), form_.table.notes.end());
  }

  Communicator& comm_;
  TextInput& input_;
  const GraphOptions& options_;
  EdgeForm form_, first_;  // of the file at hand, and of the first with an edge
  FirstNames names_;
  std::vector<std::string> notes_;
  std::vector<FirstPair> pairs_;     // by file
  std::vector<std::size_t> begins_;  // by file: its first block; and the end of the last
};

}  // namespace gas::loaders::detail
