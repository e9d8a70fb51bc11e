#include "loaders/load_points.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "gas/graph/error.hpp"
#include "gas/graph/page_array.hpp"
#include "loaders/binary/binary_points.hpp"
#include "loaders/formats/value_block.hpp"
#include "loaders/text/blocks.hpp"
#include "loaders/text/scan.hpp"

namespace gas::loaders {
namespace {

constexpr const char* finite = "a finite number";

bool begins_row(Scanner& scanner) {
  scanner.skip_blanks();
  return !scanner.at_line_end() && scanner.peek() != '#' && scanner.peek() != '%';
}

bool is_number(std::string_view field) {
  double value = 0;
  if (field.starts_with('+')) field.remove_prefix(1);
  const auto [stop, code] = std::from_chars(field.data(), field.data() + field.size(), value);
  return code != std::errc::invalid_argument && stop == field.data() + field.size();
}

/// The number of columns in the first row, 0 if there is none; skips a header. The rows' parser
/// finds what is wrong with the row itself.
std::uint64_t count_columns(Team& team, TextInput& input) {
  std::uint64_t columns = 0;
  bool first = true;
  input.read_head([&](std::string_view line, std::uint64_t) {
    Scanner scanner(line);  // the line's end follows it in memory
    if (!begins_row(scanner)) return true;
    bool any_number = false;
    for (columns = 0; !scanner.at_line_end(); ++columns) {
      any_number |= is_number(scanner.name(finite));
      scanner.separator();
    }
    if (first && !any_number) {
      first = false;
      columns = 0;
      return true;
    }
    return false;
  });
  return broadcast(team, std::span<const std::uint64_t>(&columns, 1))[0];
}

/// The numbers of a block of text; `rounded`: floats would not hold each of them.
template <class Value>
struct Numbers {
  PageArray<Value> values;
  bool rounded = false;
};

/// How many digits a number has, from the first that is not 0 on and without its exponent.
std::size_t digits_of(const char* begin, const char* end) {
  std::size_t digits = 0;
  for (; begin < end && *begin != 'e' && *begin != 'E'; ++begin)
    if (is_digit(*begin) && (digits > 0 || *begin != '0')) ++digits;
  return digits;
}

template <class Value>
Numbers<Value> parse_rows(std::string_view text, std::uint64_t columns) {
  constexpr std::size_t told_apart = std::numeric_limits<float>::digits10;
  const std::string another = fmt::format("{} columns, as in the first row", columns);
  Numbers<Value> numbers{PageArray<Value>(text.size() / 2)};  // "1\n"
  Value* next = numbers.values.data();
  for (Scanner scanner(text); !scanner.at_end(); scanner.next_line()) {
    if (!begins_row(scanner)) continue;
    for (std::uint64_t column = 0; column < columns; ++column) {
      if (column > 0 && !scanner.separator()) scanner.fail(another.c_str());
      if (scanner.at_line_end()) scanner.fail(another.c_str());
      const char* const begin = scanner.position();
      const Value value = scanner.real<Value>(finite);
      if constexpr (std::is_same_v<Value, double>)
        numbers.rounded = numbers.rounded || (!detail::fits_float(value) &&
                                              (digits_of(begin, scanner.position()) > told_apart ||
                                               !std::isnormal(static_cast<float>(value))));
      *next++ = value;
      if (!scanner.ends_token()) scanner.fail(begin, finite);
    }
    scanner.skip_blanks();
    if (!scanner.at_line_end()) scanner.fail(another.c_str());
  }
  numbers.values.cut(static_cast<std::size_t>(next - numbers.values.data()));
  return numbers;
}

template <class Value>
void read_rows(Team& team, TextInput& input, unsigned threads, LoadedPoints& points,
               std::vector<Value>& values) {
  auto blocks = parse_blocks<Numbers<Value>>(input, threads, [&](std::string_view text) {
    return parse_rows<Value>(text, points.columns);
  });
  const auto pieces = count_pieces(input, blocks, [&](const Numbers<Value>& block) {
    return points.columns == 0 ? 0 : block.values.size() / points.columns;
  });
  const std::vector<Stretch> stretches = in_file_order(team, pieces, points.rows);
  const bool rounded =
      std::any_of(blocks.begin(), blocks.end(), [](const auto& block) { return block.rounded; });
  points.wide = all_max(team, rounded ? 1 : 0) != 0;
  values = join<Value>(
      blocks, [](Numbers<Value> & block) -> auto& { return block.values; });
  values = move_to(team, stretches, std::move(values), home_bounds(points.rows, team.size()),
                   points.columns);
}

LoadedPoints read_dense(Team& team, TextInput& input, const PointOptions& options) {
  LoadedPoints points;
  points.columns = count_columns(team, input);
  if (options.wide)
    read_rows(team, input, options.threads, points, points.wide_values);
  else
    read_rows(team, input, options.threads, points, points.values);
  if (!points.wide) detail::narrow(points);
  return points;
}

}  // namespace

namespace detail {

void narrow(LoadedPoints& points) {
  points.values.insert(points.values.end(), points.wide_values.begin(), points.wide_values.end());
  points.wide_values = {};
}

}  // namespace detail

LoadedPoints load_points(Team& team, const std::string& path, const PointOptions& options) {
  Format format = options.format;
  if (format != Format::automatic && !holds_points(format))
    throw UsageError(fmt::format("the format {} holds no points; dense, npy and idx do",
                                 format_name(options.format)));
  TextInput input(team, path, options.block_bytes);
  together(team, [&] {
    if (format == Format::automatic) format = detect_format(path, input.start(), Format::dense);
    if (!holds_points(format))
      throw located_error(shown(path), 0, 0,
                          fmt::format("a file of the format {}", format_name(format)),
                          "points: dense, npy or idx");
  });
  if (format == Format::npy) return detail::read_npy_points(team, input, options);
  if (format == Format::idx) return detail::read_idx_points(team, input, options);
  return read_dense(team, input, options);
}

}  // namespace gas::loaders
