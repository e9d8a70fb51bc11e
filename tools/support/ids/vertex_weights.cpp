#include "tools/support/ids/vertex_weights.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_set>

#include "gas/base/error.hpp"
#include "gas/base/text/parse_number.hpp"
#include "loaders/read_small.hpp"
#include "tools/support/ids/row_names.hpp"

namespace gas::tools {
namespace {

struct Listed {
  std::vector<std::string> ids;
  std::vector<std::uint64_t> lines;
  std::vector<double> weights;
  double sum = 0;
};

std::string_view without_blanks(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r");
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") + 1 - first);
}

/// A number as ids.txt has it.
std::string_view without_zeros(std::string_view id) {
  if (id.find_first_not_of("0123456789") != id.npos) return id;
  return id.substr(std::min(id.find_first_not_of('0'), id.size() - 1));
}

Listed parse(const std::string& path, const std::vector<std::string>& lines, bool named) {
  Listed listed;
  std::unordered_set<std::string_view> seen;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string_view line = lines[i];
    const std::string_view text = without_blanks(line);
    if (text.empty() || text.front() == '#' || text.front() == '%') continue;
    const auto fail = [&](std::string_view at, const std::string& found, const char* expected) {
      throw located_error(path, i + 1, static_cast<std::uint64_t>(at.data() - line.data()) + 1,
                          found, expected);
    };
    const auto end = text.find_first_of(text.find('\t') != text.npos ? "\t" : " ");
    const std::string_view written = without_blanks(text.substr(0, end));
    const std::string_view id = named ? written : without_zeros(written);
    double weight = 1;
    if (end != text.npos) {
      const std::string_view number = without_blanks(text.substr(end));
      if (!parse_number(number, weight) || !std::isfinite(weight) || weight < 0)
        fail(number, fmt::format("'{}'", number),
             "a weight of at least 0 that a double can hold, or the id alone");
    }
    if (!seen.insert(id).second)
      fail(written, fmt::format("vertex {} again", id), "each vertex once");
    listed.ids.emplace_back(id);
    listed.lines.push_back(i + 1);
    listed.weights.push_back(weight);
    listed.sum += weight;
  }
  if (!(listed.sum > 0) || !std::isfinite(listed.sum))
    throw located_error(path, 0, 0, fmt::format("weights of sum {}", listed.sum),
                        "a finite sum above 0");
  return listed;
}

}  // namespace

std::vector<double> read_vertex_weights(Communicator& comm, const std::string& path,
                                        const loaders::RowIds& ids) {
  const std::vector<std::string> lines = loaders::read_lines(comm, path);
  Listed listed;
  together(comm, [&] { listed = parse(path, lines, ids.named()); });
  const std::vector<VertexId> place = rows_among(comm, ids, listed.ids);
  std::vector<double> weights(place.size());
  std::vector<bool> known(listed.ids.size());
  for (std::size_t row = 0; row < place.size(); ++row) {
    if (place[row] == no_row) continue;
    known[place[row]] = true;
    weights[row] = listed.weights[place[row]] / listed.sum;
  }
  together(comm, [&] {
    for (std::size_t i = 0; i < known.size(); ++i)
      if (!known[i])
        throw located_error(path, listed.lines[i], 1, fmt::format("no vertex {}", listed.ids[i]),
                            "vertices of the graph");
  });
  return weights;
}

}  // namespace gas::tools
