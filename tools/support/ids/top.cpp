#include "tools/support/ids/top.hpp"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "tools/support/ids/row_names.hpp"
#include "tools/support/show/table.hpp"

namespace gas::tools {
namespace {

double to_six_digits(double value) {
  if (value == 0 || !std::isfinite(value)) return value;
  const double scale = std::pow(10.0, 5 - std::floor(std::log10(std::abs(value))));
  return std::isfinite(scale) && scale > 0 ? std::round(value * scale) / scale : value;
}

}  // namespace

void Top::insert(VertexId row, double value) {
  if (count_ == 0) return;
  const Kept entry{to_six_digits(value), row, value};
  if (full()) {
    if (!(entry < kept_.front())) return;
    std::ranges::pop_heap(kept_, std::less<>());
    kept_.pop_back();
  }
  kept_.push_back(entry);
  std::ranges::push_heap(kept_, std::less<>());
  floor_ = kept_.front().key - 1e-5 * std::abs(kept_.front().key);
}

std::vector<Top::Entry> Top::local() const {
  std::vector<Kept> sorted = kept_;
  std::ranges::sort(sorted, std::less<>());
  std::vector<Entry> entries;
  for (const Kept& kept : sorted) entries.push_back({kept.value, kept.row});
  return entries;
}

std::vector<Top::Entry> Top::gather(Communicator& comm) const {
  Top all(count_);
  const std::vector<Entry> mine = local();
  for (const auto& block : gas::gather(comm, std::span<const Entry>(mine)))
    for (const Entry& entry : block) all.add(entry.row, entry.value);
  return all.local();
}

std::vector<std::uint64_t> tally(Communicator& comm, std::uint64_t count,
                                 std::vector<VertexId> labels) {
  struct Tally {
    VertexId label;
    std::uint64_t times;
  };
  const BlockDistribution blocks{count, comm.size()};
  const std::uint64_t first = blocks.first(comm.rank());
  std::vector<std::uint64_t> times(blocks.count(comm.rank()));
  std::vector<std::vector<Tally>> others(static_cast<std::size_t>(comm.size()));
  std::ranges::sort(labels);
  for (auto at = labels.begin(); at != labels.end();) {
    const auto end = std::upper_bound(at, labels.end(), *at);
    const auto found = static_cast<std::uint64_t>(end - at);
    const int owner = blocks.owner(*at);
    if (owner == comm.rank())
      times[*at - first] = found;
    else
      others[static_cast<std::size_t>(owner)].push_back({*at, found});
    at = end;
  }
  for (const auto& block : all_to_all(comm, std::move(others)))
    for (const Tally& entry : block) times[entry.label - first] += entry.times;
  return times;
}

Top most_frequent(Communicator& comm, std::uint64_t count, std::vector<VertexId> labels,
                  std::uint64_t top) {
  const std::vector<std::uint64_t> times = tally(comm, count, std::move(labels));
  const std::uint64_t first = BlockDistribution{count, comm.size()}.first(comm.rank());
  Top most(top);
  for (std::size_t i = 0; i < times.size(); ++i)
    if (times[i] > 0) most.add(to_vertex_id(first + i), static_cast<double>(times[i]));
  return most;
}

std::vector<NamedValue> named(Communicator& comm, const loaders::RowIds& ids, const Top& top) {
  const std::vector<Top::Entry> entries = top.gather(comm);
  std::vector<VertexId> rows;
  for (const Top::Entry& entry : entries) rows.push_back(entry.row);
  std::vector<std::string> names = texts_of(comm, ids, rows);
  std::vector<NamedValue> named;
  for (std::size_t i = 0; i < rows.size(); ++i)
    named.push_back({std::move(names[i]), entries[i].value});
  return named;
}

std::string in_words(const std::vector<NamedValue>& rows) {
  std::string text;
  for (const auto& [id, value] : rows)
    text += fmt::format("{}{} ({})", text.empty() ? "" : ", ", id, shown(value));
  return text.empty() ? "none" : text;
}

std::string ranking_lines(const std::vector<NamedValue>& rows, const std::string& of_rows,
                          const std::string& of_values) {
  std::string text = fmt::format("place\t{}\t{}\n", of_rows, of_values);
  for (std::size_t i = 0; i < rows.size(); ++i)
    text += fmt::format("{}\t{}\t{}\n", i + 1, as_cell(rows[i].id), rows[i].value);
  return text;
}

std::string top_table(Communicator& comm, const loaders::RowIds& ids, const Top& top,
                      const std::string& of_rows, const std::string& of_values) {
  const std::vector<NamedValue> rows = named(comm, ids, top);
  if (rows.empty()) return "";
  Table table({Table::Side::left, Table::Side::right});
  table.row({of_rows, of_values});
  for (const auto& [id, value] : rows) {
    const bool whole = value == std::floor(value) && std::abs(value) < 0x1p53;
    table.row({id, whole ? std::to_string(static_cast<std::int64_t>(value)) : shown(value)});
  }
  return table.text_below();
}

}  // namespace gas::tools
