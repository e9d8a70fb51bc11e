#include "loaders/labels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <set>
#include <utility>

#include "gas/base/error.hpp"
#include "loaders/text/scan.hpp"

namespace gas::loaders {
namespace {

/// A label on its way from its line to its row. `id` is a number or, for names, unused.
struct Entry {
  std::uint64_t line, column;
  std::uint64_t id;
  double label;
};

/// Which rank has the row of an id, if any has.
class Directory {
 public:
  Directory(Communicator& comm, const RowIds& ids)
      : blocks_{ids.rows(), comm.size()}, named_(ids.named()) {
    std::vector<Bytes> out(static_cast<std::size_t>(comm.size()));
    if (blocks_.count(comm.rank()) > 0) {
      Names name;
      name.push_back(ids.local_text(comm, 0));
      for (Bytes& bytes : out) name.append_to(bytes, 0, 1);
    }
    // Ranks without rows are the last ones.
    for (const Bytes& bytes : comm.exchange(std::move(out))) first_names_.add(bytes);
    if (!named_) {
      for (std::size_t i = 0; i < first_names_.size(); ++i)
        first_numbers_.push_back(std::stoull(std::string(first_names_[i])));
    }
  }

  bool named() const { return named_; }
  std::uint64_t rows() const { return blocks_.ids; }
  int rank_of_row(std::uint64_t row) const { return blocks_.owner(row); }
  /// The only rank that may have it.
  int rank_of(std::uint64_t id) const {
    const auto after = std::upper_bound(first_numbers_.begin(), first_numbers_.end(), id);
    return static_cast<int>(std::max<std::ptrdiff_t>(0, after - first_numbers_.begin() - 1));
  }
  int rank_of(std::string_view id) const {
    std::size_t after = 0;
    while (after < first_names_.size() && first_names_[after] <= id) ++after;
    return after == 0 ? 0 : static_cast<int>(after - 1);
  }

 private:
  BlockDistribution blocks_;
  bool named_;
  Names first_names_;
  std::vector<std::uint64_t> first_numbers_;
};

/// What one round of reading sends to one rank.
struct Post {
  std::vector<Entry> entries;
  Names names;  // of the entries, where ids are names
};

class LabelFile {
 public:
  LabelFile(Communicator& comm, const std::string& path, const RowIds& ids)
      : comm_(comm),
        input_(comm, path),
        ids_(ids),
        directory_(comm, ids),
        labels_(BlockDistribution{ids.rows(), comm.size()}.count(comm.rank())) {}

  std::vector<double> read() {
    bool more = true;
    while (more) {
      const bool ended = read_round();
      deliver();
      more = all_min(comm_, static_cast<int>(comm_.rank() != 0 || ended)) == 0;
    }
    return check_all_given();
  }

 private:
  /// Reads lines on rank 0; true at the end of the file.
  bool read_round() {
    posts_.assign(static_cast<std::size_t>(comm_.size()), {});
    std::size_t left = std::size_t{1} << 18;
    bool ended = true;
    input_.read_head([&](std::string_view line, std::uint64_t number) {
      if (left == 0) {
        ended = false;
        return false;
      }
      --left;
      take(line, number);
      return true;
    });
    return ended;
  }

  void take(std::string_view line, std::uint64_t number) {
    constexpr const char* expected = "a label (a finite number)";
    Scanner scanner(line);  // the line's end follows it in memory
    scanner.skip_blanks();
    if (scanner.at_line_end() || scanner.peek() == '#') return;
    if (!with_ids_) with_ids_ = has_two_columns(scanner);
    Entry entry{number, static_cast<std::uint64_t>(scanner.position() - line.data()) + 1, 0, 0};
    int to = 0;
    std::string_view name;
    if (!*with_ids_) {
      entry.id = next_row_++;
      if (entry.id >= directory_.rows())
        scanner.fail(
            fmt::format("the end of the file after {} labels, one per data row", directory_.rows())
                .c_str());
      to = directory_.rank_of_row(entry.id);
    } else {
      const char* const begin = scanner.position();
      if (directory_.named()) {
        name = scanner.name("an id");
        if (name.empty()) scanner.fail("an id");
        to = directory_.rank_of(name);
      } else {
        entry.id = scanner.integer(largest_id, "a numeric id");
        if (!scanner.ends_token()) scanner.fail(begin, "a numeric id");
        to = directory_.rank_of(entry.id);
      }
      if (!scanner.separator()) scanner.fail(expected);
    }
    const char* const begin = scanner.position();
    entry.label = scanner.real<double>(expected);
    if (!scanner.ends_token()) scanner.fail(begin, expected);
    scanner.skip_blanks();
    if (!scanner.at_line_end()) scanner.fail("the end of the line");
    Post& post = posts_[static_cast<std::size_t>(to)];
    post.entries.push_back(entry);
    if (*with_ids_ && directory_.named()) post.names.push_back(name);
  }

  static bool has_two_columns(Scanner scanner) {
    scanner.name("an id");
    return scanner.separator() && !scanner.at_line_end();
  }

  /// Puts what was read into rows.
  void deliver() {
    std::vector<Bytes> entries, names(posts_.size());
    for (std::size_t to = 0; to < posts_.size(); ++to) {
      entries.push_back(to_bytes(std::span<const Entry>(posts_[to].entries)));
      posts_[to].names.append_to(names[to], 0, posts_[to].names.size());
    }
    const char by_row = with_ids_ && !*with_ids_ ? 1 : 0;
    const bool rows = broadcast(comm_, std::span<const char>(&by_row, 1))[0] != 0;
    const auto mine = from_bytes<Entry>(comm_.exchange(std::move(entries))[0]);
    Names my_names;
    my_names.add(comm_.exchange(std::move(names))[0]);

    struct Place {
      std::uint64_t line = std::numeric_limits<std::uint64_t>::max(), column = 0;
      bool repeated = false;
    } bad;
    std::string bad_id;
    for (std::size_t i = 0; i < mine.size(); ++i) {
      const Entry& entry = mine[i];
      const std::string_view name = my_names.size() > 0 ? my_names[i] : std::string_view();
      const auto at =
          rows           ? std::optional<std::size_t>(static_cast<std::size_t>(
                     entry.id - BlockDistribution{ids_.rows(), comm_.size()}.first(comm_.rank())))
          : ids_.named() ? ids_.local_find(comm_, name)
                         : ids_.local_find(comm_, entry.id);
      if (at && !labels_[*at]) {
        labels_[*at] = entry.label;
        continue;
      }
      bad = {entry.line, entry.column, at.has_value()};
      bad_id = ids_.named() ? std::string(name) : std::to_string(entry.id);
      break;
    }
    const auto places = all_gather(comm_, bad);
    const auto first =
        std::min_element(places.begin(), places.end(),
                         [](const Place& a, const Place& b) { return a.line < b.line; });
    if (first->line == Place().line) return;
    bad_id = broadcast_text(comm_, bad_id, static_cast<int>(first - places.begin()));
    together(comm_, [&] {
      throw located_error(
          shown(input_.path()), first->line, first->column,
          fmt::format("{} id '{}'", first->repeated ? "the repeated" : "the unknown", bad_id),
          "each data row's id once");
    });
  }

  std::vector<double> check_all_given() {
    std::vector<double> labels;
    std::string missing;
    for (std::size_t i = 0; i < labels_.size(); ++i) {
      if (!labels_[i] && missing.empty()) missing = ids_.local_text(comm_, i);
      labels.push_back(labels_[i].value_or(0));
    }
    together(comm_, [&] {
      if (!missing.empty())
        throw located_error(shown(input_.path()), 0, 0,
                            fmt::format("no label of the data row '{}'", missing),
                            "a label of every data row");
    });
    return labels;
  }

  Communicator& comm_;
  TextInput input_;
  const RowIds& ids_;
  Directory directory_;
  std::vector<std::optional<double>> labels_;
  // Rank 0 alone.
  std::optional<bool> with_ids_;  // or by row; known from the first line on
  std::uint64_t next_row_ = 0;
  std::vector<Post> posts_;
};

}  // namespace

std::vector<double> read_labels(Communicator& comm, const std::string& path, const RowIds& ids) {
  return LabelFile(comm, path, ids).read();
}

BinaryLabels binary_labels(Communicator& comm, const std::string& file,
                           std::span<const double> labels, const std::string& hint,
                           const std::vector<std::string>& names) {
  constexpr std::size_t enough = 4;  // the smallest ones tell
  std::set<double> seen;
  const auto see = [&](std::span<const double> values) {
    double last = std::numeric_limits<double>::quiet_NaN(), before_last = last;
    for (const double value : values) {
      if ((value == last) | (value == before_last)) continue;  // one branch, mostly taken
      before_last = std::exchange(last, value);
      seen.insert(value + 0.0);  // −0 becomes 0, which it equals
      if (seen.size() > enough) seen.erase(std::prev(seen.end()));
    }
  };
  see(labels);
  const std::vector<double> mine(seen.begin(), seen.end());
  for (const auto& told : all_gather(comm, std::span<const double>(mine))) see(told);
  together(comm, [&] {
    if (seen.size() == 2) return;
    const auto shown_label = [&](double label) {
      if (names.empty()) return fmt::format("{}", label);
      const auto at = static_cast<std::size_t>(label);
      return at < names.size() ? names[at] : std::string("another");
    };
    std::vector<std::string> some;
    for (const double label : seen) some.push_back(shown_label(label));
    const bool cut = some.size() >= enough;
    if (cut) some.resize(enough - 1);
    throw located_error(
        shown(file), 0, 0,
        seen.empty() ? "no labels"
                     : fmt::format("the labels {}{}", fmt::join(some, ", "), cut ? ", …" : ""),
        "exactly two different values" + hint);
  });
  BinaryLabels binary{*seen.begin(), *seen.rbegin(), std::vector<std::int8_t>(labels.size())};
  std::ranges::transform(labels, binary.sign.begin(), [larger = binary.larger](double label) {
    return label == larger ? std::int8_t{1} : std::int8_t{-1};
  });
  return binary;
}

}  // namespace gas::loaders
