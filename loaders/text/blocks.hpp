#pragma once

#include <mutex>
#include <span>
#include <string_view>
#include <vector>

#include "loaders/text/file_order.hpp"
#include "loaders/text/text_input.hpp"

namespace gas::loaders {

/// Adds what parse(text) returns of each block of the file at hand to those of the files before;
/// otherwise as parse_blocks. Collective.
template <class Parsed, class Parse>
void add_blocks(std::vector<Parsed>& blocks, TextInput& input, unsigned threads, Parse parse) {
  std::mutex storing;
  input.each_text(threads, [&](std::size_t block, std::string_view text) {
    Parsed parsed = parse(text);
    const std::lock_guard lock(storing);
    if (blocks.size() <= block) blocks.resize(block + 1);
    blocks[block] = std::move(parsed);
  });
}

/// What parse(text) returns of each block of this rank, by block; it runs on several threads at
/// once. Collective; errors as in TextInput::each_text.
template <class Parsed, class Parse>
std::vector<Parsed> parse_blocks(TextInput& input, unsigned threads, Parse parse) {
  std::vector<Parsed> blocks;
  add_blocks(blocks, input, threads, parse);
  return blocks;
}

/// How many things each piece of the file gave this rank, if count(block) tells it of a block.
template <class Parsed, class Count>
std::vector<Piece> count_pieces(const TextInput& input, const std::vector<Parsed>& blocks,
                                Count count) {
  std::vector<Piece> pieces;
  for (std::size_t block = 0; block < blocks.size(); ++block) {
    const std::uint64_t number = input.piece_of(block);
    if (pieces.empty() || pieces.back().number != number) pieces.push_back({number, 0});
    pieces.back().count += count(blocks[block]);
  }
  return pieces;
}

/// The number, over all ranks, of the first of the things that each block gave this rank.
/// `stretches`: in_file_order of count_pieces of the same things.
template <class Parsed, class Count>
std::vector<std::uint64_t> first_of_blocks(const TextInput& input,
                                           const std::vector<Parsed>& blocks,
                                           std::span<const Stretch> stretches, Count count) {
  std::vector<std::uint64_t> first(blocks.size());
  for (std::size_t i = 0, stretch = 0, done = 0; i < blocks.size(); ++i) {
    if (i > 0 && input.piece_of(i) != input.piece_of(i - 1)) {
      ++stretch;
      done = 0;
    }
    first[i] = stretches[stretch].first + done;
    done += count(blocks[i]);
  }
  return first;
}

}  // namespace gas::loaders
