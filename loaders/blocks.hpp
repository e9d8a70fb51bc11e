#pragma once

#include <mutex>
#include <string_view>
#include <vector>

#include "loaders/file_order.hpp"
#include "loaders/text_input.hpp"

namespace gas::loaders {

/// What parse(text) returns of each block of this rank, by block; it runs on several threads at
/// once. Collective; errors as in TextInput::each_text.
template <class Parsed, class Parse>
std::vector<Parsed> parse_blocks(TextInput& input, unsigned threads, Parse parse) {
  std::vector<Parsed> blocks;
  std::mutex storing;
  input.each_text(threads, [&](std::size_t block, std::string_view text) {
    Parsed parsed = parse(text);
    const std::lock_guard lock(storing);
    if (blocks.size() <= block) blocks.resize(block + 1);
    blocks[block] = std::move(parsed);
  });
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

}  // namespace gas::loaders
