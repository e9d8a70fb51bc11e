#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace gas::tools::report {

/// A round of a run.
struct Round {
  std::uint64_t number = 0;
  double seconds = 0;  // since computing began
  std::optional<double> objective = {};
};

/// Rounds, of which at most some thousands are kept: then every second, every fourth, ….
class Rounds {
 public:
  void add(const Round& round);
  /// Those that are kept, and the last.
  std::vector<Round> kept() const;

 private:
  static constexpr std::size_t most = 4096;
  std::vector<Round> kept_;
  Round last_;
  std::uint64_t seen_ = 0, every_ = 1;
};

}  // namespace gas::tools::report
