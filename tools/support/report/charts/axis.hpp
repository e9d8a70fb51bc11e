#pragma once

#include <string>
#include <vector>

namespace gas::tools::report {

/// One axis of a chart, from its numbers to places from 0 to 1.
class Axis {
 public:
  /// Covers `least` to `most`, which are above 0 if `log`; as they are if `tight`, else to round
  /// numbers.
  Axis(double least, double most, bool log, bool tight = false);

  double place(double number) const;
  struct Tick {
    double at;  // a number on the axis
    std::string label;
  };
  const std::vector<Tick>& ticks() const { return ticks_; }

 private:
  void linear_ticks(bool tight);
  void log_ticks(bool tight);

  double least_, most_;
  bool log_;
  std::vector<Tick> ticks_;
};

}  // namespace gas::tools::report
