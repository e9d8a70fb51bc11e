#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "gas/observe/trace.hpp"

namespace gas {

/// What the main thread of a rank spends its time on; `outside` of the engine's rounds.
enum class Activity : std::uint8_t { outside, computing, communicating, waiting };

/// A rank's time by activity, and its events if they are traced. Used by the main thread only; a
/// clock read per change of activity, so nothing per vertex.
class Timeline {
 public:
  /// From its construction to its end the rank does this, and then again what it did before. Spans
  /// nest.
  class Span {
   public:
    Span(Timeline& timeline, Activity activity) : Span(timeline, activity, {}, 0) {
      named_ = false;
    }
    Span(Timeline& timeline, Activity activity, Trace::What what, std::uint64_t tag, int peer = -1)
        : timeline_(timeline),
          before_(timeline.current_),
          what_(what),
          tag_(tag),
          peer_(peer),
          began_(timeline.turn_to(activity)) {}
    ~Span();
    Span(const Span&) = delete;
    Span& operator=(const Span&) = delete;

   private:
    Timeline& timeline_;
    Activity before_;
    bool named_ = true;
    Trace::What what_;
    std::uint64_t tag_;
    int peer_;
    std::int64_t began_;
  };

  double seconds(Activity activity) const {
    return static_cast<double>(spent_[static_cast<std::size_t>(activity)]) * 1e-9;
  }

  /// Null: nowhere.
  void trace_to(Trace* trace) { trace_ = trace; }
  void message(Trace::What what, std::uint64_t tag, std::size_t bytes, int peer) {
    if (!trace_) return;
    const std::int64_t now = Trace::now();
    trace_->add({now, now, tag, bytes, peer, 0, what});
  }

 private:
  std::int64_t turn_to(Activity next) {
    const std::int64_t now = Trace::now();
    if (current_ != Activity::outside) spent_[static_cast<std::size_t>(current_)] += now - since_;
    current_ = next;
    since_ = now;
    return now;
  }

  std::array<std::int64_t, 4> spent_{};  // nanoseconds
  Activity current_ = Activity::outside;
  std::int64_t since_ = 0;
  Trace* trace_ = nullptr;
};

/// How long a rank waits for others' rounds once its own are over, added over runs.
class EndingWait {
 public:
  /// The rank's own rounds are over (told again: nothing).
  void begin(const Timeline& timeline) {
    if (!waited_) waited_ = timeline.seconds(Activity::waiting);
  }
  /// The run is.
  void end(const Timeline& timeline) {
    if (waited_) seconds_ += timeline.seconds(Activity::waiting) - *waited_;
    waited_.reset();
  }
  double seconds() const { return seconds_; }

 private:
  std::optional<double> waited_;
  double seconds_ = 0;
};

}  // namespace gas
