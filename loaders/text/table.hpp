#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "loaders/text/scan.hpp"
#include "loaders/text/text_input.hpp"

namespace gas::loaders {

/// What the user says of tables: edge lists and dense points. What is left out is found from the
/// first lines.
struct TableOptions {
  enum class Header { automatic, yes, no };

  Header header = Header::automatic;  // whether the first line names the columns
  std::string delimiter;              // between fields; " ": any blanks; empty: not said
  std::vector<std::string> columns;   // names, numbers from 1, ranges "2-5" or "3-"; empty: all
  bool names = false;                 // edges: ids are names, also those that look like numbers

  bool given() const {
    return header != Header::automatic || !delimiter.empty() || !columns.empty() || names;
  }
};

/// What --delimiter takes: "tab", "blanks", or up to 7 characters that no number has. UsageError.
std::string parse_delimiter(const std::string& text);
/// What --header takes: yes, no or auto.
TableOptions::Header parse_header(std::string_view text);
/// What --columns takes: items between commas. UsageError for an empty one, and for a column 0.
std::vector<std::string> parse_columns(const std::string& text);

namespace detail {

/// A field of a line, without blanks round it and the quotation marks that it may stand in.
struct Field {
  std::string_view raw;  // of the line; in quotes, "" stands for one "
  bool doubled = false;  // it has such

  /// The field itself; `scratch` holds it where it is not in the line.
  std::string_view text(std::string& scratch) const;
};

/// Cuts lines into fields as RFC 4180 has it, but for blanks round fields, which are dropped, and
/// line ends in quotes, which lines do not have. Between blanks, quotation marks are as other
/// characters.
class Splitter {
 public:
  /// `rows`: what is cut are rows (TextInput::read_quoted_rows); quotation marks in fields that do
  /// not stand in such are refused.
  explicit Splitter(std::string delimiter, bool rows = false)
      : delimiter_(std::move(delimiter)), rows_(rows) {}

  const std::string& delimiter() const { return delimiter_; }
  /// The fields of a line, which ends in memory as in its file. BadText.
  void split(std::string_view line, std::vector<Field>& fields) const;

 private:
  const char* field(const char* at, const char* end, Field& field) const;

  std::string delimiter_;
  bool rows_;
};

/// Whether a line of a table is neither empty nor a comment, which # and % begin.
bool is_row(std::string_view line);

/// Whether a row of a csv is empty: fields that are all empty are a row, also between tabs.
inline bool is_empty_row(std::string_view row, std::string_view delimiter) {
  return row.find_first_not_of(delimiter == "\t" ? " " : " \t") == std::string_view::npos;
}

/// The first and last position of an item of --columns, from 1; the last may be 0 (open). Nothing
/// if it is a name.
std::optional<std::array<std::uint64_t, 2>> positions(std::string_view item);

/// Whether a field reads as a number.
bool is_number(std::string_view field);

/// The note that a header is skipped; `--header no` would make it `otherwise`.
std::string header_note(const std::string& path, const Line& header, const char* otherwise);

/// Notes the first of so many columns, which is read, if it is called as those are that number
/// rows.
void note_row_numbers(const std::string& path, const Line& header, std::string_view name,
                      std::uint64_t width, std::vector<std::string>& notes);

/// BadText if a row is a number with pairs such as 3:1.5 behind it, as libsvm and ldac have them.
void refuse_pairs(std::string_view row, const char* expected);

/// For messages.
std::string shown_field(const Field& field);

/// What parse(scanner) makes of a whole field, which is `expected`. BadText.
template <class Parse>
auto parse_field(const Field& field, const char* expected, Parse parse) {
  Scanner scanner(field.raw);
  try {
    const auto value = parse(scanner);
    if (scanner.at_end()) return value;
  } catch (BadText& bad) {
    refuse_returns(field.raw);
    bad.at = field.raw.data();
    bad.found = shown_field(field);
    throw;
  }
  refuse_returns(field.raw);
  throw BadText{field.raw.data(), shown_field(field), expected};
}

/// The number of fields of a row of numbers between blanks with at most one comma, as a Scanner
/// reads them; 0 if it is something else.
std::uint64_t plain_width(std::string_view row);

struct TableForm;
/// Notes a header with fewer names than there are columns to read. On rank 0.
void note_fewer_names(const std::string& path, TableForm& form);

/// What separates the fields of a row: a tab, else a comma, a semicolon or ::, else blanks. BadText
/// if there are both commas and semicolons.
std::string find_delimiter(std::string_view row);

/// How the rows of a file are cut, as its first lines and the options have it.
struct TableForm {
  std::string delimiter;               // as in TableOptions, never empty
  std::uint64_t header = 0;            // the number of the line to skip; 0: none
  std::uint64_t width = 0;             // fields in each row
  std::vector<std::uint64_t> columns;  // of them to read, from 0, in this order; empty: all
  bool rows = false;                   // Splitter's
  bool plain = false;  // all are numbers between blanks with at most one comma: as a Scanner reads
  std::vector<std::string> notes;
  std::vector<std::string> names;  // on rank 0: of the columns to read, if there is a header

  /// The fields of a row to read.
  std::uint64_t used() const { return columns.empty() ? width : columns.size(); }
};

/// Whether the first row is a header to the second, by the fields to read; "" where there is none.
/// `blanks`: they stand between blanks; `beside`: a field that is not read is a number in the
/// second row and none in the first.
using IsHeader = bool (*)(std::span<const std::string> first, std::span<const std::string> second,
                          bool blanks, bool beside);

/// Whether the first of two texts is a name, the second a number.
bool is_named_number(const std::string& name, const std::string& number);

/// Whether one of the options' columns is a name, so that there must be a header.
bool names_columns(const TableOptions& options);

/// Reads the form off the first rows of a file, at most two. BadText; UsageError.
TableForm find_form(const std::string& path, std::span<const Line> rows,
                    const TableOptions& options, IsHeader is_header);

/// Makes the form of rank 0 known to all. Collective.
TableForm broadcast_form(Communicator& comm, const TableForm& form);

/// The names of columns in the first of several files that has a header. On rank 0.
class FirstNames {
 public:
  /// BadText if the header of a file names other columns, or the same in another order.
  void check(const std::string& path, const TableForm& form, const Line& header);
  const std::vector<std::string>& names() const { return names_; }

 private:
  std::string path_;
  std::vector<std::string> names_;
};

/// The fields of a row to read, which has as many as the first; BadText if it has not.
class RowReader {
 public:
  explicit RowReader(const TableForm& form) : form_(form), splitter_(form.delimiter, form.rows) {}

  /// Valid until the next call.
  std::span<const Field> read(std::string_view line);

 private:
  const TableForm& form_;
  Splitter splitter_;
  std::vector<Field> all_, chosen_;
};

/// Gives every row of a text to take(fields), until it returns false. BadText.
template <class Take>
void for_each_row(std::string_view text, const TableForm& form, Take take) {
  RowReader reader(form);
  while (!text.empty()) {
    const std::string_view line = take_line(text);
    if (!is_row(line))
      refuse_returns(line);
    else if (!take(reader.read(line)))
      return;
  }
}

}  // namespace detail
}  // namespace gas::loaders
