#include "tools/run/frame.hpp"

#include <algorithm>
#include <cstring>

namespace gas::tools {
namespace {

constexpr std::array<char, 8> known_mark = {'\x01', 'g', 'a', 's', '-', 'r', 'u', '\x02'};

Frame empty_frame(int rank, Frame::Kind kind, std::size_t length) {
  Frame frame{};
  frame.mark = known_mark;
  frame.rank = rank;
  frame.kind = kind;
  frame.length = static_cast<std::uint16_t>(length);
  return frame;
}

}  // namespace

Frame text_frame(int rank, std::string_view text) {
  Frame frame = empty_frame(rank, Frame::Kind::text, std::min(text.size(), Frame::room));
  std::copy_n(text.begin(), frame.length, frame.bytes.begin());
  return frame;
}

Frame report_frame(int rank, Frame::Kind kind, const Report& report) {
  Frame frame = empty_frame(rank, kind, sizeof report);
  std::memcpy(frame.bytes.data(), &report, sizeof report);
  return frame;
}

Report report_of(const Frame& frame) {
  Report report;
  std::memcpy(&report, frame.bytes.data(), sizeof report);
  return report;
}

void FrameReader::take(std::string_view bytes) {
  left_ += bytes;
  const std::string_view mark(known_mark.data(), known_mark.size());
  for (;;) {
    const std::size_t at = left_.find(mark);
    std::size_t partly = 0;  // bytes at the end that may be the beginning of a mark
    if (at == std::string::npos)
      for (partly = mark.size() - 1; !left_.ends_with(mark.substr(0, partly));) --partly;
    const std::size_t before = at == std::string::npos ? left_.size() - partly : at;
    if (before > 0) other_(std::string_view(left_).substr(0, before));
    left_.erase(0, before);
    if (!left_.starts_with(mark) || left_.size() < sizeof(Frame)) return;
    Frame frame;
    std::memcpy(&frame, left_.data(), sizeof frame);
    left_.erase(0, sizeof frame);
    if (frame.length <= Frame::room) frame_(frame);
  }
}

void FrameReader::end() {
  if (!left_.empty()) other_(left_);
  left_.clear();
}

}  // namespace gas::tools
