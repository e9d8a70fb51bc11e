#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace gas::tools {

// What the watchers of gas-run send it. They write to their standard error, which mpirun passes on
// from any host, and mpirun mixes its own words in. Hence frames: what lies between them is
// mpirun's. A frame is written at once and is an eighth of what mpirun passes on at once, so that
// no frame is torn.

/// What a watcher knows of its rank.
struct Report {
  std::int64_t process;
  std::int32_t status;  // ended: as waitpid has it; stopped: the signal
  bool taken_along;     // ended: the watcher did it, because the job ends
  bool explained;       // ended: the rank itself has said why, and who it is
  bool complete;        // ended: its results are written
  bool out_of_memory;   // ended: by the system's hand
  bool computes;        // in a round, the one after `round`
  bool waits;           // stuck: for another rank; `words` say which
  std::uint64_t round;
  std::uint64_t most_memory;  // bytes
  char host[64];
  char words[368];
};

struct Frame {
  enum class Kind : std::uint16_t { text, started, ended, stopped, stuck };
  static constexpr std::size_t room = 496;

  std::array<char, 8> mark;
  std::int32_t rank;
  Kind kind;
  std::uint16_t length;  // of `bytes` used
  std::array<char, room> bytes;
};
static_assert(sizeof(Frame) == 512 && sizeof(Report) <= Frame::room);

/// Standard error of rank `rank`, at most Frame::room bytes of it.
Frame text_frame(int rank, std::string_view text);
Frame report_frame(int rank, Frame::Kind kind, const Report& report);
/// Of any kind but text.
Report report_of(const Frame& frame);

/// Takes a stream apart.
class FrameReader {
 public:
  FrameReader(std::function<void(const Frame&)> frame, std::function<void(std::string_view)> other)
      : frame_(std::move(frame)), other_(std::move(other)) {}
  void take(std::string_view bytes);
  /// The stream has ended.
  void end();

 private:
  std::function<void(const Frame&)> frame_;
  std::function<void(std::string_view)> other_;
  std::string left_;
};

}  // namespace gas::tools
