#include "loaders/stream_points.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include "gas/base/error.hpp"
#include "loaders/binary/binary_points.hpp"
#include "loaders/formats/dense.hpp"
#include "loaders/formats/open_points.hpp"

namespace gas::loaders {
namespace {

std::uint64_t checked(std::uint64_t batch_rows, const PointOptions& options) {
  if (batch_rows == 0) throw UsageError("found a batch of 0 rows, expected at least 1");
  if (options.sparse) throw UsageError("sparse points are not read in batches");
  return batch_rows;
}

}  // namespace

class PointStream::Source {
 public:
  Source(Communicator& comm, std::span<const std::string> paths, std::uint64_t batch_rows,
         const PointOptions& options)
      : comm_(comm),
        options_(options),
        batch_rows_(checked(batch_rows, options)),
        input_(detail::open_points(comm, paths, options_, format_)),
        array_(detail::binary_array(comm, input_, format_)) {
    if (!array_) {
      input_.read_in_order();
      text_.emplace(comm_, input_, options_);
      return;
    }
    together(comm_, [&] {
      if (array_->by_column && array_->columns > 1)
        throw located_error(shown(input_.path()), 0, 0, "an array in Fortran order",
                            "C order, in which rows can be read in batches");
    });
    detail::binary_begin(comm_, input_, *array_);
  }

  LoadedPoints next(std::uint64_t most) {
    if (stop_ && all_max(comm_, stop_() ? 1 : 0) != 0) return {};
    const std::uint64_t rows = std::min(batch_rows_, most);
    return array_ ? next_of_array(rows) : text_->next(rows);
  }

  void stop_when(std::function<bool()> stop) {
    stop_ = stop;
    input_.stop_when(std::move(stop));
  }

 private:
  LoadedPoints next_of_array(std::uint64_t rows) {
    const std::uint64_t count = std::min(rows, array_->rows - done_);
    LoadedPoints points =
        detail::read_binary_part(comm_, input_, array_->part(done_, count), options_);
    done_ += count;
    if (count > 0 && done_ == array_->rows) detail::binary_end(comm_, input_, *array_);
    return points;
  }

  Communicator& comm_;
  PointOptions options_;
  std::uint64_t batch_rows_;
  Format format_ = Format::automatic;
  TextInput input_;
  std::optional<detail::BinaryArray> array_;  // or text
  std::optional<detail::DenseRows> text_;
  std::uint64_t done_ = 0;  // rows of the array
  std::function<bool()> stop_;
};

PointStream::PointStream(Communicator& comm, std::span<const std::string> paths,
                         std::uint64_t batch_rows, const PointOptions& options)
    : source_(std::make_unique<Source>(comm, paths, batch_rows, options)) {}
PointStream::~PointStream() = default;

LoadedPoints PointStream::next(std::uint64_t most) { return source_->next(most); }

void PointStream::stop_when(std::function<bool()> stop) { source_->stop_when(std::move(stop)); }

bool can_be_read_again(std::span<const std::string> paths) {
  return std::ranges::all_of(paths, [](const std::string& path) {
    std::error_code failure;
    const auto type = std::filesystem::status(path, failure).type();
    return path != "-" && (type == std::filesystem::file_type::regular ||
                           type == std::filesystem::file_type::not_found);
  });
}

}  // namespace gas::loaders
