#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <string>

#include "loaders/load_points.hpp"

namespace gas::loaders {

/// Points that are read in batches from front to back and not kept: the files that load_points
/// reads, but no sparse ones, and no array by column (Fortran order). Memory is that of a batch, on
/// rank 0 of text two times that. Collective, as all of this class.
class PointStream {
 public:
  /// Opens the first of the files. `options` as of load_points, without `sparse`; errors, too, and
  /// UsageError for a batch of no rows.
  PointStream(Communicator& comm, std::span<const std::string> paths, std::uint64_t batch_rows,
              const PointOptions& options = {});
  PointStream(const PointStream&) = delete;
  PointStream& operator=(const PointStream&) = delete;
  ~PointStream();

  /// The next rows: as many as a batch has, or `most` if that is fewer, or fewer at the end of a
  /// file; each rank has its BlockDistribution of them. None at the end. Doubles if floats do not
  /// hold each number of this batch. InputError for anything that the format does not allow.
  LoadedPoints next(std::uint64_t most = std::numeric_limits<std::uint64_t>::max());

  /// From now on `next` returns none, on all ranks, soon after `stop` says so on one.
  void stop_when(std::function<bool()> stop);

 private:
  class Source;
  std::unique_ptr<Source> source_;
};

/// Whether files can be read more than once: none is standard input or a pipe; one that
/// is missing may be told by reading it. Local.
bool can_be_read_again(std::span<const std::string> paths);

}  // namespace gas::loaders
