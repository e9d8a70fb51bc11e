#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gas/base/communicator.hpp"
#include "gas/base/error.hpp"
#include "loaders/text/byte_stream.hpp"

namespace gas::loaders {

/// Thrown by parsers: what stands at `at` in the text that they were given. TextInput makes an
/// InputError with file, line and column of it.
struct BadText {
  const char* at;
  std::string found;
  std::string expected;
};

/// BadText if a carriage return stands in a line, which is without its end.
void refuse_returns(std::string_view line);

/// A line of the file, without its end.
struct Line {
  std::string_view text;
  std::uint64_t number = 0;
};

/// Text files that all ranks parse together, one after the other, whatever they come from. A plain
/// file: each rank reads a byte range of it. A compressed file or standard input: rank 0 reads a
/// stream and hands out blocks of lines in rounds, at most round_bytes (or one line) per rank and
/// round. A byte order mark is skipped. Errors are thrown on all ranks alike; of several, the first
/// in the file. What a parser says of text that was unpacked from corrupt data is not to be
/// trusted: then that is the error, if the next 256 MiB show it.
class TextInput {
 public:
  static constexpr std::size_t usual_block = std::size_t{8} << 20;
  /// What a rank is given of a stream in a round, after so much in rounds before: more as there
  /// comes more, since what is made of each round is kept apart until all is read.
  static std::uint64_t round_bytes(std::uint64_t block_bytes, std::uint64_t before);
  /// Called on every rank for each file with its first bytes, up to 512; may throw, on all alike.
  using Opening = std::function<void(const std::string& path, std::string_view start)>;

  /// Opens the first of the files, of which there is at least one. Collective, as all of this
  /// class. InputError if the file cannot be read or is of a kind that nothing here reads.
  TextInput(Communicator& comm, std::span<const std::string> paths,
            std::size_t block_bytes = usual_block, Opening opening = {});
  TextInput(Communicator& comm, const std::string& path, std::size_t block_bytes = usual_block)
      : TextInput(comm, std::span(&path, 1), block_bytes) {}

  /// From now on each_text ends early, on all ranks, soon after `stop` says so on one. Of a stream
  /// the whole lines read by then are still parsed, of a file and by next_lines none. All ranks
  /// give one, or none.
  void stop_when(std::function<bool()> stop);

  /// Goes on to the next file, if there is one, after each_text, or next_lines.
  bool next_file();
  bool only_file() const { return paths_.size() == 1; }
  bool last_file() const { return at_ + 1 == paths_.size(); }
  /// From now on, in all files, fields in quotation marks may have line ends: where anything here
  /// says lines, rows are meant (RowEnds). Then one stream is read, by rank 0, and each_text takes
  /// one thread. Call it before anything is read.
  void read_quoted_rows();
  /// From now on, in all files, one stream is read, by rank 0, for next_lines. Call it before
  /// anything is read.
  void read_in_order();

  /// Of the file at hand.
  const std::string& path() const { return paths_[at_]; }
  /// Of all files, for messages about what one of them has.
  std::string names() const;
  /// Whether the texts of the ranks, by rank, are the files in their order.
  bool in_rank_order() const { return comm_.size() == 1 || (only_file() && plain_); }
  /// The first bytes, up to 512, on every rank; empty if the file is.
  const std::string& start() const { return start_; }

  /// Gives the first lines to `take` on rank 0, one after the other, without their line ends, until
  /// it returns false (that line is left for each_text) or the file ends.
  using TakeLine = std::function<bool(std::string_view line, std::uint64_t number)>;
  void read_head(const TakeLine& take);

  /// Gives the first lines that are `wanted`, at most `count`, to `look` on rank 0; all lines are
  /// left for each_text. They lie where the text behind each ends in '\n', too.
  using Wanted = std::function<bool(std::string_view line)>;
  using Look = std::function<void(std::span<const Line> lines)>;
  void look_ahead(std::size_t count, const Wanted& wanted, const Look& look);

  /// Gives the rest of the file to the ranks' `parse` functions in blocks of whole lines that end
  /// in '\n', on `threads` threads of each rank at once. `block` numbers this rank's blocks in the
  /// order of the files (some numbers may be left out); on one thread they come in it.
  using Parse = std::function<void(std::size_t block, std::string_view text)>;
  void each_text(unsigned threads, const Parse& parse);

  /// In place of each_text, after read_in_order: the next `count` lines that are `wanted`, or as
  /// many as are left, and those between them. Each rank parses the lines of its BlockDistribution,
  /// on `threads` threads, in texts that are numbered from 0. Returns how many were wanted, on all
  /// ranks; 0 at the end of the file.
  std::uint64_t next_lines(std::uint64_t count, const Wanted& wanted, unsigned threads,
                           const Parse& parse);

  /// The number of this rank's next block: of the first of the file at hand, before each_text.
  std::size_t blocks_read() const { return next_number_; }

  /// Of a block of this rank, after each_text: numbers stretches of the files in their order, over
  /// all ranks. The blocks of a stretch follow one another.
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
  /// How the blocks of a file are numbered.
  struct Numbering {
    std::size_t first_block = 0;
    std::uint64_t first_piece = 0;
    std::size_t blocks_per_round = 0;  // streams: what a rank's text of a round is cut into
  };

  void open();
  void each_range(unsigned threads, const Parse& parse);
  void each_round(unsigned threads, const Parse& parse);
  void parse_round(unsigned threads, const Parse& parse, std::size_t first_block,
                   std::size_t blocks, std::string_view text, std::uint64_t first_line) const;
  std::uint64_t cut_lines_wanted(std::uint64_t count, const Wanted& wanted,
                                 std::vector<Bytes>& out);
  void cut_to(Bytes& bytes, std::size_t from, std::size_t to);
  void check_unpacked(const std::function<void()>& parse);
  void local_check_unpacked();
  bool stopped() const;
  bool read_block();
  bool read_more();
  bool find_line(std::size_t begin, std::size_t& end);
  std::size_t whole_lines(std::string_view text) const;
  std::size_t cut_block();
  void next_block(Bytes& bytes);
  std::uint64_t lines_before(std::uint64_t offset) const;
  InputError located(const BadText& bad, std::string_view text, std::uint64_t first_line) const;

  Communicator& comm_;
  std::vector<std::string> paths_;
  std::size_t at_ = 0;  // of these
  Opening opening_;
  std::function<bool()> stop_;  // or empty
  std::size_t block_bytes_;
  std::vector<Numbering> numbering_;  // by file
  std::size_t next_number_ = 0;       // of blocks, behind all read
  std::uint64_t next_piece_ = 0;
  std::string start_;
  bool plain_ = false;
  bool quoted_ = false;  // read_quoted_rows
  bool whole_ = false;   // read_in_order
  std::uint64_t size_ = 0;
  std::uint64_t body_offset_ = 0;  // plain: where each_text begins
  std::unique_ptr<PlainFile> file_;

  // Rank 0 alone.
  std::unique_ptr<ByteStream> stream_;
  std::string text_;             // read and not yet given out
  std::size_t round_bytes_ = 0;  // of the round under way
  std::uint64_t next_line_ = 1;  // the number of its first line
  std::size_t next_read_ = 0;    // bytes that the next read asks for
  bool stream_ended_ = false;
  std::exception_ptr stream_failure_;  // thrown when all text before it has been parsed
};

/// A view of whole lines, one by one, without LF or CRLF. Advances `text`.
std::string_view take_line(std::string_view& text);

}  // namespace gas::loaders
