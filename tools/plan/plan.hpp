#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tools/plan/forecast.hpp"
#include "tools/support/process/tool_command.hpp"

namespace gas::tools {

struct PlanWish {
  std::vector<int> ranks;    // ascending
  std::uint64_t rounds = 0;  // of the whole run; 0: what the tool is told, else 100
  double share = 0.1;        // that the largest sample has
  std::uint64_t sample_rounds = 10;
  std::uint64_t repeats = 3;
  bool shares_only = false;  // no round on all of INPUT
  double deadline = 0;       // seconds; 0: none
  std::optional<Host> host;  // none: this machine
  std::vector<std::string> mpirun;
};

struct Plan {
  std::string tool;
  double rounds = 0;
  std::vector<Forecast> forecasts = {};  // by ranks
  std::optional<int> best = {};          // ranks; none: no number of them meets the deadline
  bool by_price = false;                 // best is the cheapest, not the fastest
  double deadline = 0;
  std::vector<std::string> unknown = {};  // what the forecasts cannot know
};

/// "cores=16,bandwidth=1.2e9,latency=5e-5,price=0.9". UsageError.
Host parse_host(const std::string& text);

/// The pieces of a text between separators, empty ones left out.
std::vector<std::string> parts_of(const std::string& text, char separator);

/// Runs the tool on samples and forecasts; says what it does. UsageError for a tool that reads
/// standard input; RunError if a run fails.
Plan make_plan(const PlanWish& wish, const ToolCommand& tool,
               const std::function<void(const std::string&)>& say);

}  // namespace gas::tools
