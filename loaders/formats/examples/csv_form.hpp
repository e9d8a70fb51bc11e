#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "loaders/example_table.hpp"
#include "loaders/text/table.hpp"

namespace gas::loaders::detail {

/// What a field of a row is.
enum class CsvField : std::uint8_t {
  left_out,
  number,
  category,
  guessed_category,  // by the first rows, which had no number in its column
  label,
  label_name
};

/// How the rows of a file are read.
struct CsvForm {
  TableForm table;
  std::vector<CsvField> fields;    // by column
  std::vector<std::string> names;  // of the columns, as features are called
};

/// Adds a text to a name as features are called: \n, \r, \t and \\ for line ends, tabs and
/// backslashes, so that tables of names have one in each line.
void add_escaped(std::string& name, std::string_view text);

/// Reads the forms of files of one table, one after the other.
class CsvForms {
 public:
  /// `names_labels`: what labels of categories are called is read off the first rows, which must
  /// have two; else it is left open.
  CsvForms(const TableOptions& options, const ExampleTable& examples, bool names_labels);

  /// Reads the form off the file at hand, and skips its header. The first file without `known` says
  /// what the columns are; others have the same in any order. Collective. InputError if it has not
  /// what it must have. UsageError for options of tables that are not for csv.
  CsvForm next(Communicator& comm, TextInput& input);

  /// What is known of the table so far.
  const ExampleTable& table() const { return table_; }
  const std::vector<std::string>& notes() const { return notes_; }

 private:
  CsvForm local_find(const std::string& path, std::span<const Line> rows);
  void local_take_columns(const CsvForm& form, const Line& header);
  static std::vector<std::string> local_named(const CsvForm& form,
                                              const std::vector<std::string>& items);
  void local_guess(const std::string& path, CsvForm& form, std::span<const Line> rows);
  void local_name_labels(const CsvForm& form, std::span<const Line> rows);

  TableOptions options_;
  ExampleTable table_;
  bool names_labels_;
  bool first_ = true, labelled_ = false;  // labelled_: as the first file, for a known table
  std::vector<std::string> header_;       // of the first file, ascending
  std::vector<std::string> guessed_;      // categories, by the first rows
  bool label_is_name_ = false;
  std::vector<std::string> notes_;
};

}  // namespace gas::loaders::detail
