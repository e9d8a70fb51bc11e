#pragma once

#include <cmath>

namespace gas {

/// Σ log(1 + x) of numbers x in [0, 1], by one logarithm per few hundred of them: their product is
/// kept until it could overflow. Small x, which 1 + x would round away, are added one by one, so
/// that a term is off by 2⁻⁴⁴ of itself at most. Trivially copyable; part of a Summary.
struct LogProduct {
  double sum = 0;      // of small terms and of what was folded away
  double product = 1;  // of the rest, at most 2^501

  void multiply_one_plus(double x) {
    if (x < 0x1p-8) {
      sum += std::log1p(x);
    } else {
      product *= 1 + x;
      if (product > 0x1p500) fold();
    }
  }
  LogProduct& operator+=(const LogProduct& other) {
    sum += other.sum;
    product *= other.product;
    if (product > 0x1p500) fold();
    return *this;
  }
  double log() const { return sum + std::log(product); }

 private:
  void fold() {
    sum += std::log(product);
    product = 1;
  }
};

}  // namespace gas
