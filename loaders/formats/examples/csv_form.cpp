#include "loaders/formats/examples/csv_form.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <unordered_set>
#include <utility>

#include "gas/base/error.hpp"
#include "gas/base/suggestion.hpp"

namespace gas::loaders::detail {
namespace {

constexpr std::size_t first_rows = 1000;  // that say what columns are

/// Names, to be looked up: tables may have very many columns.
using NameSet = std::unordered_set<std::string>;

NameSet set_of(const std::vector<std::string>& names) { return {names.begin(), names.end()}; }

bool is_feature(CsvField field) {
  return field == CsvField::number || field == CsvField::category ||
         field == CsvField::guessed_category;
}

/// At most ten names, for messages.
std::string listed(const std::vector<std::string>& names) {
  constexpr std::size_t most = 10;
  const auto shown = std::span(names).first(std::min(most, names.size()));
  return fmt::format("{}{}", fmt::join(shown, ", "), shown.size() < names.size() ? ", …" : "");
}

/// A number but for its comma.
bool has_decimal_comma(std::string_view field) {
  std::string number(field);
  if (std::ranges::count(number, ',') != 1) return false;
  std::ranges::replace(number, ',', '.');
  return is_number(number);
}

std::string joined(const std::vector<std::string>& lines) {
  return fmt::format("{}", fmt::join(lines, "\n"));
}

std::vector<std::string> lines_of(Communicator& comm, const std::vector<std::string>& lines) {
  const std::string text = broadcast_text(comm, joined(lines));
  std::vector<std::string> told;
  if (text.empty()) return told;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.size(), text.find('\n', at));
    told.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return told;
}

}  // namespace

void add_escaped(std::string& name, std::string_view text) {
  for (const char c : text) {
    const std::size_t at = std::string_view("\n\r\t\\").find(c);
    if (at == std::string_view::npos)
      name += c;
    else
      (name += '\\') += "nrt\\"[at];
  }
}

CsvForms::CsvForms(const TableOptions& options, const ExampleTable& examples, bool names_labels)
    : options_(options), table_(examples), names_labels_(names_labels) {
  if (options_.header != TableOptions::Header::no) options_.header = TableOptions::Header::yes;
  if (table_.known) label_is_name_ = !table_.label_names.empty();
}

CsvForm CsvForms::next(Communicator& comm, TextInput& input) {
  together(comm, [&] {
    if (options_.delimiter == " ")
      throw UsageError("--delimiter: found blanks, expected another delimiter for the format csv");
  });
  CsvForm form;
  const auto is_written = [&](std::string_view row) {
    return !is_empty_row(row, options_.delimiter);
  };
  input.look_ahead(1 + first_rows, is_written, [&](std::span<const Line> rows) {
    if (rows.empty())
      throw located_error(shown(input.path()), 0, 0, "an empty file",
                          "a first row that names the columns");
    form = local_find(input.path(), rows);
  });
  form.table = broadcast_form(comm, form.table);
  form.table.rows = true;
  form.fields = broadcast(comm, std::span<const CsvField>(form.fields));
  form.names = lines_of(comm, form.names);
  header_ = lines_of(comm, header_);
  guessed_ = lines_of(comm, guessed_);
  table_.categorical = lines_of(comm, table_.categorical);
  table_.numeric = lines_of(comm, table_.numeric);
  table_.label_names = lines_of(comm, table_.label_names);
  notes_ = lines_of(comm, notes_);
  label_is_name_ = all_max(comm, label_is_name_ ? 1 : 0) == 1;
  first_ = false;
  input.read_head(
      [&](std::string_view, std::uint64_t number) { return number <= form.table.header; });
  return form;
}

/// On rank 0.
CsvForm CsvForms::local_find(const std::string& path, std::span<const Line> rows) {
  CsvForm form;
  const Line& header = rows[0];
  TableOptions options = options_;
  if (options.delimiter.empty()) options.delimiter = find_delimiter(header.text);
  if (options.delimiter == " ") options.delimiter = ",";
  if (!first_ || table_.known) options.columns.clear();
  form.table = find_form(path, rows.first(1), options, nullptr);
  form.table.notes.clear();
  form.table.rows = true;
  const std::vector<std::uint64_t> columns = std::exchange(form.table.columns, {});
  std::vector<Field> fields;
  Splitter(form.table.delimiter, true).split(header.text, fields);
  std::string scratch;
  const bool named = form.table.header > 0;
  for (const Field& field : fields)
    if (std::string& name = form.names.emplace_back(); named)
      add_escaped(name, field.text(scratch));
    else
      name = std::to_string(form.names.size());
  std::vector<bool> chosen(fields.size(), columns.empty());
  for (const std::uint64_t column : columns) chosen[column] = true;
  const bool known = !first_ || table_.known;  // which columns are read
  const NameSet numeric = set_of(table_.numeric), categorical = set_of(table_.categorical);
  NameSet before;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const std::string& name = form.names[i];
    const bool label = !table_.label.empty() && name == table_.label;
    form.fields.push_back(label       ? CsvField::label
                          : chosen[i] ? CsvField::number
                                      : CsvField::left_out);
    const bool again = !before.insert(name).second;
    const bool read = known ? numeric.contains(name) || categorical.contains(name) : chosen[i];
    if (!read && !label) continue;
    const auto refuse = [&](const std::string& found, const std::string& expected) {
      throw BadText{fields[i].raw.data(), found, expected};
    };
    if (name.empty())
      refuse("a column without a name",
             "a name for each column (if this is the row index of pandas, leave it out with "
             "--columns)");
    if (!label && name.find('=') != std::string::npos)
      refuse(quoted(name),
             "a name without =, which separates a column's name from a category (if the first row "
             "is no header, give --header no)");
    if (name.find('\0') != std::string::npos) refuse("a NUL byte", "a name");
    if (again)
      refuse(quoted(name) + " again",
             "another name for each column (if the first row is no header, give --header no)");
    if (named && first_ && !table_.known && is_number(name) && notes_.empty())
      notes_.push_back(
          fmt::format("{}:{}: '{}' is read as a column's name; if the first row is an example, "
                      "give --header no (columns are then called 1, 2, ...)",
                      shown(path), header.number, name));
  }
  local_take_columns(form, header);
  if (first_ && !table_.known) {
    if (named && form.fields[0] == CsvField::number)
      note_row_numbers(path, header, form.names[0], form.names.size(), notes_);
    local_guess(path, form, rows);
    if (names_labels_ && label_is_name_) local_name_labels(form, rows);
  }
  const NameSet guessed = set_of(guessed_), of_categories = set_of(table_.categorical),
                of_numbers = set_of(table_.numeric);
  for (std::size_t i = 0; i < form.fields.size(); ++i) {
    CsvField& field = form.fields[i];
    if (field == CsvField::label && label_is_name_) field = CsvField::label_name;
    if (field != CsvField::number) continue;
    const std::string& name = form.names[i];
    if (guessed.contains(name))
      field = CsvField::guessed_category;
    else if (of_categories.contains(name))
      field = CsvField::category;
    else if (!of_numbers.contains(name))
      field = CsvField::left_out;
  }
  return form;
}

/// Whether the columns are there that must be.
void CsvForms::local_take_columns(const CsvForm& form, const Line& header) {
  const auto refuse = [&](const std::string& expected) {
    throw BadText{header.text.data(), fmt::format("the columns {}", listed(form.names)), expected};
  };
  std::vector<std::string> used;
  for (std::size_t i = 0; i < form.names.size(); ++i)
    if (form.fields[i] == CsvField::number) used.push_back(form.names[i]);
  const NameSet of_used = set_of(used);
  const auto need = [&](const std::string& name, const char* why) {
    if (!of_used.contains(name))
      refuse(fmt::format("a column '{}', as {}{}", name, why, suggestion(name, used)));
  };
  if (table_.known) {
    for (const std::string& name : table_.numeric) need(name, "the model has one");
    for (const std::string& name : table_.categorical) need(name, "the model has one");
    const bool labelled = std::ranges::count(form.names, table_.label) > 0;
    if (first_) labelled_ = labelled;
    if (labelled != labelled_)
      refuse(fmt::format("{} column '{}' of labels, as in the files before", labelled_ ? "a" : "no",
                         table_.label));
    const NameSet numeric = set_of(table_.numeric), categorical = set_of(table_.categorical);
    std::vector<std::string> others;
    for (const std::string& name : used)
      if (!numeric.contains(name) && !categorical.contains(name))
        others.push_back(name.empty() ? "one without a name" : name);
    if (!others.empty())
      notes_.push_back(
          fmt::format("columns that the model does not have are left out: {}", listed(others)));
    return;
  }
  if (!table_.label.empty() && std::ranges::count(form.names, table_.label) == 0)
    refuse(fmt::format("a column '{}', as --label says{}", table_.label,
                       is_number(table_.label) ? " (--header no calls columns 1, 2, ...)"
                                               : suggestion(table_.label, form.names)));
  std::vector<std::string> sorted = form.names;
  std::ranges::sort(sorted);
  if (first_) {
    table_.categorical = local_named(form, table_.categorical);
    for (const std::string& name : table_.categorical)
      if (name != table_.label) need(name, "--categorical names it");
    header_ = sorted;
  } else if (sorted != header_) {
    refuse(fmt::format("{}, in any order, as in the files before", listed(header_)));
  }
}

/// Names of columns: `items`, of which those that are none may be numbers of columns from 1, or
/// ranges of them.
std::vector<std::string> CsvForms::local_named(const CsvForm& form,
                                               const std::vector<std::string>& items) {
  const NameSet of_columns = set_of(form.names);
  std::vector<std::string> names;
  for (const std::string& item : items) {
    const auto range = of_columns.contains(item) ? std::nullopt : positions(item);
    const std::uint64_t last = !range || (*range)[1] == 0 ? form.names.size() : (*range)[1];
    if (!range || (*range)[0] > form.names.size() || last > form.names.size()) {
      names.push_back(item);
      continue;
    }
    const bool one = (*range)[0] == last;  // then it may be that of labels
    for (std::uint64_t i = (*range)[0]; i <= last; ++i)
      if (one || form.fields[i - 1] == CsvField::number) names.push_back(form.names[i - 1]);
  }
  return names;
}

/// By the first rows. A column of nothing but empty fields counts as one of numbers.
void CsvForms::local_guess(const std::string& path, CsvForm& form, std::span<const Line> rows) {
  RowReader reader(form.table);
  std::vector<char> number(form.fields.size());
  std::vector<char> commas(form.fields.size(), 1);       // nothing but numbers with decimal commas
  std::vector<std::size_t> present(form.fields.size());  // fields that are not empty
  std::vector<std::unordered_set<std::size_t>> different(form.fields.size());  // names, hashed
  for (const Line& row : rows.subspan(form.table.header > 0 ? 1 : 0)) {
    const std::span<const Field> fields = reader.read(row.text);
    for (std::size_t i = 0; i < fields.size(); ++i)
      if (!fields[i].raw.empty()) {
        ++present[i];
        if (is_number(fields[i].raw))
          number[i] = 1;
        else
          different[i].insert(std::hash<std::string_view>()(fields[i].raw));
        if (!has_decimal_comma(fields[i].raw)) commas[i] = 0;
      }
  }
  const NameSet given = set_of(table_.categorical);
  constexpr std::size_t few = 20;  // rows that say nothing of how often a category occurs
  std::vector<std::string> categorical, singles;
  bool told = false;
  for (std::size_t i = 0; i < form.fields.size(); ++i) {
    const std::string& column = form.names[i];
    const bool said = given.contains(column);
    const bool guessed = !said && !different[i].empty() && number[i] == 0;
    if (form.fields[i] == CsvField::label) label_is_name_ = said || guessed;
    if (!is_feature(form.fields[i])) continue;
    if (guessed) guessed_.push_back(column);
    if (guessed && present[i] >= few && 2 * different[i].size() > present[i])
      singles.push_back(column);
    if (guessed && commas[i] != 0 && !std::exchange(told, true))
      notes_.push_back(fmt::format(
          "{}: the column '{}' is read as categories: its numbers have commas where points are "
          "expected",
          shown(path), column));
    (said || guessed ? categorical : table_.numeric).push_back(column);
  }
  table_.categorical = std::move(categorical);
  if (!singles.empty())
    notes_.push_back(fmt::format(
        "{}: most of the first {} rows have a category of their own in: {}; each is a feature "
        "(--columns leaves out ids, dates and texts)",
        shown(path), rows.size() - (form.table.header > 0 ? 1 : 0), listed(singles)));
}

void CsvForms::local_name_labels(const CsvForm& form, std::span<const Line> rows) {
  const auto at =
      static_cast<std::size_t>(std::ranges::find(form.names, table_.label) - form.names.begin());
  RowReader reader(form.table);
  std::vector<std::string>& names = table_.label_names;
  std::string scratch;
  for (const Line& row : rows.subspan(form.table.header > 0 ? 1 : 0)) {
    std::string name;
    add_escaped(name, reader.read(row.text)[at].text(scratch));
    if (!name.empty() && std::ranges::find(names, name) == names.end()) names.push_back(name);
  }
  std::ranges::sort(names);
  if (names.size() != 2)
    throw BadText{rows[0].text.data(),
                  fmt::format("{} different labels in the first {} rows", names.size(), first_rows),
                  "two: if labels are names, a stream needs both in its first rows (labels that "
                  "are numbers may come later)"};
}

}  // namespace gas::loaders::detail
