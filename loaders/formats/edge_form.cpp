#include "loaders/formats/edge_form.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "gas/base/error.hpp"
#include "loaders/ids/parse_id.hpp"
#include "loaders/text/scan.hpp"

namespace gas::loaders::detail {
namespace {

bool is_id(std::string_view text) { return parse_id(text).has_value(); }

/// Are these what people call the two ends of an edge?
bool names_ends(const std::string& source, const std::string& target) {
  using Pair = std::pair<std::string_view, std::string_view>;
  constexpr Pair usual[] = {{"source", "target"},    {"source", "destination"},
                            {"src", "dst"},          {"src", "dest"},
                            {"from", "to"},          {"sourceid", "targetid"},
                            {"fromid", "toid"},      {"fromnode", "tonode"},
                            {"node1", "node2"},      {"nodea", "nodeb"},
                            {"vertex1", "vertex2"},  {"id1", "id2"},
                            {"user", "item"},        {"userid", "itemid"},
                            {"follower", "followee"}};
  const auto plain = [](const std::string& name) {
    std::string letters = lowered(name);
    std::erase_if(letters, [](char c) { return c == '_' || c == '-' || c == '.' || c == ' '; });
    return letters;
  };
  return std::ranges::find(usual, Pair(plain(source), plain(target))) != std::end(usual);
}

bool is_edge_header(std::span<const std::string> first, std::span<const std::string> second,
                    bool blanks, bool beside) {
  if (first.size() < 2 || is_id(first[0]) || is_id(first[1])) return false;
  if (second[0].empty() && second[1].empty()) return false;
  if (names_ends(first[0], first[1])) return true;
  if (blanks) return false;
  if (is_id(second[0]) && is_id(second[1])) return true;
  const bool value = first.size() > 2 && is_named_number(first[2], second[2]);
  return value || beside || (first[0].empty() && !first[1].empty());
}

/// Rows of formats that others than edge lists have.
void refuse_others(std::string_view row) {
  refuse_pairs(row, "a second id");
  std::vector<Field> fields;
  Splitter(" ").split(row, fields);
  if (fields.size() == 1 && is_id(fields[0].raw))
    throw BadText{row.data() + row.size(), "the end of the line",
                  "a second id (if the file is docword, give --format docword)"};
}

/// The first row, if it may tell the sizes: "n m", above a row of two fields or more.
FirstPair find_pair(std::span<const Line> rows, const TableOptions& options) {
  FirstPair pair;
  if (rows.size() < 2) return pair;
  pair.delimiter = options.delimiter.empty() ? find_delimiter(rows[0].text) : options.delimiter;
  std::vector<Field> fields;
  Splitter(pair.delimiter).split(rows[0].text, fields);
  if (fields.size() != 2 || !is_id(fields[0].raw) || !is_id(fields[1].raw)) return pair;
  std::vector<Field> below;
  const std::string next =
      options.delimiter.empty() ? find_delimiter(rows[1].text) : options.delimiter;
  Splitter(next).split(rows[1].text, below);
  if (below.size() < 2) return pair;
  pair.alike =
      next == pair.delimiter || (plain_width(rows[0].text) > 0 && plain_width(rows[1].text) > 0);
  pair.line = rows[0].number;
  pair.vertices = Scanner(fields[0].raw).integer(largest_id, "a number");
  pair.edges = Scanner(fields[1].raw).integer(largest_id, "a number");
  pair.text = std::string(rows[0].text) + "\n";
  return pair;
}

/// Is the first edge "n n m", as Matrix Market tells sizes behind its banner?
bool may_tell_sizes(std::span<const Field> fields) {
  if (fields.size() < 3 || fields[0].raw != fields[1].raw) return false;
  const auto ids = parse_id(fields[0].raw), edges = parse_id(fields[2].raw);
  return ids && edges && *ids > 1 && *edges > *ids;
}

/// Seconds or milliseconds since 1970, of a moment from 1985 to 2100?
bool looks_like_time(std::string_view value) {
  const auto number = parse_id(value);
  const auto seconds = [](std::uint64_t n) { return n >= 473385600 && n < 4102444800; };
  return number && (seconds(*number) || seconds(*number / 1000));
}

/// An id of the first edge that is a number and yet none of those that ids may be; or nothing.
std::string_view odd_number(std::span<const Field> fields) {
  for (const Field& field : fields.first(2))
    if (is_number(field.raw) && !is_id(field.raw) && std::ranges::any_of(field.raw, is_digit))
      return field.raw;
  return {};
}

/// Is the only row of one of several files the header that a file before had? Other programs write
/// such files where a part has no edge. BadText if no file before has told.
bool is_lone_header(const TextInput& input, const Line& row, const GraphOptions& options,
                    const TableForm& table, const FirstNames& names, bool edges_before) {
  if (input.only_file() || table.plain || table.delimiter == " " ||
      options.table.header != TableOptions::Header::automatic)
    return false;
  std::vector<std::string> texts;
  std::string scratch;
  RowReader reader(table);
  for (const Field& field : reader.read(row.text)) texts.emplace_back(field.text(scratch));
  if (!names.names().empty()) return texts == names.names();
  const bool numbers = std::ranges::any_of(texts, [](const std::string& text) {
    return text.empty() || is_number(text) || is_id(text);
  });
  if (edges_before || numbers) return false;
  throw BadText{row.text.data(), "one row without a number in the first of several files",
                "--header yes, if it names the columns, or --header no"};
}

/// Reads the form off the first rows, at most two, where the first is no pair of sizes.
EdgeForm look_at(const TextInput& input, std::span<const Line> rows, const GraphOptions& options,
                 const EdgeForm* first, FirstNames& names) {
  EdgeForm form;
  form.table = find_form(input.path(), rows, options.table, is_edge_header);
  TableForm& table = form.table;
  if (rows.empty()) return form;
  if (rows.size() == 1 && table.header == 0 &&
      is_lone_header(input, rows[0], options, table, names, first != nullptr))
    table.header = rows[0].number;
  const bool skips = table.header != 0;
  if (skips) names.check(input.path(), table, rows[0]);
  if (skips && rows.size() == 1) {
    table.width = 0;
    return form;
  }
  const Line& row = rows[skips ? 1 : 0];
  if (skips && options.table.header == TableOptions::Header::automatic &&
      !names_columns(options.table))
    table.notes.insert(table.notes.begin(), header_note(input.path(), rows[0], "a row"));
  if (skips) note_fewer_names(input.path(), table);
  if (skips && table.columns.empty() && table.width > 2)
    note_row_numbers(input.path(), rows[0], table.names[0], table.width, table.notes);
  if (options.format == Format::automatic && !options.table.given()) refuse_others(row.text);
  std::vector<Field> fields;
  if (table.plain) {
    table.delimiter = find_delimiter(row.text);  // if they are looked up among declared names
    Scanner scanner(row.text);
    scanner.skip_blanks();
    for (int i = 0; i < 2; ++i, scanner.separator()) fields.push_back({scanner.name("an id")});
    // Names such as 1.5, or numbers after names. (Else the parser says what is missing, and what is
    // no number.)
    const bool names_follow =
        first != nullptr ? first->named
                         : options.table.names || !(is_id(fields[0].raw) && is_id(fields[1].raw));
    if (names_follow && !fields[1].raw.empty()) {
      table.plain = false;
      Splitter(table.delimiter).split(row.text, fields);
      table.width = fields.size();
    }
  }
  if (!table.plain) {
    RowReader reader(table);
    const auto read = reader.read(row.text);
    fields.assign(read.begin(), read.end());
    if (fields.size() < 2)
      throw BadText{row.text.data() + row.text.size(), "the end of the line", "a second id"};
    if (fields.size() > 3)
      throw BadText{fields[3].raw.data(), shown_field(fields[3]),
                    "two or three columns (--columns SOURCE,TARGET,VALUE "
                    "picks them)"};
  }
  form.weighted = table.used() > 2;
  std::vector<Field> edge = fields;
  if (table.plain) Splitter(table.delimiter).split(row.text, edge);
  if (form.weighted && !skips && first == nullptr && rows.size() > 1 && may_tell_sizes(edge))
    table.notes.push_back(fmt::format(
        "{}:{}: {} is read as an edge; if it tells how many vertices and edges there are, leave it "
        "out (or put the banner of Matrix Market before it)",
        shown(input.path()), row.number, quoted(row.text)));
  form.named = first != nullptr ? first->named
                                : !table.plain && (options.table.names ||
                                                   !(is_id(fields[0].raw) && is_id(fields[1].raw)));
  if (first != nullptr && form.weighted != first->weighted)
    throw BadText{row.text.data(), fmt::format("{} columns", table.used()),
                  "as many as in the files before"};
  if (form.weighted && table.columns.empty() && first == nullptr && looks_like_time(edge[2].raw))
    table.notes.push_back(fmt::format(
        "{}:{}: {} looks like a time in seconds or milliseconds, and is read as the value of an "
        "edge (--columns 1,2 leaves it out)",
        shown(input.path()), row.number, quoted(edge[2].raw)));
  if (options.table.names) return form;
  if (const auto odd = form.named && first == nullptr ? odd_number(fields) : ""; !odd.empty())
    table.notes.push_back(fmt::format(
        "{}:{}: ids are read as names, because {} is not a whole number from 0 to 2^63-1",
        shown(input.path()), row.number, quoted(odd)));
  else if (form.named && !skips && table.delimiter == " " && rows.size() > 1 &&
           options.table.header == TableOptions::Header::automatic) {
    std::vector<Field> next;
    Splitter(" ").split(rows[1].text, next);
    const auto numbers = [](const std::vector<Field>& of) {
      return of.size() > 1 && (is_id(of[0].raw) || is_id(of[1].raw));
    };
    if (numbers(next) && !numbers(fields))
      table.notes.push_back(
          fmt::format("{}:{}: ids are read as names, as in this line; if the line is a header, "
                      "give --header yes",
                      shown(input.path()), row.number));
  }
  return form;
}

/// The same where it may be one.
EdgeForm look_for_sizes(const TextInput& input, std::span<const Line> rows,
                        const GraphOptions& options, const EdgeForm* first, FirstNames& names) {
  const TableOptions& table = options.table;
  if (!options.bipartite && table.header == TableOptions::Header::automatic &&
      !names_columns(table) && !table.names && (first == nullptr || !first->named))
    if (FirstPair pair = find_pair(rows, table); pair.line > 0) {
      EdgeForm form = look_at(input, rows.subspan(1), options, first, names);
      if (!form.named && form.table.header == 0) {
        pair.width = form.table.width;
        pair.swapped = !form.table.columns.empty() && form.table.columns[0] == 1;
        form.pair = std::move(pair);
        return form;
      }
    }
  return look_at(input, rows, options, first, names);
}

}  // namespace

EdgeForm find_edge_form(Communicator& comm, TextInput& input, const GraphOptions& options,
                        const EdgeForm* first, FirstNames& names) {
  EdgeForm form;
  input.look_ahead(2, is_row, [&](std::span<const Line> rows) {
    form = look_for_sizes(input, rows, options, first, names);
  });
  form.table = broadcast_form(comm, form.table);
  FirstPair& pair = form.pair;
  const std::uint64_t facts[] = {
      form.named ? 1U : 0U, form.weighted ? 1U : 0U, pair.line,           pair.vertices, pair.edges,
      pair.width,           pair.swapped ? 1U : 0U,  pair.alike ? 1U : 0U};
  const std::vector<std::uint64_t> told = broadcast(comm, std::span<const std::uint64_t>(facts));
  form.named = told[0] != 0;
  form.weighted = told[1] != 0;
  pair = {shown(input.path()),
          told[2],
          told[3],
          told[4],
          told[5],
          told[6] != 0,
          told[7] != 0,
          std::move(pair.text),
          std::move(pair.delimiter)};
  const std::uint64_t skipped = std::max(pair.line, form.table.header);
  input.read_head([&](std::string_view, std::uint64_t number) { return number <= skipped; });
  return form;
}

}  // namespace gas::loaders::detail
