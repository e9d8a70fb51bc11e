#include "loaders/binary/binary_points.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "gas/base/error.hpp"
#include "gas/base/page_array.hpp"
#include "gas/base/threads/parallel.hpp"
#include "loaders/narrow.hpp"

namespace gas::loaders::detail {
namespace {

/// Elements `first` to `first + count` of the file's order.
struct Run {
  std::uint64_t first = 0;
  std::uint64_t count = 0;
};

InputError wrong_size(const std::string& file, const BinaryArray& array, std::uint64_t found) {
  return located_error(
      file, 0, 0, fmt::format("{} bytes of data", found),
      fmt::format("{}, as the header declares",
                  std::max(array.rows, array.all_rows) * array.columns * array.element_bytes));
}

template <class Value>
bool all_finite(std::span<const Value> values) {
  bool all = true;
  for (const Value value : values) all &= std::isfinite(value);
  return all;
}

/// Reads into the points' `column`.
template <class Value>
class BinaryPoints {
 public:
  BinaryPoints(Communicator& comm, std::string file, const BinaryArray& array,
               std::vector<Value> LoadedPoints::*column)
      : values_(points.*column),
        comm_(comm),
        file_(std::move(file)),
        array_(array),
        blocks_{array.rows, comm.size()} {
    points.format = array.format;
    points.rows = array.rows;
    points.columns = array.columns;
  }

  const BinaryArray& array() const { return array_; }
  /// Where the file ends too early, behind so many bytes of this.
  InputError too_short(std::uint64_t bytes) const {
    return wrong_size(file_, array_,
                      array_.rows_before * array_.columns * array_.element_bytes + bytes);
  }

  void local_allocate() {
    const auto size = static_cast<std::size_t>(blocks_.count(comm_.rank()) * points.columns);
    values_.reserve(size);
    fill_soon(values_.data(), size * sizeof(Value));
    values_.resize(size);
  }

  /// The runs of elements among `first` … `first + count` that belong to a rank's rows.
  std::vector<Run> runs_of(int rank, std::uint64_t first, std::uint64_t count) const {
    std::vector<Run> runs;
    const auto add = [&](std::uint64_t begin, std::uint64_t end) {
      begin = std::max(begin, first);
      end = std::min(end, first + count);
      if (begin < end) runs.push_back({begin, end - begin});
    };
    const std::uint64_t begin = blocks_.first(rank), end = begin + blocks_.count(rank);
    if (!array_.by_column || points.columns == 1) {
      add(begin * points.columns, end * points.columns);
    } else if (points.rows > 0) {
      const std::uint64_t last = std::min(points.columns, (first + count) / points.rows + 1);
      for (std::uint64_t column = first / points.rows; column < last; ++column)
        add(column * points.rows + begin, column * points.rows + end);
    }
    return runs;
  }

  /// Stores elements of this rank's rows, for which there is room. Other threads may store others.
  void local_store(const Run& run, const char* data) {
    const std::uint64_t before = blocks_.first(comm_.rank());
    if (!array_.by_column) {
      const std::span<Value> to =
          std::span(values_).subspan(static_cast<std::size_t>(run.first - before * points.columns),
                                     static_cast<std::size_t>(run.count));
      array_.convert(data, to);
      if (!all_finite<Value>(to)) refuse(run, to);
      return;
    }
    std::vector<Value> converted(static_cast<std::size_t>(run.count));
    array_.convert(data, std::span(converted));
    if (!all_finite<Value>(converted)) refuse(run, converted);
    std::uint64_t row = run.first % points.rows - before;  // a run is within one column
    const std::uint64_t column = run.first / points.rows;
    for (const Value value : converted)
      values_[static_cast<std::size_t>(row++ * points.columns + column)] = value;
  }

  /// The same where there is no room yet, run after run as the file has them; local_finish is to
  /// follow.
  void local_append(const Run& run, const char* data) {
    const std::size_t before = values_.size();
    values_.resize(before + static_cast<std::size_t>(run.count));
    const std::span<Value> to = std::span(values_).subspan(before);
    array_.convert(data, to);
    if (!all_finite<Value>(to)) refuse(run, to);
  }

  /// Puts what came column after column into rows.
  void local_finish() {
    if (!array_.by_column || points.columns <= 1) return;
    const auto rows = static_cast<std::size_t>(blocks_.count(comm_.rank()));
    const auto columns = static_cast<std::size_t>(points.columns);
    std::vector<Value> by_row(values_.size());
    for (std::size_t column = 0; column < columns; ++column)
      for (std::size_t row = 0; row < rows; ++row)
        by_row[row * columns + column] = values_[column * rows + row];
    values_ = std::move(by_row);
  }

  LoadedPoints points;

 private:
  std::vector<Value>& values_;

  [[noreturn]] void refuse(const Run& run, std::span<const Value> values) const {
    const auto bad = std::find_if(values.begin(), values.end(),
                                  [](Value value) { return !std::isfinite(value); });
    const std::uint64_t at = run.first + static_cast<std::uint64_t>(bad - values.begin());
    const std::uint64_t row =
        array_.rows_before + (array_.by_column ? at % points.rows : at / points.columns);
    const std::uint64_t column = array_.by_column ? at / points.rows : at % points.columns;
    throw located_error(file_, 0, 0,
                        fmt::format("{} in row {}, column {} (from 0)", *bad, row,
                                    column - (array_.row_head && column > 0 ? 1 : 0)),
                        "finite numbers");
  }

  Communicator& comm_;
  std::string file_;
  BinaryArray array_;
  BlockDistribution blocks_;
};

template <class Value>
void read_own_rows(BinaryPoints<Value>& points, const Communicator& comm, const PlainFile& file,
                   const PointOptions& options) {
  constexpr std::size_t cached = std::size_t{1} << 20;
  const BinaryArray& array = points.array();
  const std::size_t size = array.element_bytes;
  points.local_allocate();
  const std::uint64_t block =
      std::max<std::uint64_t>(1, std::min(options.block_bytes, cached) / size);
  std::vector<Run> parts;
  for (const Run& run : points.runs_of(comm.rank(), 0, array.elements()))
    for (std::uint64_t done = 0; done < run.count; done += block)
      parts.push_back({run.first + done, std::min(block, run.count - done)});
  std::vector<std::vector<char>> buffers(options.threads);
  in_parallel(options.threads, parts.size(), [&](unsigned thread, std::size_t i) {
    std::vector<char>& data = buffers[thread];
    data.resize(static_cast<std::size_t>(parts[i].count) * size);
    const std::size_t count = file.read_at(array.header_bytes + parts[i].first * size, data);
    if (count < data.size()) throw points.too_short(parts[i].first * size + count);
    points.local_store(parts[i], data.data());
  });
}

/// In rounds of one block per rank. The declared size may be a lie: memory grows as data arrives.
template <class Value>
void read_in_rounds(BinaryPoints<Value>& points, Communicator& comm, TextInput& input,
                    std::size_t block_bytes) {
  const BinaryArray& array = points.array();
  const std::size_t size = array.element_bytes;
  const auto ranks = static_cast<std::size_t>(comm.size());
  const std::uint64_t block = std::max<std::uint64_t>(1, block_bytes / size) * ranks;
  const std::uint64_t elements = array.elements();
  for (std::uint64_t first = 0; first < elements; first += block) {
    const std::uint64_t count = std::min(block, elements - first);
    std::vector<Bytes> out(ranks);
    together(comm, [&] {
      if (comm.rank() != 0) return;
      const std::string data = input.local_take(static_cast<std::size_t>(count) * size);
      if (data.size() < count * size) throw points.too_short(first * size + data.size());
      for (std::size_t to = 0; to < ranks; ++to) {
        for (const Run& run : points.runs_of(static_cast<int>(to), first, count)) {
          const auto* from =
              reinterpret_cast<const std::byte*>(data.data()) + (run.first - first) * size;
          out[to].insert(out[to].end(), from, from + run.count * size);
        }
      }
    });
    const Bytes data = std::move(comm.exchange(std::move(out))[0]);
    together(comm, [&] {
      std::size_t at = 0;
      for (const Run& run : points.runs_of(comm.rank(), first, count)) {
        points.local_append(run, reinterpret_cast<const char*>(data.data()) + at);
        at += static_cast<std::size_t>(run.count) * size;
      }
    });
  }
  points.local_finish();
}

}  // namespace

std::vector<char> binary_start(Communicator& comm, TextInput& input, std::size_t count) {
  std::string start;
  together(comm, [&] {
    if (comm.rank() == 0) start = input.local_peek(count);
  });
  return broadcast(comm, std::span<const char>(start));
}

void binary_begin(Communicator& comm, TextInput& input, const BinaryArray& array) {
  together(comm, [&] {
    if (const PlainFile* file = input.plain_file()) {
      const std::uint64_t found = file->size() - array.header_bytes;
      if (found != array.elements() * array.element_bytes)
        throw wrong_size(shown(input.path()), array, found);
    } else if (comm.rank() == 0) {
      input.local_skip(static_cast<std::size_t>(array.header_bytes));
    }
  });
}

void binary_end(Communicator& comm, TextInput& input, const BinaryArray& array) {
  together(comm, [&] {
    if (input.plain_file() != nullptr || comm.rank() != 0) return;
    std::uint64_t more = 0;
    while (const std::size_t count = input.local_take(std::size_t{1} << 20U).size()) more += count;
    if (more > 0)
      throw wrong_size(shown(input.path()), array, array.elements() * array.element_bytes + more);
  });
}

namespace {

template <class Value>
LoadedPoints read(Communicator& comm, TextInput& input, const BinaryArray& array,
                  const PointOptions& options, std::vector<Value> LoadedPoints::*column) {
  BinaryPoints<Value> points(comm, shown(input.path()), array, column);
  if (const PlainFile* file = input.plain_file()) {
    together(comm, [&] { read_own_rows(points, comm, *file, options); });
  } else {
    read_in_rounds(points, comm, input, options.block_bytes);
  }
  return std::move(points.points);
}

}  // namespace

LoadedPoints read_binary_points(Communicator& comm, TextInput& input, const BinaryArray& array,
                                const PointOptions& options) {
  binary_begin(comm, input, array);
  LoadedPoints points = read_binary_part(comm, input, array, options);
  binary_end(comm, input, array);
  return points;
}

LoadedPoints read_binary_part(Communicator& comm, TextInput& input, const BinaryArray& array,
                              const PointOptions& options) {
  if (!options.wide || !array.rounds) {
    LoadedPoints points = read(comm, input, array, options, &LoadedPoints::values);
    if (array.row_head) take_row_heads(comm, input, array, points);
    return points;
  }
  LoadedPoints points = read(comm, input, array, options, &LoadedPoints::wide_values);
  const bool held = std::all_of(points.wide_values.begin(), points.wide_values.end(), fits_float);
  points.wide = all_max(comm, held ? 0 : 1) != 0;
  const bool rounded =
      array.rounds_doubles && std::any_of(points.wide_values.begin(), points.wide_values.end(),
                                          [](double value) { return std::abs(value) >= 0x1p53; });
  if (all_max(comm, rounded ? 1 : 0) != 0)
    points.notes.push_back(shown(input.path()) + ": values beyond 2^53 are rounded to doubles");
  if (!points.wide) narrow(points);
  return points;
}

}  // namespace gas::loaders::detail
