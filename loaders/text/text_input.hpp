#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "gas/graph/error.hpp"
#include "gas/graph/team.hpp"
#include "loaders/text/byte_stream.hpp"

namespace gas::loaders {

/// Thrown by parsers: what stands at `at` in the text that they were given. TextInput makes an
/// InputError with file, line and column of it.
struct BadText {
  const char* at;
  std::string found;
  std::string expected;
};

/// A text file that all ranks parse together, whatever it comes from. A plain file: each rank reads
/// a byte range of it. A compressed file or standard input: rank 0 reads a stream and hands out
/// blocks of lines in rounds, at most `block_bytes` (or one line) per rank and round. A byte order
/// mark is skipped. Errors are thrown on all ranks alike; of several, the first in the file.
class TextInput {
 public:
  static constexpr std::size_t usual_block = std::size_t{8} << 20;

  /// Collective, as all of this class. InputError if the file cannot be read.
  TextInput(Team& team, const std::string& path, std::size_t block_bytes = usual_block);

  const std::string& path() const { return path_; }
  /// Whether the texts of the ranks, by rank, are the file in its order.
  bool in_rank_order() const { return plain_ || team_.size() == 1; }
  /// The first bytes, up to 16, on every rank; empty if the file is.
  const std::string& start() const { return start_; }

  /// Gives the first lines to `take` on rank 0, one after the other, without their line ends, until
  /// it returns false (that line is left for each_text) or the file ends.
  using TakeLine = std::function<bool(std::string_view line, std::uint64_t number)>;
  void read_head(const TakeLine& take);

  /// Gives the rest of the file to the ranks' `parse` functions in blocks of whole lines that end
  /// in '\n', on `threads` threads of each rank at once. `block` numbers this rank's blocks in the
  /// order of the file (some numbers may be left out); on one thread they come in it.
  using Parse = std::function<void(std::size_t block, std::string_view text)>;
  void each_text(unsigned threads, const Parse& parse);

  /// Of a block of this rank, after each_text: numbers stretches of the file in its order, over all
  /// ranks. The blocks of a stretch follow one another.
  std::uint64_t piece_of(std::size_t block) const;

  /// For files that are not text, on rank 0, before any of the above: the first bytes, up to
  /// `count`; takes so many away; takes and returns them, fewer only at the end of the file
  /// (InputError if that is not a proper end).
  std::string_view local_peek(std::size_t count);
  void local_skip(std::size_t count);
  std::string local_take(std::size_t count);
  /// The file, on every rank, if it is a plain one, else null.
  const PlainFile* plain_file() const { return file_.get(); }

 private:
  void each_range(unsigned threads, const Parse& parse);
  void each_round(unsigned threads, const Parse& parse);
  void parse_round(unsigned threads, const Parse& parse, std::size_t round, std::string_view text,
                   std::uint64_t first_line) const;
  bool read_block();
  bool read_more();
  void next_block(Bytes& bytes);
  std::uint64_t lines_before(std::uint64_t offset) const;
  InputError located(const BadText& bad, std::string_view text, std::uint64_t first_line) const;

  Team& team_;
  std::string path_;
  std::size_t block_bytes_;
  std::string start_;
  bool plain_ = false;
  std::uint64_t size_ = 0;
  std::uint64_t body_offset_ = 0;  // plain: where each_text begins
  std::unique_ptr<PlainFile> file_;
  std::size_t blocks_per_round_ = 1;  // streams: what a rank's text of a round is cut into

  // Rank 0 alone.
  std::unique_ptr<ByteStream> stream_;
  std::string text_;             // read and not yet given out
  std::uint64_t next_line_ = 1;  // the number of its first line
  bool stream_ended_ = false;
  std::string stream_failure_;  // thrown when all text before it has been parsed
};

/// A view of whole lines, one by one, without LF or CRLF. Advances `text`.
std::string_view take_line(std::string_view& text);

}  // namespace gas::loaders
