#pragma once

#include <functional>
#include <string>

namespace gas {

/// Says who waits for whom when a rank has waited this long for one message, and again each time as
/// much has passed. It ends nothing: a rank that is slow, stopped or suspended may go on, and one
/// that has died is MPI's to notice.
struct Watchdog {
  double seconds = 0;  // 0: never
  std::function<void(const std::string&)> tell;
  std::function<void()> over = {};  // told when a wait is over that was told of; may be empty
};

}  // namespace gas
