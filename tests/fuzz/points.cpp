#include <algorithm>
#include <bit>
#include <cmath>

#include "loaders/load_points.hpp"
#include "loaders/read_small.hpp"
#include "loaders/write.hpp"
#include "tests/fuzz/harness.hpp"
#include "tests/fuzz/targets.hpp"

namespace gas_fuzz {
namespace {

using namespace gas;
using namespace gas::loaders;

PointOptions options_of(std::string_view letters, Format format) {
  PointOptions options{.format = format};
  for (const char letter : letters) {
    if (letter == 'w') options.wide = true;
    if (format != Format::dense) continue;
    take_letter(options.table, letter);
  }
  return options;
}

}  // namespace

void points(Format format, std::string_view data) {
  const PointOptions asked = options_of(first_line(data), format);
  const auto read = [&](Communicator& comm, const std::string& path, const Way& way) {
    PointOptions options = asked;
    options.threads = way.threads;
    options.block_bytes = way.block;
    const LoadedPoints points = load_points(comm, path, options);
    const std::uint64_t rows = BlockDistribution{points.rows, comm.size()}.count(comm.rank());
    expect(points.values.size() == (points.wide ? 0 : rows * points.columns), "values");
    expect(points.wide_values.size() == (points.wide ? rows * points.columns : 0), "wide values");
    const auto finite = [](double value) { return std::isfinite(value); };
    expect(std::ranges::all_of(points.values, finite), "finite");
    expect(std::ranges::all_of(points.wide_values, finite), "finite doubles");
    std::string text = std::to_string(points.rows) + " " + std::to_string(points.columns) + "\n";
    tell(text, comm, points.values);
    tell(text, comm, points.wide_values);
    for (const std::string& note : points.notes) text += note + "\n";
    return text;
  };
  // Compressed, fvecs is refused.
  if (format == Format::fvecs) return same_on_all_ranks(data, read);
  same_in_all_ways(data, read, format != Format::dense);
}

/// read_npy; and what was read, written and read again is the same.
void array(std::string_view data) {
  same_in_all_ways(
      data,
      [&](Communicator& comm, const std::string& path, const Way&) {
        const NpyArray read = read_npy(comm, path);
        std::string text;
        for (const std::uint64_t extent : read.shape) text += std::to_string(extent) + " ";
        text.append(reinterpret_cast<const char*>(read.values.data()),
                    read.values.size() * sizeof(double));
        if (read.shape.empty() || read.values.empty()) return text;
        const BlockDistribution blocks{read.shape[0], comm.size()};
        const std::size_t width = read.values.size() / static_cast<std::size_t>(read.shape[0]);
        const std::string copy = scratch() + "/copy.npy";
        write_npy_blocks<double>(
            comm, copy, read.shape,
            std::span(read.values)
                .subspan(static_cast<std::size_t>(blocks.first(comm.rank())) * width,
                         static_cast<std::size_t>(blocks.count(comm.rank())) * width));
        const NpyArray again = read_npy(comm, copy);
        const auto bits = [](double a, double b) {
          return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
        };
        expect(again.shape == read.shape && std::ranges::equal(again.values, read.values, bits),
               "read as written");
        return text;
      },
      true);
}

}  // namespace gas_fuzz
