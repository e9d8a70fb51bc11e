#pragma once

#include <functional>
#include <limits>
#include <string>

#include "gas/base/page_array.hpp"
#include "loaders/formats/graph_text.hpp"
#include "loaders/formats/value_rule.hpp"

namespace gas::loaders::detail {

/// How the lines of a METIS or hMETIS file list numbers.
struct ListForm {
  std::uint64_t skipped = 0;  // whole numbers before all others, not used
  std::uint64_t kept = 0;     // which of them is a weight to keep, from 1; 0: none
  bool line_value = false;    // then a value for the whole line
  bool entry_values = false;  // a value behind each entry
  bool empty_lines = false;   // they count as lists without entries; otherwise not at all
  bool lone_numbers = false;  // a line's only entry may be any number; too large ones are `outside`
  std::uint64_t largest = 0;  // entry
  std::string entry;          // what it is, for messages
  ValueRule rule;

  bool valued() const { return line_value || entry_values; }
};

/// The lists of a block. Lines are counted from 0, without comments; entries are made to count from
/// 0.
struct Lists {
  static constexpr std::uint32_t outside = static_cast<std::uint32_t>(max_vertices);
  static constexpr std::uint32_t no_weight = std::numeric_limits<std::uint32_t>::max();

  PageArray<std::uint32_t> line, entry;
  ValueBlock value;                 // if the form has values
  PageArray<std::uint32_t> weight;  // by line, if the form keeps one; `no_weight` in an empty line
  std::uint64_t lines = 0;          // of them
  std::uint64_t used = 0;           // up to the last that is not empty
};

struct AllLists {
  std::vector<Lists> blocks;       // `line` now counts over the whole file
  std::uint64_t lines = 0;         // of the file
  std::uint64_t used = 0;          // up to the last that is not empty
  std::vector<Stretch> stretches;  // the lines of this rank's blocks
};

/// Reads the rest of the file. Collective.
AllLists read_lists(Communicator& comm, TextInput& input, unsigned threads, const ListForm& form);

/// An entry of a list, as Lists have it; `value` where the form has values of entries.
struct ListedEntry {
  std::uint64_t line;
  std::uint32_t entry;
  double value = 1;
};

/// Gives `look` the list of this number, from 0, of a file that has been read, whose lists begin
/// behind line `header_line`, to throw BadText; standard input cannot be read again. Collective.
void look_again(Communicator& comm, const TextInput& input, std::uint64_t header_line,
                const ListForm& form, std::uint64_t list,
                const std::function<void(Scanner& scanner)>& look);

/// InputError about an entry of a file that has been read, whose lists begin behind line
/// `header_line`: looks for it in the file once more, to name line and column; standard input
/// cannot be read again, and then neither is named. Collective.
[[noreturn]] void refuse_entry(Communicator& comm, const TextInput& input,
                               std::uint64_t header_line, const ListForm& form,
                               const ListedEntry& wanted, const std::string& found,
                               const std::string& expected);

}  // namespace gas::loaders::detail
