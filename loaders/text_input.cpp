#include "loaders/text_input.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace gas::loaders {
namespace {

constexpr std::size_t longest_line = std::size_t{1} << 30;
constexpr std::size_t read_bytes = std::size_t{1} << 20;

std::uint64_t count_lines(std::string_view text) {
  return static_cast<std::uint64_t>(std::count(text.begin(), text.end(), '\n'));
}

InputError too_long(const std::string& path) {
  return located_error(shown(path), 0, 0, "a line of more than 1 GiB", "shorter lines");
}

}  // namespace

std::string_view take_line(std::string_view& text) {
  const std::size_t end = std::min(text.size(), text.find('\n'));
  std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(text.size(), end + 1));
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

TextInput::TextInput(Team& team, const std::string& path, std::size_t block_bytes)
    : team_(team), path_(path), block_bytes_(std::max<std::size_t>(1, block_bytes)) {
  together(team, [&] {
    if (team.rank() != 0) return;
    Opened opened = open_stream(path);
    stream_ = std::move(opened.stream);
    plain_ = opened.plain;
    size_ = opened.size;
    while (text_.size() < 16 && read_block()) {
    }
    start_ = text_.substr(0, 16);
    if (text_.starts_with("\xef\xbb\xbf")) {
      text_.erase(0, 3);
      body_offset_ = 3;
    }
  });
  const std::vector<char> start = broadcast(team, std::span<const char>(start_));
  start_.assign(start.begin(), start.end());
  const std::uint64_t about[2] = {plain_ ? 1U : 0U, size_};
  const std::vector<std::uint64_t> told = broadcast(team, std::span<const std::uint64_t>(about));
  plain_ = told[0] != 0;
  size_ = told[1];
  if (plain_) together(team, [&] { file_ = std::make_unique<PlainFile>(path); });
}

/// Adds a block of the file to text_; false at its end, or after a failure, which is kept. Rank 0.
bool TextInput::read_block() {
  if (stream_ended_) return false;
  const std::size_t before = text_.size();
  text_.resize(before + read_bytes);
  std::size_t count = 0;
  try {
    count = stream_->read(std::span(text_).subspan(before));
  } catch (const InputError& error) {
    stream_failure_ = error.what();
  }
  text_.resize(before + count);
  stream_ended_ = count == 0;
  return count > 0;
}

/// The same for text: at the end it ends in '\n'; after a failure, with its last whole line.
bool TextInput::read_more() {
  if (text_.size() > longest_line) throw too_long(path_);
  if (read_block()) return true;
  if (!stream_failure_.empty()) {
    text_.resize(text_.rfind('\n') + 1);  // npos + 1 is 0
  } else if (!text_.empty() && text_.back() != '\n') {
    text_.push_back('\n');
  }
  return false;
}

void TextInput::read_head(const TakeLine& take) {
  together(team_, [&] {
    if (team_.rank() != 0) return;
    std::size_t begin = 0;
    while (true) {
      std::size_t end = text_.find('\n', begin);
      if (end == std::string::npos) {
        text_.erase(0, begin);
        begin = 0;
        if (read_more()) continue;
        end = text_.find('\n');
        if (end == std::string::npos) break;
      }
      std::string_view rest = std::string_view(text_).substr(begin, end + 1 - begin);
      const std::size_t length = rest.size();
      try {
        if (!take(take_line(rest), next_line_)) break;
      } catch (const BadText& bad) {
        throw located(bad, std::string_view(text_).substr(begin), next_line_);
      }
      begin += length;
      body_offset_ += length;
      ++next_line_;
    }
    text_.erase(0, begin);
    if (text_.empty() && !stream_failure_.empty()) throw InputError(stream_failure_);
  });
}

void TextInput::each_text(const Parse& parse) {
  if (plain_) {
    // A line end that was added at the end of the file is not in the file.
    const std::uint64_t mine = std::min(body_offset_, size_);
    body_offset_ = broadcast(team_, std::span<const std::uint64_t>(&mine, 1))[0];
    together(team_, [&] { each_range(parse); });
  } else {
    each_round(parse);
  }
}

void TextInput::each_range(const Parse& parse) {
  const auto rank = static_cast<std::uint64_t>(team_.rank());
  const auto ranks = static_cast<std::uint64_t>(team_.size());
  const auto bound = [&](std::uint64_t of) {
    const std::uint64_t body = size_ - body_offset_;
    return body_offset_ + body / ranks * of + std::min(of, body % ranks);
  };
  std::uint64_t begin = bound(rank);
  const std::uint64_t end = bound(rank + 1);
  // A line belongs to the rank in whose range it begins.
  std::string text;
  if (begin > body_offset_ && begin < end) {
    std::uint64_t at = begin - 1;
    text.resize(65536);
    while (true) {
      const std::size_t count = file_->read_at(at, text);
      const void* found = count > 0 ? std::memchr(text.data(), '\n', count) : nullptr;
      if (found != nullptr) {
        at += static_cast<std::uint64_t>(static_cast<const char*>(found) - text.data()) + 1;
        break;
      }
      at += count;
      if (count == 0 || at >= end) break;
    }
    begin = at;
  }
  text.clear();
  while (begin < end) {
    const std::size_t before = text.size();
    const bool beyond = begin + before >= end;
    const std::size_t wanted = beyond ? 65536 : std::min<std::size_t>(read_bytes, block_bytes_);
    text.resize(before + wanted);
    const std::size_t count = file_->read_at(begin + before, std::span(text).subspan(before));
    text.resize(before + count);
    const bool file_ended = count < wanted;
    if (file_ended && !text.empty() && text.back() != '\n') text.push_back('\n');
    std::size_t cut = text.size();
    if (begin + text.size() >= end) {
      const std::size_t last = text.find('\n', static_cast<std::size_t>(end - 1 - begin));
      cut = last == std::string::npos ? 0 : last + 1;
    } else if (!file_ended) {
      cut = text.rfind('\n') + 1;  // npos + 1 is 0
    }
    if (cut == 0) {
      if (file_ended) break;
      if (text.size() > longest_line) throw too_long(path_);
      continue;
    }
    const std::string_view whole = std::string_view(text).substr(0, cut);
    try {
      parse(rank, whole);
    } catch (const BadText& bad) {
      throw located(bad, whole, lines_before(begin) + 1);
    }
    if (file_ended) break;
    begin += cut;
    text.erase(0, cut);
  }
}

/// Whole lines, at most block_bytes_ or one line; empty at the end. Rank 0.
std::string TextInput::next_block() {
  while (text_.size() < block_bytes_ && read_more()) {
  }
  while (true) {
    std::size_t cut = std::string_view(text_).substr(0, block_bytes_).rfind('\n');
    if (cut == std::string::npos) cut = text_.find('\n');
    if (cut != std::string::npos) {
      std::string block = text_.substr(0, cut + 1);
      text_.erase(0, cut + 1);
      return block;
    }
    if (!read_more() && text_.find('\n') == std::string::npos) return {};
  }
}

void TextInput::each_round(const Parse& parse) {
  const auto ranks = static_cast<std::size_t>(team_.size());
  for (std::uint64_t round = 0;; ++round) {
    std::vector<Bytes> out(ranks);
    together(team_, [&] {
      if (team_.rank() != 0) return;
      for (Bytes& bytes : out) {
        const std::string block = next_block();
        bytes.resize(sizeof next_line_ + block.size());
        std::memcpy(bytes.data(), &next_line_, sizeof next_line_);
        if (block.empty()) continue;
        std::memcpy(bytes.data() + sizeof next_line_, block.data(), block.size());
        next_line_ += count_lines(block);
      }
      if (out[0].size() == sizeof next_line_ && !stream_failure_.empty())
        throw InputError(stream_failure_);
    });
    const Bytes block = std::move(team_.exchange(std::move(out))[0]);
    std::uint64_t first_line = 0;
    std::memcpy(&first_line, block.data(), sizeof first_line);
    const std::string_view text(reinterpret_cast<const char*>(block.data()) + sizeof first_line,
                                block.size() - sizeof first_line);
    together(team_, [&] {
      if (text.empty()) return;
      try {
        parse(round * ranks + static_cast<std::uint64_t>(team_.rank()), text);
      } catch (const BadText& bad) {
        throw located(bad, text, first_line);
      }
    });
    if (all_max(team_, static_cast<std::uint64_t>(text.size())) == 0) return;
  }
}

std::string_view TextInput::local_peek(std::size_t count) {
  while (text_.size() < count && read_block()) {
  }
  return std::string_view(text_).substr(0, count);
}

void TextInput::local_skip(std::size_t count) { text_.erase(0, count); }

std::string TextInput::local_take(std::size_t count) {
  std::string taken(local_peek(count));
  if (taken.size() < count && !stream_failure_.empty()) throw InputError(stream_failure_);
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
  return located_error(shown(path_), line, column, bad.found, bad.expected);
}

}  // namespace gas::loaders
