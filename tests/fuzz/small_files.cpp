#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>

#include "loaders/ids/declared_ids.hpp"
#include "loaders/labels.hpp"
#include "loaders/load_graph.hpp"
#include "loaders/number_lines.hpp"
#include "loaders/read_small.hpp"
#include "tests/fuzz/harness.hpp"
#include "tests/fuzz/targets.hpp"

namespace gas_fuzz {
namespace {

using namespace gas;
using namespace gas::loaders;

std::set<std::string> words_of(std::string_view line) {
  std::set<std::string> words;
  while (!line.empty()) {
    const std::string_view word = line.substr(0, line.find(' '));
    if (!word.empty()) words.emplace(word);
    line.remove_prefix(std::min(line.size(), word.size() + 1));
  }
  return words;
}

/// So many rows, from 1 on; or rows of these numbers; or of these names.
RowIds ids_of(Communicator& comm, const std::set<std::string>& words) {
  std::set<std::uint64_t> numbers;
  for (const std::string& word : words) {
    std::uint64_t number = 0;
    const auto [end, code] = std::from_chars(word.data(), word.data() + word.size(), number);
    if (code == std::errc() && end == word.data() + word.size() && number >> 63 == 0)
      numbers.insert(number);
  }
  if (words.size() == 1 && numbers.size() == 1) return {*numbers.begin() % 64, 1, 1};
  const auto block = [&](const auto& all, auto keys) {
    const BlockDistribution blocks{all.size(), comm.size()};
    auto at = std::next(all.begin(), static_cast<std::ptrdiff_t>(blocks.first(comm.rank())));
    for (std::uint64_t i = 0; i < blocks.count(comm.rank()); ++i) keys.push_back(*at++);
    return RowIds(comm, all.size(), std::move(keys));
  };
  return numbers.size() == words.size() ? block(numbers, Numbers()) : block(words, Names());
}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

}  // namespace

/// The first line says which rows there are.
void labels(std::string_view data) {
  const std::set<std::string> words = words_of(first_line(data));
  same_in_all_ways(data, [&](Communicator& comm, const std::string& path, const Way&) {
    const RowIds ids = ids_of(comm, words);
    const std::vector<double> mine = read_labels(comm, path, ids);
    expect(mine.size() == BlockDistribution{ids.rows(), comm.size()}.count(comm.rank()),
           "a label per row");
    expect(std::ranges::all_of(mine, [](double x) { return std::isfinite(x); }), "finite labels");
    std::string text;
    tell(text, comm, mine);
    try {
      const BinaryLabels binary = binary_labels(comm, path, mine);
      tell(text, comm, binary.sign);
      text += std::to_string(binary.smaller) + " " + std::to_string(binary.larger);
    } catch (const InputError& error) {
      text += error.what();
    }
    return text;
  });
}

void vertices(std::string_view data) {
  same_in_all_ways(data, [&](Communicator& comm, const std::string& path, const Way&) {
    const DeclaredIds declared(comm, {true, 0, path});
    const RowIds ids = declared.row_ids(comm);
    expect(ids.rows() == declared.size() && ids.named() == declared.named(), "one size and kind");
    std::string text;
    tell(text, comm, ids);
    tell(text, comm, declared.block_names());
    const BlockDistribution blocks{declared.size(), comm.size()};
    for (std::uint64_t i = 0; i < blocks.count(comm.rank()); ++i) {
      const std::uint64_t row = blocks.first(comm.rank()) + i;
      const auto found = declared.named() ? declared.find(ids.local_text(comm, i))
                                          : declared.find(declared.number(row));
      expect(found == row, "found in its row");
    }
    return text;
  });
}

void vocabulary(std::string_view data) {
  same_in_all_ways(data, [&](Communicator& comm, const std::string& path, const Way&) {
    const std::vector<std::string> lines = read_lines(comm, path);
    std::string text = joined(lines), blocks;
    tell(blocks, comm, read_block_lines(comm, path, lines.size()));
    expect(blocks == std::to_string(text.size()) + ":" + text + "\n", "the same lines in blocks");
    return text;
  });
}

void numbers(std::string_view data) {
  static constexpr std::uint32_t largest = 4096;
  same_in_all_ways(data, [&](Communicator& comm, const std::string& path, const Way&) {
    const NumberLines lines(comm, path, largest, "a number up to 4096");
    std::vector<std::uint64_t> bounds;
    for (int rank = 0; rank <= comm.size(); ++rank)
      bounds.push_back(BlockDistribution{lines.size(), comm.size()}.first(rank));
    const std::vector<std::uint32_t> mine = lines.share(comm, bounds);
    expect(std::ranges::all_of(mine, [](std::uint32_t x) { return x <= largest; }), "in range");
    std::string text = std::to_string(lines.size()) + " ";
    tell(text, comm, mine);
    return text;
  });
}

/// gzip and zstd as they come: lines and an edge list.
void packed(std::string_view data) {
  same_on_all_ranks(data, [&](Communicator& comm, const std::string& path, const Way&) {
    return joined(read_lines(comm, path));
  });
  same_on_all_ranks(data, [&](Communicator& comm, const std::string& path, const Way& way) {
    const LoadedGraph graph = load_graph(
        comm, path, {.format = Format::edges, .threads = way.threads, .block_bytes = way.block});
    std::string text;
    tell(text, comm, graph.source_ids);
    tell(text, comm, graph.edges.source);
    tell(text, comm, graph.edges.target);
    return text;
  });
}

}  // namespace gas_fuzz
