#pragma once

#include <span>
#include <string>

#include "tools/run/frame.hpp"

namespace gas::tools {

/// "SIGKILL".
std::string signal_name(int signal);
/// "rank 2 of 4": what all sentences begin with.
std::string rank_of(int rank, int ranks);
/// What befell a rank that has ended, has been stopped or is stuck: "was killed (SIGKILL) in round
/// 17; process 4711 on HOST".
std::string cause_of(Frame::Kind kind, const Report& report);

struct Stuck {
  int rank;
  Report report;
};
/// Ranks have ended no round for `patience` seconds: names those that keep the others waiting.
std::string cause_of(std::span<const Stuck> stuck, int ranks, double patience);

}  // namespace gas::tools
