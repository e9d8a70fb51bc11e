// Tables of examples. The first row names the columns. A field in a column of numbers is the value
// of the feature `column`, one in a column of categories the feature `column=value` with value 1;
// an empty field is none, and neither is a number 0. A column is of categories if the user says so,
// or if none of its fields in the first rows is a number; then a later number is an error, as is a
// name in a column of numbers. Labels are numbers, or names by the same rule.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include "gas/base/error.hpp"
#include "loaders/formats/examples/csv_form.hpp"
#include "loaders/formats/examples/examples.hpp"
#include "loaders/ids/hashed.hpp"
#include "loaders/ids/numbering.hpp"
#include "loaders/text/quoted_rows.hpp"

namespace gas::loaders {

std::string ExampleTable::label_text(double number) const {
  const bool named = number >= 0 && number < static_cast<double>(label_names.size());
  return named ? label_names[static_cast<std::size_t>(number)] : fmt::format("{}", number);
}

namespace detail {
namespace {

using View = std::string_view;

/// Reads the rows of a file. `row_of` gives the row of a feature by its name, `label_of` the number
/// of a label that is a name, and may throw BadText, whose place is set here.
template <class RowOf, class LabelOf>
class CsvRows {
 public:
  CsvRows(const CsvForm& form, std::uint64_t& empty, RowOf row_of, LabelOf label_of)
      : form_(form), reader_(form_.table), empty_(empty), row_of_(row_of), label_of_(label_of) {
    for (std::size_t i = 0; i < form_.fields.size(); ++i) {
      const CsvField field = form_.fields[i];
      labelled_ = labelled_ || field == CsvField::label || field == CsvField::label_name;
      numeric_row_.push_back(field == CsvField::number ? row_of_(form_.names[i]) : 0);
    }
  }
  CsvRows(const CsvRows&) = delete;  // the reader refers to the form
  CsvRows& operator=(const CsvRows&) = delete;

  Examples parse(View text) {
    const std::size_t most = text.size() / 2 + 1;  // "a,"
    Examples block;
    block.make_room(most);
    block.labels = PageArray<double>(labelled_ ? most : 0);
    size_ = 0;
    while (!text.empty()) {
      const View line = take_row(text);
      if (is_empty_row(line, form_.table.delimiter)) continue;
      const std::span<const Field> fields = reader_.read(line);
      for (std::size_t i = 0; i < fields.size(); ++i) take(fields[i], i, block);
      ++block.rows;
    }
    block.cut(size_);
    block.labels.cut(labelled_ ? static_cast<std::size_t>(block.rows) : 0);
    return block;
  }

 private:
  void take(const Field& field, std::size_t column, Examples& block) {
    const CsvField kind = form_.fields[column];
    if (kind == CsvField::left_out) return;
    if (kind == CsvField::label || kind == CsvField::label_name) {
      block.labels.data()[block.rows] = label_in(field, kind);
      return;
    }
    if (field.raw.empty()) {
      ++empty_;
      return;
    }
    const RoundedNumber number =
        kind == CsvField::number ? number_in(field, column) : RoundedNumber{1, 1};
    if (number.value == 0) return;
    block.row.data()[size_] = static_cast<std::uint32_t>(block.rows);
    block.column.data()[size_] =
        kind == CsvField::number ? numeric_row_[column] : category_in(field, kind, column);
    block.put(size_, number);
    ++size_;
  }

  RoundedNumber number_in(const Field& field, std::size_t column) const {
    try {
      return parse_field(field, "", [](Scanner& scanner) { return scanner.rounded(""); });
    } catch (BadText& bad) {
      constexpr std::array missing{"?",   "NA",   "N/A",  "n/a",  "nan",
                                   "NaN", "null", "NULL", "None", "-"};
      const bool is_missing = std::ranges::find(missing, field.raw) != missing.end();
      bad.expected = fmt::format(
          "a finite number that a 32-bit float holds, or an empty field{}, in the numeric column "
          "{}{}",
          is_missing ? " for a missing one" : "", form_.names[column],
          is_missing ? ""
                     : fmt::format(" (if its values are categories, give --categorical {})",
                                   form_.names[column]));
      throw;
    }
  }

  std::uint32_t category_in(const Field& field, CsvField kind, std::size_t column) {
    if (kind == CsvField::guessed_category && is_number(field.raw))
      throw BadText{field.raw.data(), shown_field(field),
                    fmt::format("a name, as in the first rows of the column {0}, or an empty field "
                                "(if its numbers are categories, too, give --categorical {0})",
                                form_.names[column])};
    name_.assign(form_.names[column]);
    name_ += '=';
    add_text(field);
    return row_of_(name_);
  }

  double label_in(const Field& field, CsvField kind) {
    constexpr const char* expected = "a label (a finite number, as in the first rows)";
    if (field.raw.empty()) throw BadText{field.raw.data(), "an empty field", "a label"};
    if (kind == CsvField::label)
      return parse_field(field, expected,
                         [&](Scanner& scanner) { return scanner.real<double>(expected); });
    name_.clear();
    add_text(field);
    try {
      return label_of_(name_);
    } catch (BadText& bad) {
      bad.at = field.raw.data();
      throw;
    }
  }

  /// Adds the field to the name.
  void add_text(const Field& field) {
    if (const std::size_t nul = field.raw.find('\0'); nul != View::npos)
      throw BadText{field.raw.data() + nul, "a NUL byte", "a name"};
    add_escaped(name_, field.text(scratch_));
  }

  CsvForm form_;
  RowReader reader_;
  std::uint64_t& empty_;
  RowOf row_of_;
  LabelOf label_of_;
  bool labelled_ = false;
  std::vector<std::uint32_t> numeric_row_;  // by column
  std::size_t size_ = 0;
  std::string name_, scratch_;
};

/// Names of all ranks, ascending, each once, on every rank. Collective.
std::vector<std::string> united(Communicator& comm, const Names& mine) {
  std::string text;
  for (std::size_t i = 0; i < mine.size(); ++i) text.append(mine[i]).push_back('\n');
  const std::vector<char> all = whole(comm, std::span<const char>(text));
  std::vector<std::string> names;
  for (View rest(all.data(), all.size()); !rest.empty();) names.emplace_back(take_line(rest));
  std::ranges::sort(names);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

std::size_t place(const std::vector<std::string>& sorted, View name) {
  const auto at = std::ranges::lower_bound(sorted, name, {}, [](const auto& x) { return View(x); });
  return static_cast<std::size_t>((at != sorted.end() && *at == name ? at : sorted.end()) -
                                  sorted.begin());
}

/// Fields that were empty, for the user. Collective.
std::vector<std::string> note_of_empty(Communicator& comm, const TextInput& input,
                                       std::uint64_t empty) {
  empty = all_sum(comm, empty);
  if (empty == 0) return {};
  return {fmt::format(
      "{}: {} empty field{}: read as 0 in numeric columns, and as no category in the others",
      input.names(), empty, empty == 1 ? "" : "s")};
}

}  // namespace

LoadedGraph read_csv(Communicator& comm, TextInput& input, const GraphOptions& options) {
  input.read_quoted_rows();
  const bool known = options.examples.known;
  CsvForms forms(options.table, options.examples, false);
  Interner<Names> features, labels;
  std::uint64_t empty = 0;
  bool named = false;
  std::vector<Examples> blocks;
  do {
    const CsvForm form = forms.next(comm, input);
    named = named || std::ranges::count(form.fields, CsvField::label_name) > 0;
    const std::vector<std::string>& names = forms.table().label_names;
    CsvRows rows(
        form, empty, [&](View name) { return features.intern(name); },
        [&](View name) {
          return static_cast<double>(known ? place(names, name) : labels.intern(name));
        });
    add_blocks(blocks, input, 1, [&](View text) { return rows.parse(text); });
  } while (input.next_file());
  LoadedGraph graph;
  graph.table = forms.table();
  graph.table.known = true;
  if (named && !known) {
    graph.table.label_names = united(comm, labels.keys());
    for (Examples& block : blocks)
      for (double& label : block.labels.view())
        label = static_cast<double>(
            place(graph.table.label_names, labels.keys()[static_cast<std::size_t>(label)]));
  }
  Numbering numbering = number_rows(comm, features.take());
  for (Examples& block : blocks)
    for (std::uint32_t& column : block.column.view()) column = numbering.row_of[column];
  graph.target_ids = std::move(numbering.ids);
  graph.shape.targets = graph.target_ids.rows();
  take_examples(comm, input, options.threads, blocks, graph);
  graph.source_ids = RowIds(graph.shape.sources, 1, 1);
  for (const std::string& note : forms.notes()) graph.notes.push_back(note);
  for (std::string& note : note_of_empty(comm, input, empty)) graph.notes.push_back(note);
  return graph;
}

HashedCsv::HashedCsv(const TableOptions& options, const ExampleTable& examples, unsigned bits)
    : forms_(options, examples, true), bits_(bits) {}

std::function<Examples(View)> HashedCsv::next(Communicator& comm, TextInput& input) {
  const CsvForm form = forms_.next(comm, input);
  delimiter_ = form.table.delimiter;
  const auto row_of = [bits = bits_](View name) { return hashed(name, bits); };
  const auto label_of = [names = forms_.table().label_names](View name) {
    const std::size_t at = place(names, name);
    if (at == names.size())
      throw BadText{nullptr, quoted(name), fmt::format("the label {} or {}", names[0], names[1])};
    return static_cast<double>(at);
  };
  using Rows = CsvRows<decltype(row_of), decltype(label_of)>;
  return [rows = std::make_shared<Rows>(form, empty_, row_of, label_of)](View text) {
    return rows->parse(text);
  };
}

std::vector<std::string> HashedCsv::notes(Communicator& comm, const TextInput& input) const {
  std::vector<std::string> notes = forms_.notes();
  for (std::string& note : note_of_empty(comm, input, empty_)) notes.push_back(note);
  return notes;
}

}  // namespace detail
}  // namespace gas::loaders
