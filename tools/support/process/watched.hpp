#pragma once

#include <atomic>
#include <cstdint>
#include <string>

namespace gas::tools {

/// What a rank lets the watcher know that gas-run put over it: a page of memory that both see. All
/// of it is zero at first.
struct WatchedPage {
  static constexpr const char* variable = "GAS_WATCHED";  // holds the page's file descriptor
  static constexpr std::size_t bytes = 4096;

  std::uint64_t mark;                  // `known_mark`, from the watcher
  double patience;                     // seconds that a round may take; 0: any
  std::atomic<std::uint64_t> changes;  // goes up with each sign of life
  std::atomic<std::uint64_t> round;    // the last that ended
  std::atomic<bool> computes;          // between rounds or in one, so that `patience` holds
  std::atomic<bool> listens;           // signals are caught
  std::atomic<bool> complete;          // the results are written
  std::atomic<bool> waits;             // for the message of another rank, and for long:
  char words[400];                     // then they say for whom

  static constexpr std::uint64_t known_mark = 0x6761732d72756e31;
};
static_assert(sizeof(WatchedPage) <= WatchedPage::bytes);
static_assert(std::atomic<std::uint64_t>::is_always_lock_free);  // or processes may not share it

// A tool tells its watcher with what follows; without one nothing happens. A call costs a few
// stores.

/// Whether there is a watcher, which then speaks of a rank's end and ends the others.
bool watched();
/// Seconds without the end of a round after which gas-run ends the job; 0: never, or no watcher.
double watchers_patience();

void tell_watcher_listens();
/// The results are written: even if something else failed, no other run would do better.
void tell_watcher_complete();
/// Whether rounds end from now on. Returns what it was told before.
bool tell_watcher_computes(bool computes);
void tell_watcher_round(std::uint64_t round);
/// That this rank has waited for long, and for whom. From any thread.
void tell_watcher_waits(const std::string& text);
/// That this wait is over.
void tell_watcher_waited();

}  // namespace gas::tools
