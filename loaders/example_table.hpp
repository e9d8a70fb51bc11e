#pragma once

#include <string>
#include <vector>

namespace gas::loaders {

/// A table whose rows are examples: what its columns are, by the names in its first row. A column
/// of numbers is a feature of its name; one of categories is a feature `column=value` for each of
/// its values. In names a line end is written \n (or \r), a tab \t and a backslash \\.
struct ExampleTable {
  std::string label;  // the column of labels; empty: the table has none
  /// Columns of categories. What the user says, until the table is read: then all that are.
  std::vector<std::string> categorical;
  /// Columns of numbers; found in the table.
  std::vector<std::string> numeric;
  /// What the labels 0, 1, … are called, ascending by bytes; empty: labels are numbers.
  std::vector<std::string> label_names;
  /// All of this is known, as a model has it: other columns are left out, and there need not be
  /// labels. Labels that are not among label_names count as one more behind them.
  bool known = false;

  bool given() const { return known || !label.empty() || !categorical.empty(); }
  /// A label for people.
  std::string label_text(double number) const;
};

}  // namespace gas::loaders
