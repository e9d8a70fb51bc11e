#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

namespace gas {

/// Log Γ(n + prior) / Γ(prior), the log-likelihood of n tokens alike, from a table for small n.
class RisingFactorial {
 public:
  RisingFactorial() = default;
  explicit RisingFactorial(double prior) : prior_(prior), first_(log_gamma(prior)) {
    of_few_.reserve(few);
    for (std::size_t n = 0; n < few; ++n) of_few_.push_back(of(static_cast<double>(n)));
  }
  double operator()(std::int64_t n) const {
    return n < static_cast<std::int64_t>(few) ? of_few_[static_cast<std::size_t>(n)]
                                              : of(static_cast<double>(n));
  }

 private:
  static constexpr std::size_t few = 4096;
  static double log_gamma(double x) {  // std::lgamma writes a global sign
    int sign = 0;
    return ::lgamma_r(x, &sign);
  }
  double of(double n) const { return log_gamma(n + prior_) - first_; }

  double prior_ = 1, first_ = 0;
  std::vector<double> of_few_;
};

/// Log(n + prior), from a table for small n.
class LogOfCount {
 public:
  LogOfCount() = default;
  explicit LogOfCount(double prior) : prior_(prior) {
    for (std::size_t n = 0; n < few; ++n)
      of_few_.push_back(std::log(static_cast<double>(n) + prior));
  }
  double operator()(float n) const {
    return n < static_cast<float>(few) ? of_few_[static_cast<std::size_t>(n)]
                                       : std::log(static_cast<double>(n) + prior_);
  }

 private:
  static constexpr std::size_t few = 1024;
  double prior_ = 1;
  std::vector<double> of_few_;
};

}  // namespace gas
