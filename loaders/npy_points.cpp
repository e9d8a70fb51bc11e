#include "loaders/npy_points.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>
#include <utility>

#include "gas/graph/error.hpp"
#include "loaders/npy_format.hpp"

namespace gas::loaders::detail {
namespace {

/// Elements `first` to `first + count` of the file's order.
struct Run {
  std::uint64_t first = 0;
  std::uint64_t count = 0;
};

class NpyPoints {
 public:
  NpyPoints(Team& team, std::string file, NpyHeader header)
      : team_(team), file_(std::move(file)), header_(std::move(header)) {
    if (header_.shape.empty() || header_.shape.size() > 2)
      throw located_error(file_, 0, 0, fmt::format("{} dimensions", header_.shape.size()),
                          "2 (points and coordinates), or 1");
    points.format = Format::npy;
    points.rows = header_.shape[0];
    points.columns = header_.shape.size() == 2 ? header_.shape[1] : 1;
    home_ = {points.rows, team.size()};
  }

  const NpyHeader& header() const { return header_; }
  std::uint64_t data_bytes() const { return header_.elements() * npy_size(header_.type); }

  void local_allocate() {
    points.values.resize(static_cast<std::size_t>(home_.count(team_.rank()) * points.columns));
  }

  /// The runs of elements among `first` … `first + count` that belong to a rank's rows.
  std::vector<Run> runs_of(int rank, std::uint64_t first, std::uint64_t count) const {
    std::vector<Run> runs;
    const auto add = [&](std::uint64_t begin, std::uint64_t end) {
      begin = std::max(begin, first);
      end = std::min(end, first + count);
      if (begin < end) runs.push_back({begin, end - begin});
    };
    const std::uint64_t begin = home_.first(rank), end = begin + home_.count(rank);
    if (!header_.fortran_order || points.columns == 1) {
      add(begin * points.columns, end * points.columns);
    } else if (points.rows > 0) {
      const std::uint64_t last = std::min(points.columns, (first + count) / points.rows + 1);
      for (std::uint64_t column = first / points.rows; column < last; ++column)
        add(column * points.rows + begin, column * points.rows + end);
    }
    return runs;
  }

  /// Stores elements of this rank's rows; C order: may be beyond what has been allocated.
  void local_store(const Run& run, const char* data) {
    const bool by_column = header_.fortran_order;
    std::uint64_t row = by_column ? run.first % points.rows : run.first / points.columns;
    std::uint64_t column = by_column ? run.first / points.rows : run.first % points.columns;
    row -= home_.first(team_.rank());
    if (!by_column && row * points.columns + column + run.count > points.values.size())
      points.values.resize(static_cast<std::size_t>(row * points.columns + column + run.count));
    for (std::size_t i = 0; i < run.count; ++i) {
      const auto value = static_cast<float>(npy_value(header_.type, data, i));
      if (!std::isfinite(value))
        throw located_error(file_, 0, 0,
                            fmt::format("{} in row {}, column {} (from 0)", value,
                                        row + home_.first(team_.rank()), column),
                            "finite numbers");
      points.values[static_cast<std::size_t>(row * points.columns + column)] = value;
      if (by_column) {
        ++row;  // a run is within one column
      } else if (++column == points.columns) {
        column = 0;
        ++row;
      }
    }
  }

  InputError wrong_size(std::uint64_t found) const {
    return located_error(file_, 0, 0, fmt::format("{} bytes of data", found),
                         fmt::format("{}, as the header declares", data_bytes()));
  }

  LoadedPoints points;

 private:
  Team& team_;
  std::string file_;
  NpyHeader header_;
  HomeRange home_;
};

NpyPoints begin_points(Team& team, TextInput& input) {
  std::string start;
  together(team, [&] {
    if (team.rank() == 0) start = input.local_peek(npy_header_limit);
  });
  const std::vector<char> told = broadcast(team, std::span<const char>(start));
  std::optional<NpyPoints> npy;
  together(team, [&] {
    const std::string file = shown(input.path());
    npy.emplace(team, file, parse_npy_header(file, {told.data(), told.size()}));
  });
  return std::move(*npy);
}

void read_own_rows(NpyPoints& npy, const Team& team, const PlainFile& file,
                   std::size_t block_bytes) {
  const std::size_t size = npy_size(npy.header().type);
  if (file.size() - npy.header().bytes != npy.data_bytes())
    throw npy.wrong_size(file.size() - npy.header().bytes);
  npy.local_allocate();
  const std::uint64_t block = std::max<std::uint64_t>(1, block_bytes / size);
  std::vector<char> data;
  for (const Run& run : npy.runs_of(team.rank(), 0, npy.header().elements())) {
    for (std::uint64_t done = 0; done < run.count; done += block) {
      const Run part{run.first + done, std::min(block, run.count - done)};
      data.resize(static_cast<std::size_t>(part.count) * size);
      const std::size_t count = file.read_at(npy.header().bytes + part.first * size, data);
      if (count < data.size()) throw npy.wrong_size(part.first * size + count);
      npy.local_store(part, data.data());
    }
  }
}

/// In rounds of one block per rank. The declared size may be a lie: in C order, memory grows as
/// data arrives.
void read_in_rounds(NpyPoints& npy, Team& team, TextInput& input, std::size_t block_bytes) {
  const std::size_t size = npy_size(npy.header().type);
  const auto ranks = static_cast<std::size_t>(team.size());
  const std::uint64_t block = std::max<std::uint64_t>(1, block_bytes / size) * ranks;
  const std::uint64_t elements = npy.header().elements();
  together(team, [&] {
    if (npy.header().fortran_order) npy.local_allocate();
    if (team.rank() == 0) input.local_skip(static_cast<std::size_t>(npy.header().bytes));
  });
  for (std::uint64_t first = 0; first < elements; first += block) {
    const std::uint64_t count = std::min(block, elements - first);
    std::vector<Bytes> out(ranks);
    together(team, [&] {
      if (team.rank() != 0) return;
      const std::string data = input.local_take(static_cast<std::size_t>(count) * size);
      if (data.size() < count * size) throw npy.wrong_size(first * size + data.size());
      for (std::size_t to = 0; to < ranks; ++to) {
        for (const Run& run : npy.runs_of(static_cast<int>(to), first, count)) {
          const auto* from =
              reinterpret_cast<const std::byte*>(data.data()) + (run.first - first) * size;
          out[to].insert(out[to].end(), from, from + run.count * size);
        }
      }
    });
    const Bytes data = std::move(team.exchange(std::move(out))[0]);
    together(team, [&] {
      std::size_t at = 0;
      for (const Run& run : npy.runs_of(team.rank(), first, count)) {
        npy.local_store(run, reinterpret_cast<const char*>(data.data()) + at);
        at += static_cast<std::size_t>(run.count) * size;
      }
    });
  }
  together(team, [&] {
    if (team.rank() == 0 && !input.local_take(1).empty())
      throw npy.wrong_size(npy.data_bytes() + 1);
  });
}

}  // namespace

LoadedPoints read_npy_points(Team& team, TextInput& input, const PointOptions& options) {
  NpyPoints npy = begin_points(team, input);
  if (const PlainFile* file = input.plain_file()) {
    together(team, [&] { read_own_rows(npy, team, *file, options.block_bytes); });
  } else {
    read_in_rounds(npy, team, input, options.block_bytes);
  }
  return std::move(npy.points);
}

}  // namespace gas::loaders::detail
