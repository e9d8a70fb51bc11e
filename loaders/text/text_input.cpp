#include "loaders/text/text_input.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <future>
#include <utility>

#include "gas/base/threads/parallel.hpp"
#include "loaders/text/foreign.hpp"
#include "loaders/text/line_reader.hpp"
#include "loaders/text/quoted_rows.hpp"

namespace gas::loaders {
namespace {

constexpr std::size_t read_bytes = std::size_t{1} << 20;  // at a time, at most
constexpr std::size_t first_read_bytes = std::size_t{1} << 16;
constexpr std::size_t most_unpacked = std::size_t{256} << 20;  // behind an error, to find its cause
constexpr std::size_t texts_per_round = 8;

std::uint64_t count_lines(std::string_view text) {
  return static_cast<std::uint64_t>(std::count(text.begin(), text.end(), '\n'));
}

/// Cuts whole lines into `count` texts, some of them empty.
std::vector<std::string_view> cut_lines(std::string_view text, std::size_t count) {
  std::vector<std::string_view> texts;
  for (std::size_t i = 1; i < count; ++i) {
    const std::size_t wanted = text.size() / (count - i + 1);
    const std::size_t cut = text.rfind('\n', wanted) + 1;  // npos + 1 is 0
    texts.push_back(text.substr(0, cut));
    text.remove_prefix(cut);
  }
  texts.push_back(text);
  return texts;
}

}  // namespace

void refuse_returns(std::string_view line) {
  if (const std::size_t at = line.find('\r'); at != std::string_view::npos)
    throw BadText{line.data() + at, "a carriage return within a line",
                  "lines that end in LF or CRLF (tr '\\r' '\\n' makes LF of CR)"};
}

std::string_view take_line(std::string_view& text) {
  const std::size_t end = std::min(text.size(), text.find('\n'));
  std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(text.size(), end + 1));
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

TextInput::TextInput(Communicator& comm, std::span<const std::string> paths,
                     std::size_t block_bytes, Opening opening)
    : comm_(comm),
      paths_(paths.begin(), paths.end()),
      opening_(std::move(opening)),
      block_bytes_(std::max<std::size_t>(1, block_bytes)) {
  open();
}

void TextInput::open() {
  text_.clear();
  next_line_ = 1;
  next_read_ = first_read_bytes;
  stream_ended_ = false;
  stream_failure_ = nullptr;
  start_.clear();
  body_offset_ = 0;
  file_.reset();
  together(comm_, [&] {
    if (comm_.rank() != 0) return;
    Opened opened = open_stream(path());
    stream_ = std::move(opened.stream);
    if (stop_) stream_->stop_when(stop_);
    plain_ = opened.plain;
    size_ = opened.size;
    while (text_.size() < 16 && read_block()) {
    }
    start_ = text_.substr(0, 512);  // a pipe may not have brought more than 16
    refuse_foreign_bytes(path(), start_);
    if (text_.starts_with("\xef\xbb\xbf")) {
      text_.erase(0, 3);
      body_offset_ = 3;
    }
  });
  start_ = broadcast_text(comm_, start_);
  const std::uint64_t about[2] = {plain_ ? 1U : 0U, size_};
  const std::vector<std::uint64_t> told = broadcast(comm_, std::span<const std::uint64_t>(about));
  plain_ = told[0] != 0 && !quoted_ && !whole_;
  size_ = told[1];
  together(comm_, [&] {
    if (plain_) file_ = std::make_unique<PlainFile>(path());
    if (plain_ && file_->size() != size_)
      throw located_error(shown(path()), 0, 0,
                          fmt::format("{} bytes on rank {}", file_->size(), comm_.rank()),
                          fmt::format("{}, as on rank 0", size_));
    if (opening_) opening_(path(), start_);
  });
}

void TextInput::stop_when(std::function<bool()> stop) {
  stop_ = std::move(stop);
  if (stream_) stream_->stop_when(stop_);
}

/// Collective.
bool TextInput::stopped() const { return stop_ && all_max(comm_, stop_() ? 1 : 0) == 1; }

void TextInput::read_quoted_rows() {
  quoted_ = true;
  plain_ = false;
  file_.reset();
}

void TextInput::read_in_order() {
  whole_ = true;
  plain_ = false;
  file_.reset();
}

std::string TextInput::names() const {
  std::vector<std::string> all;
  for (const std::string& path : paths_) all.push_back(shown(path));
  return fmt::format("{}", fmt::join(all, ", "));
}

bool TextInput::next_file() {
  if (last_file()) return false;
  ++at_;
  open();
  return true;
}

/// Adds a block of the file to text_; false at its end, or after a failure, which is kept. Rank 0.
bool TextInput::read_block() {
  if (stream_ended_) return false;
  const std::size_t before = text_.size();
  text_.resize(before + next_read_);
  next_read_ = std::min(read_bytes, 2 * next_read_);
  std::size_t count = 0;
  try {
    count = stream_->read(std::span(text_).subspan(before));
  } catch (const InputError&) {
    stream_failure_ = std::current_exception();
  }
  text_.resize(before + count);
  stream_ended_ = count == 0;
  return count > 0;
}

/// The same for text: at the end it ends in '\n'; after a failure, or if told to stop, with its
/// last whole line.
bool TextInput::read_more() {
  if (text_.size() > longest_line) throw line_too_long(path());
  if (read_block()) return true;
  if (stream_failure_ || (stop_ && stop_())) {
    text_.resize(whole_lines(text_));
  } else if (!text_.empty() && text_.back() != '\n') {
    text_.push_back('\n');
  }
  return false;
}

/// Reads on until text_ has a line from `begin` on, and says where its '\n' is; false at the end of
/// the file. Rank 0.
bool TextInput::find_line(std::size_t begin, std::size_t& end) {
  if (quoted_) {
    RowEnds ends;
    const auto find = [&] {
      const std::size_t found = ends.next(std::string_view(text_).substr(begin));
      end = found == RowEnds::none ? found : begin + found;
      return found != RowEnds::none;
    };
    while (!find())
      if (!read_more()) {
        // Quotation marks that are never closed make one row of what is left.
        if (!find() && begin < text_.size()) end = text_.size() - 1;
        return end != std::string::npos;
      }
    return true;
  }
  while ((end = text_.find('\n', begin)) == std::string::npos)
    if (!read_more()) return (end = text_.find('\n', begin)) != std::string::npos;
  return true;
}

/// Runs `parse`, whose BadText and InputErrors say what is wrong with text, unless the text came
/// from corrupt data. Collective; `parse` fails on all ranks alike or on rank 0 alone.
void TextInput::check_unpacked(const std::function<void()>& parse) {
  std::exception_ptr failure;
  try {
    parse();
  } catch (const InputError&) {
    failure = std::current_exception();
  }
  if (!failure) return;
  together(comm_, [&] { local_check_unpacked(); });
  together(comm_, [&] { std::rethrow_exception(failure); });
}

/// CorruptData if the rest of a compressed file shows it, as far as it is looked at.
void TextInput::local_check_unpacked() {
  if (comm_.rank() != 0 || !stream_->packed()) return;
  std::size_t left = most_unpacked;
  do {
    left -= std::min(left, text_.size());
    text_.clear();
  } while (left > 0 && !(stop_ && stop_()) && read_block());
  if (!stream_failure_) return;
  try {
    std::rethrow_exception(stream_failure_);
  } catch (const CorruptData&) {
    throw;
  } catch (const InputError&) {  // truncated: what came before is right
  }
}

void TextInput::read_head(const TakeLine& take) {
  check_unpacked([&] {
    together(comm_, [&] {
      if (comm_.rank() != 0) return;
      std::size_t begin = 0, end = 0;
      while (find_line(begin, end)) {
        std::string_view line = std::string_view(text_).substr(begin, end - begin);
        if (line.ends_with('\r')) line.remove_suffix(1);
        try {
          if (!quoted_) refuse_returns(line);
          if (!take(line, next_line_)) break;
        } catch (const BadText& bad) {
          throw located(bad, std::string_view(text_).substr(begin), next_line_);
        }
        body_offset_ += end + 1 - begin;
        next_line_ += 1 + count_lines(line);
        begin = end + 1;
        if (begin > read_bytes) text_.erase(0, std::exchange(begin, 0));
      }
      text_.erase(0, begin);
      if (text_.empty() && stream_failure_) std::rethrow_exception(stream_failure_);
    });
  });
}

void TextInput::look_ahead(std::size_t count, const Wanted& wanted, const Look& look) {
  check_unpacked([&] {
    together(comm_, [&] {
      if (comm_.rank() != 0) return;
      struct Found {
        std::size_t begin, end;
        std::uint64_t number;
      };
      std::vector<Found> found;
      const auto line_at = [&](std::size_t at, std::size_t end) {
        std::string_view line = std::string_view(text_).substr(at, end - at);
        if (line.ends_with('\r')) line.remove_suffix(1);
        return line;
      };
      std::size_t begin = 0, end = 0;
      for (std::uint64_t number = next_line_; found.size() < count && find_line(begin, end);
           begin = end + 1) {
        const std::string_view line = line_at(begin, end);
        if (wanted(line)) found.push_back({begin, end, number});
        number += 1 + count_lines(line);
      }
      std::vector<Line> lines;
      for (const Found& one : found) lines.push_back({line_at(one.begin, one.end), one.number});
      try {
        for (const Line& line : lines)
          if (!quoted_) refuse_returns(line.text);
        look(lines);
      } catch (const BadText& bad) {
        throw located(bad, text_, next_line_);
      }
    });
  });
}

void TextInput::each_text(unsigned threads, const Parse& parse) {
  numbering_.push_back({next_number_, next_piece_, 0});
  if (plain_) {
    // A line end that was added at the end of the file is not in the file.
    const std::uint64_t mine = std::min(body_offset_, size_);
    body_offset_ = broadcast(comm_, std::span<const std::uint64_t>(&mine, 1))[0];
    together(comm_, [&] { each_range(threads, parse); });
    next_piece_ += static_cast<std::uint64_t>(comm_.size());
  } else {
    each_round(quoted_ ? 1 : threads, parse);
  }
}

std::uint64_t TextInput::piece_of(std::size_t block) const {
  const auto after =
      std::upper_bound(numbering_.begin(), numbering_.end(), block,
                       [](std::size_t b, const Numbering& file) { return b < file.first_block; });
  const Numbering& file = *std::prev(after);
  const auto rank = static_cast<std::uint64_t>(comm_.rank());
  if (file.blocks_per_round == 0) return file.first_piece + rank;
  const std::uint64_t round = (block - file.first_block) / file.blocks_per_round;
  return file.first_piece + round * static_cast<std::uint64_t>(comm_.size()) + rank;
}

void TextInput::each_range(unsigned threads, const Parse& parse) {
  const auto rank = static_cast<std::uint64_t>(comm_.rank());
  const auto ranks = static_cast<std::uint64_t>(comm_.size());
  const auto bound = [&](std::uint64_t of) {
    const std::uint64_t body = size_ - body_offset_;
    return body_offset_ + body / ranks * of + std::min(of, body % ranks);
  };
  const std::uint64_t begin = bound(rank), end = bound(rank + 1);
  // Not too many blocks, since what is made of them is kept apart until all are read.
  const std::uint64_t size = std::min<std::uint64_t>(
      block_bytes_, std::clamp<std::uint64_t>((end - begin) / 2048, read_bytes, 16 * read_bytes));
  const auto blocks = static_cast<std::size_t>((end - begin + size - 1) / size);
  std::vector<LineReader> readers(threads);
  const std::size_t first_block = std::exchange(next_number_, next_number_ + blocks);
  in_parallel(threads, blocks, [&](unsigned thread, std::size_t block) {
    const std::uint64_t from = begin + block * size;
    LineReader& reader = readers[thread];
    const std::string_view text =
        reader.read(*file_, body_offset_, from, std::min(end, from + size));
    if (text.empty() || (stop_ && stop_())) return;
    try {
      parse(first_block + block, text);
    } catch (const BadText& bad) {
      throw located(bad, text, lines_before(reader.offset()) + 1);
    }
  });
}

/// How long the whole lines are that a text begins with; rows, where they are quoted.
std::size_t TextInput::whole_lines(std::string_view text) const {
  if (!quoted_) return text.rfind('\n') + 1;  // npos + 1 is 0
  std::size_t behind = 0;
  RowEnds ends;
  for (std::size_t end = 0; (end = ends.next(text)) != RowEnds::none;) behind = end + 1;
  return behind;
}

/// Where the block ends that text_ begins with, reading on if need be; 0 at the end. Rank 0.
std::size_t TextInput::cut_block() {
  const std::size_t cut = whole_lines(std::string_view(text_).substr(0, round_bytes_));
  std::size_t end = 0;
  if (cut > 0) return cut;
  return find_line(0, end) ? end + 1 : 0;
}

std::uint64_t TextInput::round_bytes(std::uint64_t block_bytes, std::uint64_t before) {
  constexpr std::uint64_t rounds = 256, most = 16;
  return block_bytes * std::clamp<std::uint64_t>(before / (rounds * block_bytes), 1, most);
}

/// The number of the first line, then whole lines, at most round_bytes_ or one line; none at the
/// end. Rank 0.
void TextInput::next_block(Bytes& bytes) {
  while (text_.size() < round_bytes_ && read_more()) {
  }
  const std::size_t cut = cut_block();
  cut_to(bytes, 0, cut);
  text_.erase(0, cut);
}

/// The number of the first line, then the lines of text_ from `from` to `to`, which are counted.
void TextInput::cut_to(Bytes& bytes, std::size_t from, std::size_t to) {
  bytes.resize(sizeof next_line_ + to - from);
  std::memcpy(bytes.data(), &next_line_, sizeof next_line_);
  if (to > from) std::memcpy(bytes.data() + sizeof next_line_, text_.data() + from, to - from);
  next_line_ += count_lines(std::string_view(text_).substr(from, to - from));
}

/// Of next_lines, on rank 0: what each rank is to parse. How many are wanted.
std::uint64_t TextInput::cut_lines_wanted(std::uint64_t count, const Wanted& wanted,
                                          std::vector<Bytes>& out) {
  std::vector<std::size_t> behind;  // each of them, where the next begins
  std::size_t begin = 0, end = 0;
  for (; behind.size() < count && find_line(begin, end); begin = end + 1) {
    std::string_view line = std::string_view(text_).substr(begin, end - begin);
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (wanted(line)) behind.push_back(end + 1);
  }
  const BlockDistribution blocks{behind.size(), comm_.size()};
  std::size_t from = 0;
  for (int rank = 0; rank < comm_.size(); ++rank) {
    const std::uint64_t last = blocks.first(rank) + blocks.count(rank);
    const std::size_t to = last == 0 ? 0 : behind[static_cast<std::size_t>(last) - 1];
    cut_to(out[static_cast<std::size_t>(rank)], from, to);
    from = to;
  }
  text_.erase(0, from);
  return behind.size();
}

std::uint64_t TextInput::next_lines(std::uint64_t count, const Wanted& wanted, unsigned threads,
                                    const Parse& parse) {
  std::uint64_t found = 0;
  std::vector<Bytes> out(static_cast<std::size_t>(comm_.size()));
  together(comm_, [&] {
    if (comm_.rank() != 0) return;
    found = cut_lines_wanted(count, wanted, out);
    if (found == 0 && stream_failure_) std::rethrow_exception(stream_failure_);
  });
  found = broadcast(comm_, std::span<const std::uint64_t>(&found, 1))[0];
  if (stopped()) return 0;
  const Bytes bytes = std::move(comm_.exchange(std::move(out))[0]);
  std::uint64_t first_line = 0;
  std::memcpy(&first_line, bytes.data(), sizeof first_line);
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()) + sizeof first_line,
                              bytes.size() - sizeof first_line);
  check_unpacked([&] {
    together(comm_, [&] {
      if (!text.empty()) parse_round(threads, parse, 0, threads, text, first_line);
    });
  });
  return found;
}

void TextInput::each_round(unsigned threads, const Parse& parse) {
  const auto ranks = static_cast<std::size_t>(comm_.size());
  numbering_.back().blocks_per_round =
      threads == 1 ? 1 : std::min(texts_per_round, 4 * std::size_t{threads});
  std::uint64_t before = 0;       // bytes that rank 0 has been given
  std::unique_ptr<Bytes> parsed;  // what `parsing` works on, while the next round is read
  std::future<void> parsing;
  while (true) {
    std::vector<Bytes> out(ranks);
    std::exception_ptr failure;
    together(comm_, [&] {
      if (comm_.rank() != 0) return;
      try {
        round_bytes_ = round_bytes(block_bytes_, before);
        for (Bytes& bytes : out) next_block(bytes);
        before += out[0].size();
      } catch (const InputError&) {
        failure = std::current_exception();
        out.assign(ranks, Bytes(sizeof next_line_));
      }
      const bool ended = out[0].size() == sizeof next_line_;
      if (ended && !failure) failure = stream_failure_;
    });
    auto block = std::make_unique<Bytes>(std::move(comm_.exchange(std::move(out))[0]));
    check_unpacked([&] {
      together(comm_, [&] {
        if (parsing.valid()) parsing.get();
      });
    });
    const bool last = stopped();
    together(comm_, [&] {
      if (failure && !last) std::rethrow_exception(failure);
    });
    parsed = std::move(block);
    std::uint64_t first_line = 0;
    std::memcpy(&first_line, parsed->data(), sizeof first_line);
    const std::string_view text(reinterpret_cast<const char*>(parsed->data()) + sizeof first_line,
                                parsed->size() - sizeof first_line);
    if (all_max(comm_, static_cast<std::uint64_t>(text.size())) == 0) return;
    const std::size_t first_block =
        std::exchange(next_number_, next_number_ + numbering_.back().blocks_per_round);
    next_piece_ += ranks;
    parsing = std::async(threads == 1 ? std::launch::deferred : std::launch::async,
                         [this, threads, &parse, first_block, text, first_line] {
                           parse_round(threads, parse, first_block,
                                       numbering_.back().blocks_per_round, text, first_line);
                         });
    if (last) return check_unpacked([&] { together(comm_, [&] { parsing.get(); }); });
  }
}

/// Local.
void TextInput::parse_round(unsigned threads, const Parse& parse, std::size_t first_block,
                            std::size_t blocks, std::string_view text,
                            std::uint64_t first_line) const {
  const std::vector<std::string_view> texts = cut_lines(text, blocks);
  in_parallel(threads, texts.size(), [&](unsigned, std::size_t i) {
    if (texts[i].empty()) return;
    try {
      parse(first_block + i, texts[i]);
    } catch (const BadText& bad) {
      throw located(bad, text, first_line);
    }
  });
}

std::string_view TextInput::local_peek(std::size_t count) {
  while (text_.size() < count && read_block()) {
  }
  return std::string_view(text_).substr(0, count);
}

void TextInput::local_skip(std::size_t count) { text_.erase(0, count); }

std::string TextInput::local_take(std::size_t count) {
  std::string taken(local_peek(count));
  if (taken.size() < count && stream_failure_) std::rethrow_exception(stream_failure_);
  text_.erase(0, taken.size());
  return taken;
}

std::uint64_t TextInput::lines_before(std::uint64_t offset) const {
  std::uint64_t lines = 0;
  std::string text;
  for (std::uint64_t at = 0; at < offset; at += text.size()) {
    text.resize(static_cast<std::size_t>(std::min<std::uint64_t>(read_bytes, offset - at)));
    text.resize(file_->read_at(at, text));
    if (text.empty()) break;
    lines += count_lines(text);
  }
  return lines;
}

InputError TextInput::located(const BadText& bad, std::string_view text,
                              std::uint64_t first_line) const {
  const std::string_view before = text.substr(0, static_cast<std::size_t>(bad.at - text.data()));
  const std::uint64_t line = first_line + count_lines(before);
  const std::size_t column = before.size() - (before.rfind('\n') + 1) + 1;
  return located_error(shown(path()), line, column, bad.found, bad.expected);
}

}  // namespace gas::loaders
