#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>
#include <utility>
#include <vector>

#include "partition/streaming/copy_sets.hpp"
#include "partition/streaming/pair.hpp"

namespace gas::partition {

/// Draws one of some parts for a pair, each as likely as its weight, by a keyed
/// hash of the pair.
class Drawing {
 public:
  Drawing(std::vector<double> weights, std::uint64_t seed)
      : seed_(seed), weight_(std::move(weights)), all_(weight_.size()) {
    std::iota(all_.begin(), all_.end(), Part{0});
    sum_bytes();
  }

  /// Of the parts in which both ends have a copy, else of those in which one
  /// has, else of all.
  template <class Copies>  // CopySets or CopyBits
  Part draw(const Copies& copies, Pair pair) {
    const double drawn = hash_share(pair.key(), seed_);
    if (copies.has_words()) {
      const std::uint64_t u = copies.word(pair.low), v = copies.word(pair.high);
      if ((u & v) != 0) return of_word(u & v, drawn);
      return (u | v) != 0 ? of_word(u | v, drawn) : of_list(all_, drawn);
    }
    copies.common(pair.low, pair.high, some_);
    if (some_.empty()) copies.either(pair.low, pair.high, some_);
    return of_list(some_.empty() ? all_ : some_, drawn);
  }

  /// Towards no part drawing more arcs than its room. A part that cannot be
  /// filled must not get an ever larger weight, so weights end at 1.
  void adjust(const std::vector<std::uint64_t>& arcs, const std::vector<double>& room) {
    for (std::size_t p = 0; p < weight_.size(); ++p) {
      const double factor = (room[p] + 1) / (static_cast<double>(arcs[p]) + 1);
      weight_[p] *= factor < 1 ? std::max(factor * factor, 1.0 / 16) : std::min(factor, 1.5);
      weight_[p] = std::clamp(weight_[p], 1e-100, 1.0);
    }
    sum_bytes();
  }

  const std::vector<double>& weights() const { return weight_; }

 private:
  Part of_list(const std::vector<Part>& parts, double drawn) const {
    double sum = 0;
    for (const Part part : parts) sum += weight_[part];
    double left = drawn * sum;
    for (const Part part : parts)
      if ((left -= weight_[part]) < 0) return part;
    return parts.back();
  }

  Part of_word(std::uint64_t parts, double drawn) const {
    if ((parts & (parts - 1)) == 0) return static_cast<Part>(std::countr_zero(parts));
    double sum = 0;
    for (std::size_t i = 0; i < byte_sum_.size(); ++i) sum += byte_sum_[i][parts >> 8 * i & 0xFF];
    double left = drawn * sum;
    for (std::size_t i = 0; i < byte_sum_.size(); ++i) {
      const std::uint64_t byte = parts >> 8 * i & 0xFF;
      if (left >= byte_sum_[i][byte]) {
        left -= byte_sum_[i][byte];
        continue;
      }
      for (std::uint64_t rest = byte; rest != 0; rest &= rest - 1) {
        const auto part = static_cast<Part>(8 * i + static_cast<Part>(std::countr_zero(rest)));
        if ((left -= weight_[part]) < 0) return part;
      }
    }
    return static_cast<Part>(std::bit_width(parts) - 1);
  }

  /// The weight of any eight parts that follow each other, so that a word has
  /// few to add.
  void sum_bytes() {
    if (weight_.size() > 64) return;
    byte_sum_.assign((weight_.size() + 7) / 8, {});
    for (std::size_t i = 0; i < byte_sum_.size(); ++i)
      for (std::size_t byte = 1; byte < 256; ++byte) {
        const std::size_t part = 8 * i + static_cast<std::size_t>(std::countr_zero(byte));
        byte_sum_[i][byte] =
            byte_sum_[i][byte & (byte - 1)] + (part < weight_.size() ? weight_[part] : 0);
      }
  }

  std::uint64_t seed_;
  std::vector<double> weight_;
  std::vector<std::array<double, 256>> byte_sum_;  // by byte of a word of parts, then its value
  std::vector<Part> all_;
  std::vector<Part> some_;  // scratch
};

}  // namespace gas::partition
