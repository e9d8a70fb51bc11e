#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "gas/base/communicator.hpp"

namespace gas::tools {

/// A share of all rows, spread evenly over them, so that a file in any order is represented. The
/// same on all ranks.
class RowSample {
 public:
  /// InputError if that leaves no row of `name`, though it has some.
  RowSample(std::uint64_t rows, double share, const std::string& name);

  std::uint64_t rows() const { return before(all_); }  // that are kept
  bool keeps(std::uint64_t row) const { return before(row + 1) > before(row); }
  /// Kept rows among the first so many: the number that a kept row gets.
  std::uint64_t before(std::uint64_t row) const {
    return static_cast<std::uint64_t>(static_cast<double>(row) * share_);
  }

  /// The kept ones of this rank's block of rows, `width` values each → those of its block of the
  /// kept rows. Collective.
  template <Plain T>
  std::vector<T> kept(Communicator& comm, const std::vector<T>& block, std::size_t width) const {
    const BlockDistribution old{all_, comm.size()}, blocks{rows(), comm.size()};
    const std::uint64_t first = old.first(comm.rank());
    std::vector<std::vector<T>> to(static_cast<std::size_t>(comm.size()));
    for (std::uint64_t i = 0; i < old.count(comm.rank()); ++i) {
      if (!keeps(first + i)) continue;
      std::vector<T>& out = to[static_cast<std::size_t>(blocks.owner(before(first + i)))];
      const auto row = block.begin() + static_cast<std::ptrdiff_t>(i * width);
      out.insert(out.end(), row, row + static_cast<std::ptrdiff_t>(width));
    }
    std::vector<T> mine;
    for (const auto& rows : all_to_all(comm, std::move(to)))
      mine.insert(mine.end(), rows.begin(), rows.end());
    return mine;
  }

 private:
  std::uint64_t all_;
  double share_;
};

}  // namespace gas::tools
