#include "loaders/ids/declared_ids.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>

#include "gas/base/error.hpp"
#include "loaders/ids/parse_id.hpp"
#include "loaders/text/scan.hpp"
#include "loaders/text/text_input.hpp"

namespace gas::loaders {
namespace {

/// The id that a line begins with; not empty, unless the line is or begins with a tab.
std::string_view id_of(std::string_view line) {
  const std::size_t at = std::min(line.size(), line.find_first_not_of(" \t"));
  const std::size_t tab = line.find('\t');
  const std::size_t end =
      std::min(line.size(), tab != std::string_view::npos ? tab : line.find(' ', at));
  if (end < at) return {};
  std::string_view id = line.substr(at, end - at);
  while (!id.empty() && is_blank(id.back())) id.remove_suffix(1);
  return id;
}

/// The lines of a file, on rank 0.
struct Lines {
  Names ids, names;  // a line without a name has its id
  std::vector<std::uint64_t> line, column;
  bool any_name = false;

  void add(std::string_view text, std::uint64_t number) {
    const char* const begin = text.data();
    while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
    if (!detail::is_row(text)) return;
    const std::size_t at = text.find_first_not_of(" \t");
    if (const std::size_t tab = text.find('\t'); tab < at)
      throw BadText{begin + tab, "a tab", "an id before it"};
    if (const std::size_t nul = text.find('\0'); nul != std::string_view::npos)
      throw BadText{begin + nul, "a NUL byte", "an id, and perhaps its name"};
    const std::string_view id = id_of(text);
    std::string_view name = text.substr(at + id.size());
    name.remove_prefix(std::min(name.size(), name.find_first_not_of(" \t")));
    any_name = any_name || !name.empty();
    ids.push_back(id);
    names.push_back(name.empty() ? id : name);
    line.push_back(number);
    column.push_back(at + 1);
  }
};

/// The ids as numbers, if all are. InputError if one is not and `must` says that all have to be.
std::optional<Numbers> as_numbers(const Lines& lines, bool must, const std::string& file) {
  Numbers numbers;
  for (std::size_t i = 0; i < lines.ids.size(); ++i) {
    const std::optional<std::uint64_t> number = parse_id(lines.ids[i]);
    if (!number && must)
      throw located_error(
          shown(file), lines.line[i], lines.column[i], quoted(lines.ids[i]),
          fmt::format("a number from 0 to {}, as the ids of edges are", largest_id));
    if (!number) return std::nullopt;
    numbers.push_back(*number);
  }
  return numbers;
}

/// Whether the first of a file's lines, at most two, is a header.
bool is_header(std::span<const Line> lines, EdgeIds edges, TableOptions::Header header) {
  if (lines.empty() || header == TableOptions::Header::no) return false;
  const bool said = header == TableOptions::Header::yes;
  if (edges != EdgeIds::numbers) return said;
  return !detail::is_number(id_of(lines[0].text)) &&
         (said || (lines.size() > 1 && parse_id(id_of(lines[1].text))));
}

/// Lines by ascending id. InputError if two have the same.
template <class Keys>
std::vector<std::size_t> sorted(const Keys& keys, const Lines& lines, const std::string& file) {
  std::vector<std::size_t> order(keys.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return keys[a] < keys[b]; });
  std::size_t first = keys.size();  // repeat in the file
  for (std::size_t i = 1; i < order.size(); ++i)
    if (keys[order[i - 1]] == keys[order[i]]) first = std::min(first, order[i]);
  if (first < keys.size())
    throw located_error(shown(file), lines.line[first], lines.column[first],
                        fmt::format("'{}' again", lines.ids[first]), "every id once");
  return order;
}

template <class Keys>
Keys in_order(const Keys& keys, const std::vector<std::size_t>& order) {
  Keys all;
  for (const std::size_t i : order) all.push_back(keys[i]);
  return all;
}

/// What rank 0 has, on every rank. Collective.
template <class Keys>
Keys told(Communicator& comm, const Keys& keys) {
  if (comm.size() == 1) return keys;
  Bytes bytes;
  if (comm.rank() == 0) keys.append_to(bytes, 0, keys.size());
  Keys all;
  all.add(broadcast(comm, std::span<const std::byte>(bytes)));
  return all;
}

template <class Keys>
void intern_all(Communicator& comm, const Keys& keys, Interner<Keys>& interner) {
  together(comm, [&] {
    for (std::size_t i = 0; i < keys.size(); ++i) interner.intern(keys[i]);
  });
}

}  // namespace

DeclaredIds::DeclaredIds(Communicator& comm, const Declaration& declaration, EdgeIds edges,
                         TableOptions::Header header)
    : size_(declaration.count) {
  if (!declaration.file.empty()) {
    read(comm, declaration.file, edges, header);
    expected_ = "an id that " + shown(declaration.file) + " lists";
    if (!notes_.empty()) expected_ += " below its header";
    if (commas_) expected_ += " (a tab, not a comma, separates an id from its name there)";
  } else {
    expected_ = size_ == 0 ? "no edge, as there are 0 vertices"
                           : fmt::format("a number from 0 to {}", size_ - 1);
  }
}

void DeclaredIds::read(Communicator& comm, const std::string& file, EdgeIds edges,
                       TableOptions::Header header) {
  Lines lines;
  std::optional<Numbers> numbers;
  Names names, titles;
  TextInput input(comm, file);
  std::uint64_t skipped = 0;  // the number of the header
  std::string note;
  input.look_ahead(2, detail::is_row, [&](std::span<const Line> first) {
    if (!is_header(first, edges, header)) return;
    skipped = first[0].number;
    note = detail::header_note(file, first[0], "an id");
  });
  note = broadcast_text(comm, note);
  if (!note.empty()) notes_.push_back(note);
  input.read_head([&](std::string_view text, std::uint64_t number) {
    if (number > skipped) lines.add(text, number);
    return true;
  });
  together(comm, [&] {
    if (comm.rank() != 0) return;
    if (lines.ids.size() > max_vertices)
      throw located_error(shown(file), 0, 0, fmt::format("{} ids", lines.ids.size()),
                          fmt::format("at most {}", max_vertices));
    if (edges != EdgeIds::names) numbers = as_numbers(lines, edges == EdgeIds::numbers, file);
    const std::vector<std::size_t> order =
        numbers ? sorted(*numbers, lines, file) : sorted(lines.ids, lines, file);
    if (numbers)
      numbers = in_order(*numbers, order);
    else
      names = in_order(lines.ids, order);
    if (lines.any_name) titles = in_order(lines.names, order);
  });
  named_ = all_max(comm, comm.rank() == 0 && !numbers ? 1 : 0) != 0;
  if (named_) {
    names = told(comm, names);
    size_ = names.size();
    for (std::size_t i = 0; i < names.size() && !commas_; ++i)
      commas_ = names[i].find(',') != std::string_view::npos;
    intern_all(comm, names, names_);
  } else {
    const Numbers all = told(comm, numbers.value_or(Numbers()));
    size_ = all.size();
    first_ = size_ == 0 ? 0 : all[0];
    consecutive_ = size_ == 0 || all[all.size() - 1] - first_ + 1 == size_;
    if (!consecutive_) intern_all(comm, all, numbers_);
  }

  std::vector<Bytes> out(static_cast<std::size_t>(comm.size()));
  for (int rank = 0; rank < comm.size() && titles.size() > 0; ++rank) {
    const BlockDistribution blocks{size_, comm.size()};
    titles.append_to(out[static_cast<std::size_t>(rank)], blocks.first(rank),
                     blocks.first(rank) + blocks.count(rank));
  }
  block_names_.add(comm.exchange(std::move(out))[0]);
}

VertexId DeclaredIds::find(std::uint64_t number) const {
  if (!consecutive_) return numbers_.find(number);
  return number >= first_ && number - first_ < size_ ? to_vertex_id(number - first_) : none;
}

RowIds DeclaredIds::row_ids(Communicator& comm) const {
  const BlockDistribution blocks{size_, comm.size()};
  const auto first = static_cast<std::size_t>(blocks.first(comm.rank()));
  const std::size_t end = first + static_cast<std::size_t>(blocks.count(comm.rank()));
  const auto mine = [&](const auto& keys) {
    std::decay_t<decltype(keys)> part;
    for (std::size_t i = first; i < end; ++i) part.push_back(keys[i]);
    return part;
  };
  if (named_) return {comm, size_, mine(names_.keys())};
  if (consecutive_) return {size_, first_};
  RowIds ids(comm, size_, mine(numbers_.keys()));
  ids.set_missing(0);
  return ids;
}

}  // namespace gas::loaders
