#include "loaders/formats/dense.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

#include "gas/base/page_array.hpp"
#include "loaders/narrow.hpp"
#include "loaders/text/blocks.hpp"
#include "loaders/text/scan.hpp"
#include "loaders/text/table.hpp"

namespace gas::loaders::detail {
namespace {

constexpr const char* finite = "a finite number (--columns picks columns)";

/// Whether the fields are 0, 1, 2, …, as pandas names columns that have no names.
bool are_counted(std::span<const std::string> fields) {
  std::uint64_t next = 0;
  return fields.size() > 1 && std::ranges::all_of(fields, [&](const std::string& field) {
           return field == fmt::to_string(next++);
         });
}

/// None of its fields is a number, or they are counted behind the empty name of a row index.
bool is_header(std::span<const std::string> first, std::span<const std::string> second, bool,
               bool) {
  return std::ranges::none_of(first, [](const std::string& field) { return is_number(field); }) ||
         (first[0].empty() && are_counted(first.subspan(1)) && is_number(second[0]));
}

/// Of numbers that both blanks and commas separate: these may be decimal commas, which would make
/// two columns of one. Beside tabs, BadText.
void tell_columns(const std::string& path, const Line& row, TableForm& form) {
  const auto in_number = [&, last = row.text.size() - 1](std::size_t at) {
    return at > 0 && at < last && is_digit(row.text[at - 1]) && is_digit(row.text[at + 1]);
  };
  const auto between_numbers = [&](std::size_t at) {  // a space, with no comma beside it
    const std::size_t next = row.text.find_first_not_of(' ', at);
    return at > 0 && next != std::string_view::npos && is_digit(row.text[at - 1]) &&
           (is_digit(row.text[next]) || row.text[next] == '-');
  };
  const bool commas = form.plain && in_number(row.text.find(','));
  if (commas && row.text.find('\t') != std::string_view::npos)
    throw BadText{row.text.data(), "both tabs and commas between numbers",
                  "one of them, and decimal points"};
  if (commas && between_numbers(row.text.find(' ')))
    form.notes.push_back(
        fmt::format("{}:{}: blanks and commas both separate its {} numbers: expected decimal "
                    "points, where these are decimal commas",
                    shown(path), row.number, form.width));
  note_fewer_names(path, form);
}

/// Tells of a first row that is read as a point and may be a header. Two whole numbers above
/// others may well be a point.
void tell_counted(const std::string& path, const Line& row, const Line& next, TableForm& form) {
  std::vector<Field> fields;
  Splitter(find_delimiter(row.text)).split(row.text, fields);
  std::vector<std::string> texts;
  for (const Field& field : fields) texts.emplace_back(field.raw);
  if (are_counted(texts) && (texts.size() > 2 || next.text.find('.') != std::string_view::npos))
    form.notes.push_back(fmt::format(
        "{}:{}: {} is read as a row of numbers; if these are the names of columns, give "
        "--header yes",
        shown(path), row.number, quoted(row.text)));
}

/// Reads the form off the file at hand, and skips its header. `width`: numbers in each row of the
/// files before, or 0; `names`: their columns.
TableForm find_dense_form(Communicator& comm, TextInput& input, const TableOptions& options,
                          std::uint64_t width, FirstNames& names) {
  TableForm form;
  input.look_ahead(2, is_row, [&](std::span<const Line> rows) {
    if (!rows.empty() && !options.given()) refuse_pairs(rows[0].text, "a finite number");
    form = find_form(input.path(), rows, options, is_header);
    if (form.header != 0) names.check(input.path(), form, rows[0]);
    if (form.header != 0 && (form.columns.empty() || form.columns[0] == 0))
      note_row_numbers(input.path(), rows[0], form.names[0], form.width, form.notes);
    if (rows.size() > 1 && form.header == 0 && options.header == TableOptions::Header::automatic)
      tell_counted(input.path(), rows[0], rows[1], form);
    const std::size_t at = form.header != 0 ? 1 : 0;
    if (at < rows.size()) tell_columns(input.path(), rows[at], form);
    if (at >= rows.size())
      form.width = 0;
    else if (width != 0 && form.used() != width)
      throw BadText{rows[at].text.data(), fmt::format("{} columns", form.used()),
                    fmt::format("{}, as in the files before", width)};
  });
  form = broadcast_form(comm, form);
  input.read_head([&](std::string_view, std::uint64_t number) { return number <= form.header; });
  return form;
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

/// The number at the scanner's place.
template <class Value>
Value read_value(Scanner& scanner, bool& rounded) {
  constexpr std::size_t told_apart = std::numeric_limits<float>::digits10;
  const char* const begin = scanner.position();
  const Value value = scanner.real<Value>(finite);
  if constexpr (std::is_same_v<Value, double>)
    rounded =
        rounded || (!fits_float(value) && (digits_of(begin, scanner.position()) > told_apart ||
                                           !std::isnormal(static_cast<float>(value))));
  return value;
}

template <class Value>
Numbers<Value> parse_plain(std::string_view text, std::uint64_t columns) {
  const std::string another = fmt::format("{} columns, as in the first row", columns);
  Numbers<Value> numbers{PageArray<Value>(text.size() / 2)};  // "1\n"
  Value* next = numbers.values.data();
  for (Scanner scanner(text); !scanner.at_end(); scanner.next_line()) {
    scanner.skip_blanks();
    if (scanner.at_line_end() || scanner.peek() == '#' || scanner.peek() == '%') continue;
    for (std::uint64_t column = 0; column < columns; ++column) {
      if (column > 0 && !scanner.column_separator()) scanner.fail(another.c_str());
      if (scanner.at_line_end()) scanner.fail(another.c_str());
      const char* const begin = scanner.position();
      *next++ = read_value<Value>(scanner, numbers.rounded);
      if (!scanner.ends_token()) scanner.fail(begin, finite);
    }
    scanner.skip_blanks();
    if (!scanner.at_line_end()) scanner.fail(another.c_str());
  }
  numbers.values.cut(static_cast<std::size_t>(next - numbers.values.data()));
  return numbers;
}

template <class Value>
Numbers<Value> parse_table(std::string_view text, const TableForm& form) {
  const auto lines = static_cast<std::size_t>(std::ranges::count(text, '\n'));
  Numbers<Value> numbers{PageArray<Value>(lines * static_cast<std::size_t>(form.used()))};
  Value* next = numbers.values.data();
  for_each_row(text, form, [&](std::span<const Field> fields) {
    for (const Field& field : fields)
      *next++ = parse_field(field, finite, [&](Scanner& scanner) {
        return read_value<Value>(scanner, numbers.rounded);
      });
    return true;
  });
  numbers.values.cut(static_cast<std::size_t>(next - numbers.values.data()));
  return numbers;
}

template <class Value>
Numbers<Value> parse_rows(std::string_view text, const TableForm& form) {
  return form.plain ? parse_plain<Value>(text, form.width) : parse_table<Value>(text, form);
}

template <class Value>
void read_rows(Communicator& comm, TextInput& input, const PointOptions& options,
               LoadedPoints& points, std::vector<Value>& values) {
  std::vector<Numbers<Value>> blocks;
  FirstNames names;
  do {
    const TableForm form = find_dense_form(comm, input, options.table, points.columns, names);
    points.notes.insert(points.notes.end(), form.notes.begin(), form.notes.end());
    if (points.names.empty()) points.names = form.names;
    if (form.width == 0) continue;
    points.columns = form.used();
    add_blocks(blocks, input, options.threads,
               [&](std::string_view text) { return parse_rows<Value>(text, form); });
  } while (input.next_file());
  const auto pieces = count_pieces(input, blocks, [&](const Numbers<Value>& block) {
    return points.columns == 0 ? 0 : block.values.size() / points.columns;
  });
  const std::vector<Stretch> stretches = in_file_order(comm, pieces, points.rows);
  const bool rounded =
      std::any_of(blocks.begin(), blocks.end(), [](const auto& block) { return block.rounded; });
  points.wide = all_max(comm, rounded ? 1 : 0) != 0;
  values = join<Value>(
      blocks, [](Numbers<Value> & block) -> auto& { return block.values; });
  values = move_to(comm, stretches, std::move(values), block_bounds(points.rows, comm.size()),
                   points.columns);
}

template <class Value>
std::uint64_t next_rows(Communicator& comm, TextInput& input, const PointOptions& options,
                        const TableForm& form, std::uint64_t count, bool& wide,
                        std::vector<Value>& values) {
  std::vector<Numbers<Value>> blocks(options.threads);
  const std::uint64_t rows = input.next_lines(count, is_row, options.threads,
                                              [&](std::size_t block, std::string_view text) {
                                                blocks[block] = parse_rows<Value>(text, form);
                                              });
  const bool rounded =
      std::any_of(blocks.begin(), blocks.end(), [](const auto& block) { return block.rounded; });
  wide = all_max(comm, rounded ? 1 : 0) != 0;
  values = join<Value>(
      blocks, [](Numbers<Value> & block) -> auto& { return block.values; });
  return rows;
}

}  // namespace

DenseRows::DenseRows(Communicator& comm, TextInput& input, const PointOptions& options)
    : comm_(comm), input_(input), options_(options) {
  open();
}

void DenseRows::open() {
  form_ = find_dense_form(comm_, input_, options_.table, columns_, names_);
  notes_.insert(notes_.end(), form_.notes.begin(), form_.notes.end());
  if (form_.width > 0) columns_ = form_.used();
}

LoadedPoints DenseRows::next(std::uint64_t count) {
  LoadedPoints points;
  const auto take = [&](auto& values) {
    points.rows = form_.width == 0
                      ? 0
                      : next_rows(comm_, input_, options_, form_, count, points.wide, values);
    return points.rows > 0;
  };
  while (!(options_.wide ? take(points.wide_values) : take(points.values)) && input_.next_file())
    open();
  points.columns = columns_;
  if (!points.wide) narrow(points);
  points.notes = std::exchange(notes_, {});
  points.names = names_.names();
  return points;
}

LoadedPoints read_dense(Communicator& comm, TextInput& input, const PointOptions& options) {
  LoadedPoints points;
  if (options.wide)
    read_rows(comm, input, options, points, points.wide_values);
  else
    read_rows(comm, input, options, points, points.values);
  if (!points.wide) narrow(points);
  return points;
}

}  // namespace gas::loaders::detail
