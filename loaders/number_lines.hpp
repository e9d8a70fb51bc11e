#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gas/base/communicator.hpp"
#include "loaders/text/file_order.hpp"

namespace gas::loaders {

/// A text file of one whole number per line, plain, gzip or zstd, read by all ranks.
class NumberLines {
 public:
  /// Collective. InputError for a line that is not a number from 0 to `largest`, `expected` in
  /// messages; an empty line is none.
  NumberLines(Communicator& comm, const std::string& path, std::uint32_t largest,
              const std::string& expected);

  std::uint64_t size() const { return size_; }
  /// To each rank the numbers of the lines (from 0) bounds[rank] … bounds[rank + 1] − 1.
  /// Collective.
  std::vector<std::uint32_t> share(Communicator& comm, std::span<const std::uint64_t> bounds) const;

 private:
  std::vector<Stretch> stretches_;  // that this rank has read
  std::vector<std::uint32_t> numbers_;
  std::uint64_t size_ = 0;
};

}  // namespace gas::loaders
