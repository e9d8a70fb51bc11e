#include "loaders/text/table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "gas/base/error.hpp"
#include "gas/base/text/parse_number.hpp"

namespace gas::loaders {
namespace {

constexpr std::string_view blanks = " ";

/// A whole number from 1 on; 0 if it is something else.
std::uint64_t position(std::string_view text) {
  std::uint64_t number = 0;
  return parse_number(text, number) ? number : 0;
}

}  // namespace

std::optional<std::array<std::uint64_t, 2>> detail::positions(std::string_view item) {
  if (const std::uint64_t only = position(item); only > 0) return std::array{only, only};
  const std::size_t dash = item.find('-');
  if (dash == std::string_view::npos) return std::nullopt;
  const std::uint64_t first = position(item.substr(0, dash));
  const std::string_view rest = item.substr(dash + 1);
  const std::uint64_t last = position(rest);
  if (first == 0 || (last == 0 && !rest.empty()) || (last != 0 && last < first))
    return std::nullopt;
  return std::array{first, last};
}

namespace {

/// Whether an item of --columns is 0, or a range with a 0.
bool has_zero(std::string_view item) {
  const std::size_t dash = std::min(item.size(), item.find('-'));
  const std::string_view ends[] = {item.substr(0, dash),
                                   item.substr(std::min(item.size(), dash + 1))};
  const auto digits = [](std::string_view text) { return std::ranges::all_of(text, is_digit); };
  const auto zero = [](std::string_view text) {
    return !text.empty() && text.find_first_not_of('0') == std::string_view::npos;
  };
  return digits(ends[0]) && digits(ends[1]) && (zero(ends[0]) || zero(ends[1]));
}

}  // namespace

std::string parse_delimiter(const std::string& text) {
  if (text == "blanks" || text == " ") return std::string(blanks);
  if (text == "tab" || text == "\\t") return "\t";
  const bool in_numbers = std::ranges::any_of(text, [](char c) {
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           std::string_view("+-.\"#%\n\r\0 ", 11).find(c) != std::string_view::npos;
  });
  if (text.empty() || text.size() > 7 || in_numbers)
    throw UsageError(
        fmt::format("--delimiter: found '{}', expected blanks, tab, or up to 7 characters that "
                    "numbers do not contain, such as , ; | ::",
                    text));
  return text;
}

TableOptions::Header parse_header(std::string_view text) {
  return text == "yes"  ? TableOptions::Header::yes
         : text == "no" ? TableOptions::Header::no
                        : TableOptions::Header::automatic;
}

std::vector<std::string> parse_columns(const std::string& text) {
  std::vector<std::string> columns;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.size(), text.find(',', at));
    columns.push_back(text.substr(at, end - at));
    at = end + 1;
    if (columns.back().empty())
      throw UsageError(
          fmt::format("--columns: found '{}', expected names or numbers between commas", text));
    if (has_zero(columns.back()))
      throw UsageError(
          fmt::format("--columns: found '{}', expected columns counted from 1, or names", text));
  }
  return columns;
}

namespace detail {

std::string_view Field::text(std::string& scratch) const {
  if (!doubled) return raw;
  scratch.clear();
  for (std::size_t i = 0; i < raw.size(); ++i) {
    scratch += raw[i];
    if (raw[i] == '"') ++i;
  }
  return scratch;
}

std::string shown_field(const Field& field) {
  return field.raw.empty() ? "an empty field" : quoted(field.raw);
}

const char* Splitter::field(const char* at, const char* end, Field& field) const {
  const bool tabs = delimiter_ != "\t";  // they are blanks, too
  const auto blank = [&](char c) { return c == ' ' || (tabs && c == '\t'); };
  while (at != end && blank(*at)) ++at;
  const auto rest = [&] { return std::string_view(at, static_cast<std::size_t>(end - at)); };
  if (at == end || *at != '"') {
    const char* const stop = at + std::min(rest().find(delimiter_), rest().size());
    const char* last = stop;
    while (last != at && blank(last[-1])) --last;
    field = {{at, static_cast<std::size_t>(last - at)}, false};
    if (const std::size_t quote = field.raw.find('"'); rows_ && quote != std::string_view::npos)
      throw BadText{at + quote, "a quotation mark inside a field",
                    "quotation marks around the whole field, and each one inside it doubled"};
    return stop;
  }
  const char* const opening = at++;
  const char* const begin = at;
  field.doubled = false;
  while (true) {
    const std::size_t quote = rest().find('"');
    if (quote == std::string_view::npos)
      throw BadText{opening,
                    rows_ ? "a quotation mark that is not closed"
                          : "a quotation mark that is not closed in its line",
                    "a closing one"};
    at += quote + 1;
    if (at == end || *at != '"') break;
    field.doubled = true;
    ++at;
  }
  field.raw = {begin, static_cast<std::size_t>(at - 1 - begin)};
  while (at != end && blank(*at)) ++at;
  if (at != end && !rest().starts_with(delimiter_))
    throw BadText{at, quoted({at, 1}),
                  fmt::format("the delimiter '{}' after a closing quotation mark", delimiter_)};
  return at;
}

void Splitter::split(std::string_view line, std::vector<Field>& fields) const {
  fields.clear();
  const char* at = line.data();
  const char* const end = at + line.size();
  if (delimiter_ == blanks) {
    while (true) {
      while (at != end && is_blank(*at)) ++at;
      if (at == end) return;
      const char* const begin = at;
      while (at != end && !is_blank(*at)) ++at;
      fields.push_back({{begin, static_cast<std::size_t>(at - begin)}, false});
    }
  }
  while (true) {
    at = field(at, end, fields.emplace_back());
    if (at == end) return;
    at += delimiter_.size();
  }
}

bool is_row(std::string_view line) {
  const std::size_t at = line.find_first_not_of(" \t");
  return at != std::string_view::npos && line[at] != '#' && line[at] != '%';
}

bool is_number(std::string_view field) {
  double value = 0;
  if (field.starts_with('+')) field.remove_prefix(1);
  const auto [stop, code] = std::from_chars(field.data(), field.data() + field.size(), value);
  return code != std::errc::invalid_argument && stop == field.data() + field.size();
}

std::uint64_t plain_width(std::string_view row) {
  if (row.find("\t\t") != std::string_view::npos) return 0;  // a field may be missing there
  Scanner scanner(row);                                      // the line's end follows it in memory
  scanner.skip_blanks();
  std::uint64_t width = 0;
  for (; !scanner.at_line_end(); ++width) {
    const char* const begin = scanner.position();
    while (!scanner.ends_token()) scanner.step();
    if (!is_number({begin, static_cast<std::size_t>(scanner.position() - begin)})) return 0;
    const char* const end = scanner.position();
    if (!scanner.separator() && !scanner.at_line_end()) return 0;
    // Behind a comma there is a field, if an empty one.
    if (scanner.at_line_end() && std::find(end, scanner.position(), ',') != scanner.position())
      return 0;
  }
  return width;
}

std::string find_delimiter(std::string_view row) {
  bool tab = false, comma = false, semicolon = false, colons = false, blank = false;
  const bool quotes = std::ranges::count(row, '"') % 2 == 0;
  bool in_quotes = false;
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (row[i] == '"' && quotes) in_quotes = !in_quotes;
    if (in_quotes) continue;
    tab |= row[i] == '\t';
    comma |= row[i] == ',';
    semicolon |= row[i] == ';';
    blank |= row[i] == ' ';
    colons |= row.substr(i).starts_with("::");
  }
  if (tab) return "\t";
  if (comma && semicolon)
    throw BadText{row.data() + row.find_first_of(",;"), "both commas and semicolons",
                  "one of them between fields (to choose one, give --delimiter)"};
  if (comma) return ",";
  if (semicolon) return ";";
  return colons && !blank ? "::" : std::string(blanks);
}

namespace {

std::vector<std::string> split_texts(const Splitter& splitter, const Line& row) {
  std::vector<Field> fields;
  splitter.split(row.text, fields);
  std::vector<std::string> texts;
  std::string scratch;
  for (const Field& field : fields) texts.emplace_back(field.text(scratch));
  return texts;
}

/// Where the columns of the options are.
std::vector<std::uint64_t> find_columns(const TableOptions& options, const Line& named,
                                        std::span<const std::string> names, const Line& row,
                                        std::uint64_t width) {
  std::vector<std::uint64_t> columns;
  const auto refuse = [&](const std::string& found, const std::string& expected) {
    throw BadText{row.text.data() + std::min(row.text.size(), row.text.find_first_not_of(" \t")),
                  found, expected};
  };
  for (const std::string& item : options.columns) {
    const auto check_width = [&](std::uint64_t last) {
      if (last > width)
        refuse(fmt::format("{} columns", width),
               fmt::format("column {}, as --columns names it", item));
    };
    if (const auto range = positions(item)) {
      const std::uint64_t last = (*range)[1] == 0 ? width : (*range)[1];
      check_width(std::max((*range)[0], last));
      for (std::uint64_t i = (*range)[0]; i <= last; ++i) columns.push_back(i - 1);
      continue;
    }
    if (std::ranges::count(names, item) != 1)
      throw BadText{named.text.data(), fmt::format("the columns {}", fmt::join(names, ", ")),
                    fmt::format("one column '{}', as --columns names it", item)};
    columns.push_back(static_cast<std::uint64_t>(std::ranges::find(names, item) - names.begin()));
    check_width(columns.back() + 1);
  }
  std::vector<std::uint64_t> sorted = columns;
  std::ranges::sort(sorted);
  if (const auto twice = std::ranges::adjacent_find(sorted); twice != sorted.end())
    refuse(fmt::format("column {} twice in --columns", *twice + 1), "each column once");
  return columns;
}

}  // namespace

std::string header_note(const std::string& path, const Line& header, const char* otherwise) {
  return fmt::format(
      "{}:{}: {} is read as the names of columns (to read it as {}, give --header no)", shown(path),
      header.number, quoted(header.text), otherwise);
}

void note_row_numbers(const std::string& path, const Line& header, std::string_view name,
                      std::uint64_t width, std::vector<std::string>& notes) {
  constexpr std::array usual{"rownames", "row.names",  "row_names", "unnamed: 0", "index",
                             "id",       "row_number", "row_id",    "rowid",      "row"};
  if (width < 2 || std::ranges::find(usual, lowered(name)) == usual.end()) return;
  notes.push_back(fmt::format(
      "{}:{}: the first column, {}, is read as data; if it numbers the rows, --columns {} leaves "
      "it out",
      shown(path), header.number, quoted(name), width == 2 ? "2" : fmt::format("2-{}", width)));
}

void note_fewer_names(const std::string& path, TableForm& form) {
  std::uint64_t named = form.names.size();
  while (named > 0 && form.names[named - 1].empty()) --named;
  if (named > 0 && named < form.used())
    form.notes.push_back(fmt::format("{}:{}: the header names {} columns, and its first row has {}",
                                     shown(path), form.header, named, form.used()));
}

void refuse_pairs(std::string_view row, const char* expected) {
  std::vector<Field> fields;
  Splitter(" ").split(row, fields);
  if (fields.size() < 2 || !is_number(fields[0].raw)) return;
  for (const Field& field : std::span(fields).subspan(1)) {
    const std::size_t colon = field.raw.find(':');
    if (colon == 0 || colon == std::string_view::npos || !is_number(field.raw.substr(colon + 1)) ||
        !std::ranges::all_of(field.raw.substr(0, colon), is_digit))
      return;
  }
  throw BadText{
      fields[1].raw.data(), shown_field(fields[1]),
      fmt::format("{}; the line looks like libsvm or ldac (if it is, give --format)", expected)};
}

bool names_columns(const TableOptions& options) {
  return std::ranges::any_of(options.columns, [](auto& item) { return !positions(item); });
}

bool is_named_number(const std::string& name, const std::string& number) {
  return !name.empty() && !is_number(name) && is_number(number);
}

TableForm find_form(const std::string& path, std::span<const Line> rows,
                    const TableOptions& options, IsHeader is_header) {
  TableForm form;
  form.delimiter = options.delimiter.empty() ? std::string(blanks) : options.delimiter;
  if (rows.empty()) return form;
  const bool named = names_columns(options);
  if (named && options.header == TableOptions::Header::no)
    throw UsageError(
        "--columns with names needs a header: leave out --header no, or give the numbers of "
        "columns");
  const bool free = options.delimiter.empty() && options.columns.empty();
  const bool said = named || options.header == TableOptions::Header::yes;
  if (free && !said && (form.width = plain_width(rows[0].text)) > 0) {
    form.plain = true;
    return form;
  }
  if (options.delimiter.empty()) form.delimiter = find_delimiter(rows[0].text);
  const Splitter splitter(form.delimiter);
  const std::vector<std::string> first = split_texts(splitter, rows[0]);
  std::vector<std::string> second;
  if (rows.size() > 1) second = split_texts(splitter, rows[1]);

  const auto use = [&](const Line& row, std::uint64_t width) {
    form.width = width;
    form.columns = find_columns(options, rows[0], first, row, width);
  };
  const auto chosen = [&](const std::vector<std::string>& fields) {
    std::vector<std::string> texts;
    for (std::uint64_t i = 0; i < form.used(); ++i) {
      const std::uint64_t at = form.columns.empty() ? i : form.columns[i];
      texts.push_back(at < fields.size() ? fields[at] : "");
    }
    return texts;
  };
  bool header = said;
  if (!header && options.header == TableOptions::Header::automatic) {
    use(rows.back(), std::max(first.size(), second.size()));
    const std::vector<std::string> names = chosen(first);
    // pandas leaves the name of its row index empty, which may be among the columns left out.
    const bool indexed = !form.columns.empty() && first[0].empty() && !second.empty() &&
                         is_number(second[0]) && std::ranges::none_of(names, &std::string::empty);
    bool beside = false;
    for (std::uint64_t c = 0; !form.columns.empty() && c < std::min(first.size(), second.size());
         ++c)
      beside = beside ||
               (std::ranges::count(form.columns, c) == 0 && is_named_number(first[c], second[c]));
    header = !std::ranges::all_of(names, is_number) &&
             (indexed || is_header(names, chosen(second), form.delimiter == blanks, beside));
  }
  if (header) form.header = rows[0].number;
  const bool told = !said && form.delimiter != blanks;
  const Line& row = header && rows.size() > 1 ? rows[1] : rows[0];
  use(row, header && rows.size() > 1 ? second.size() : first.size());
  if (header) form.names = chosen(first);
  if (header && first[0].empty() && first.size() > 1 &&
      (form.columns.empty() || std::ranges::count(form.columns, 0U) > 0))
    form.notes.push_back(fmt::format(
        "{}:{}: the first column has no name, as pandas writes its row index; it is read as data "
        "(--columns 2-{} leaves it out)",
        shown(path), rows[0].number, first.size()));
  if (header && free && rows.size() > 1) {
    const std::uint64_t width = plain_width(row.text);
    form.plain = width > 0;
    if (form.plain) form.width = width;
  }
  const bool fewer = header && rows.size() > 1 && first.size() < second.size();
  if (fewer && named)
    throw BadText{rows[0].text.data(), fmt::format("the names of {} columns", first.size()),
                  fmt::format("those of all {}, as --columns takes them by name (R leaves out that "
                              "of its row names: give --columns by number)",
                              second.size())};
  if (told && header && rows.size() > 1 && form.width < first.size())
    throw BadText{row.text.data() + row.text.size(), "the end of the line",
                  fmt::format("{} columns, as in the header", first.size())};
  return form;
}

TableForm broadcast_form(Communicator& comm, const TableForm& form) {
  std::vector<std::uint64_t> numbers{form.header, form.width, form.plain ? 1U : 0U};
  numbers.insert(numbers.end(), form.columns.begin(), form.columns.end());
  std::string lines = form.delimiter;
  for (const std::string& note : form.notes) lines += "\n" + note;
  numbers = broadcast(comm, std::span<const std::uint64_t>(numbers));
  lines = broadcast_text(comm, lines);
  TableForm told;
  told.header = numbers[0];
  told.names = form.names;
  told.width = numbers[1];
  told.plain = numbers[2] != 0;
  told.columns.assign(numbers.begin() + 3, numbers.end());
  std::string_view rest(lines);
  told.delimiter = rest.substr(0, rest.find('\n'));
  rest.remove_prefix(std::min(rest.size(), told.delimiter.size() + 1));
  while (!rest.empty()) told.notes.emplace_back(take_line(rest));
  return told;
}

void FirstNames::check(const std::string& path, const TableForm& form, const Line& header) {
  if (form.names.empty() || form.names == names_) return;
  if (!names_.empty())
    throw BadText{header.text.data(), fmt::format("the columns {}", fmt::join(form.names, ", ")),
                  fmt::format("{} as in {}", fmt::join(names_, ", "), shown(path_))};
  names_ = form.names;
  path_ = path;
}

std::span<const Field> RowReader::read(std::string_view line) {
  splitter_.split(line, all_);
  if (all_.size() != form_.width) {
    refuse_returns(line);
    const bool more = all_.size() > form_.width;
    throw BadText{more ? all_[form_.width].raw.data() : line.data() + line.size(),
                  more ? shown_field(all_[form_.width]) : "the end of the line",
                  fmt::format("{} columns, as in the first row", form_.width)};
  }
  if (form_.columns.empty()) return all_;
  chosen_.clear();
  for (const std::uint64_t column : form_.columns) chosen_.push_back(all_[column]);
  return chosen_;
}

}  // namespace detail
}  // namespace gas::loaders
