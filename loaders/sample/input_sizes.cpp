#include "loaders/sample/input_sizes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "gas/base/error.hpp"
#include "gas/graph/distinct.hpp"
#include "loaders/binary/npy_format.hpp"
#include "loaders/narrow.hpp"
#include "loaders/sample/count_whole.hpp"
#include "loaders/sample/load_text.hpp"
#include "loaders/sample/sample_text.hpp"
#include "loaders/text/quoted_rows.hpp"
#include "loaders/text/scan.hpp"

namespace gas::loaders {
namespace {

constexpr double most_counted = 0x1p32;  // bytes of text that are all read for their ids

/// Lines without empty ones and those that begin with '%', and the numbers of the first of numbers.
struct Declared {
  std::vector<double> numbers;
  std::string_view body;  // behind that line, or behind `lines` of them
};

Declared declared_in(std::string_view text, std::size_t lines) {
  Declared declared;
  while (lines > 0 && !text.empty()) {
    const std::string_view line = take_line(text);
    const std::size_t begin = line.find_first_not_of(" \t");
    if (begin == std::string_view::npos || line[begin] == '%') continue;
    --lines;
    const std::string numbers(line);
    const char* at = numbers.c_str();
    for (char* end = nullptr;; at = end) {
      const double number = std::strtod(at, &end);
      if (end == at) break;
      declared.numbers.push_back(number);
    }
  }
  declared.body = text;
  return declared;
}

double declared(const std::string& name, const Declared& found, std::size_t i) {
  if (i >= found.numbers.size())
    throw located_error(name, 0, 0, "a file that does not declare its sizes",
                        "a header with the sizes");
  return found.numbers[i];
}

double distinct(std::vector<VertexId> ids) {
  keep_each_once(ids);
  return static_cast<double>(ids.size());
}

/// How many ids so many draws find: θ((1 + draws / θ)^σ − 1) / σ. For σ < 0 each of −θ / σ ids is
/// drawn by a negative binomial distribution, all alike for −∞; for 0 it is Fisher's logarithmic
/// series, above 0 a power law (Engen, Biometrika 61, 1974).
double found_of(double draws, double theta, double sigma) {
  const double grown = std::log1p(draws / theta);
  return theta * (sigma == 0 ? grown : std::expm1(sigma * grown) / sigma);
}

/// How many different ids as many draws as `ends` have, by the distribution that fits best how many
/// a sixteenth, an eighth, a quarter and half of the sample have, wherever they are drawn from it,
/// and has those of `all` of it.
double extrapolated(std::vector<VertexId> column, double all, double ends) {
  const auto seen = static_cast<double>(column.size());
  if (all > 0.9999 * seen) return all * ends / seen;
  std::ranges::sort(column);
  std::vector<std::pair<double, double>> parts;  // draws, and different ids that they are to have
  for (const double part : {0.5, 0.25, 0.125, 0.0625}) {
    double ids = 0;
    for (std::size_t end = 0; end < column.size();) {
      const std::size_t begin = end;
      while (end < column.size() && column[end] == column[begin]) ++end;
      ids -= std::expm1(static_cast<double>(end - begin) * std::log1p(-part));
    }
    parts.emplace_back(part * seen, ids);
  }
  double least = std::numeric_limits<double>::infinity(), best = all;
  std::vector<double> sigmas{-1000, -100, -30, -10};
  for (int step = -120; step < 20; ++step) sigmas.push_back(step / 20.0);
  for (const double sigma : sigmas) {
    double low = 1e-2, high = 1e15;
    for (int i = 0; i < 60; ++i) {
      const double theta = std::sqrt(low * high);
      (found_of(seen, theta, sigma) < all ? low : high) = theta;
    }
    double apart = 0;
    for (const auto& [draws, ids] : parts)
      apart += std::pow(std::log(found_of(draws, low, sigma) / ids), 2);
    if (apart < least) least = apart, best = found_of(ends, low, sigma);
  }
  return std::max(all, best);
}

/// How many ids a column has, where nothing declares it: where it ascends, as many in the whole as
/// in the sample by length; else all up to the largest, where there are edges enough for them; else
/// the sample suggests it, and has ids.least of them itself. `largest`: the largest number, or 0
/// for names. Of `ids` all but the count is known.
double count_ids(const std::vector<VertexId>& column, double largest, bool at_ends, IdSizes& ids) {
  if (column.empty()) return 0;
  const double ends = ids.ends;
  const auto seen = static_cast<double>(column.size());
  if (std::ranges::is_sorted(column)) {
    const double by_length = ids.different * ends / seen;
    return largest > 0 && at_ends ? std::min(largest + 1, by_length) : by_length;
  }
  if (largest > 0 && largest < 2 * ends) return largest + 1;
  ids.least = ids.different;
  return seen < ends ? extrapolated(column, ids.different, ends) : ids.different;
}

/// Do the places of the file that the sample is from have ids of their own, each several times, in
/// no order? Then ids are near each other in the file as in time, and their repeats in the sample
/// tell nothing of how often they occur.
bool is_local(const std::vector<VertexId>& column, double different) {
  constexpr std::size_t places = 16;
  double apart = 0;
  for (std::size_t i = 0; i < places; ++i) {
    const auto at = [&](std::size_t place) {
      return column.begin() + static_cast<std::ptrdiff_t>(column.size() * place / places);
    };
    apart += distinct({at(i), at(i + 1)});
  }
  return !std::ranges::is_sorted(column) && different > 0.75 * apart &&
         1.3 * different < static_cast<double>(column.size());
}

/// The number of the largest id that occurs behind the first edge, which may be a line of sizes.
double largest_number(Communicator& alone, const RowIds& ids,
                      std::initializer_list<const std::vector<VertexId>*> columns) {
  if (ids.named()) return 0;
  VertexId row = 0;
  for (const std::vector<VertexId>* column : columns)
    for (std::size_t e = 1; e < column->size(); ++e) row = std::max(row, (*column)[e]);
  return ids.rows() == 0 ? 0 : static_cast<double>(ids.local_number(alone, row));
}

double name_bytes(Communicator& alone, const RowIds& ids) {
  if (!ids.named() || ids.rows() == 0) return 0;
  double bytes = 0;
  const auto step = static_cast<std::size_t>(1 + ids.rows() / 1000);
  double names = 0;
  for (std::size_t i = 0; i < ids.rows(); i += step, ++names)
    bytes += static_cast<double>(ids.local_text(alone, i).size());
  return bytes / names;
}

/// What a sample in the form of an edge list, or of lines of entries, tells; and `whole`, if that
/// was counted.
void look_at(Communicator& alone, const LoadedGraph& sample, const TextSample& text,
             const std::optional<WholeCount>& whole, GraphSizes& sizes) {
  const EdgeList& edges = sample.edges;
  const std::vector<VertexId>&source = edges.source, &target = edges.target;
  const auto seen = static_cast<double>(edges.size());
  sizes.value_bytes = static_cast<double>(edges.value_bytes());
  sizes.by_owner = std::ranges::is_sorted(sizes.bipartite ? source : target);
  if (seen > 0 && !edges.value.empty()) {
    sizes.units = 0;
    for (const float value : edges.value) sizes.units += static_cast<double>(value) / seen;
  }
  if (whole && whole->edges > 0) sizes.units = whole->units / whole->edges;
  const auto look = [&](const RowIds& ids, const std::vector<VertexId>& column, double largest,
                        const CountedIds& counted, IdSizes& into) {
    into.seen = static_cast<double>(column.size());
    into.ends = seen > 0 ? sizes.edges * into.seen / seen : 0;
    into.different = distinct(column);
    into.name_bytes = name_bytes(alone, ids);
    into.largest = whole ? counted.largest : largest;
    into.occurring = counted.different;
    if (into.count > 0) return;  // declared
    into.count = whole ? counted.different : count_ids(column, largest, text.at_ends, into);
    into.dense = !ids.named() && into.largest < 1.02 * into.count;
    into.local = into.seen < into.ends && is_local(column, into.different);
    if (into.local) into.different = into.count * -std::expm1(-into.seen / into.count);
  };
  const WholeCount counted = whole.value_or(WholeCount());
  if (sizes.bipartite) {
    look(sample.source_ids, source, largest_number(alone, sample.source_ids, {&source}),
         counted.source, sizes.source);
    look(sample.target_ids, target, largest_number(alone, sample.target_ids, {&target}),
         counted.target, sizes.target);
    return;
  }
  const double largest = largest_number(alone, sample.source_ids, {&source, &target});
  look(sample.source_ids, source, largest, counted.both, sizes.source);
  look(sample.source_ids, target, largest, counted.both, sizes.target);
  if (whole) {
    sizes.source.occurring = counted.source.different;
    sizes.target.occurring = counted.target.different;
    return;
  }
  // A column that ascends repeats ids near each other, which tells nothing of the rest.
  IdSizes all;
  if (!std::ranges::is_sorted(source) && !std::ranges::is_sorted(target)) {
    std::vector<VertexId> both;
    for (std::size_t e = 0; e < edges.size(); ++e) both.insert(both.end(), {source[e], target[e]});
    look(sample.source_ids, both, largest < 2 * sizes.edges ? largest : 0, {}, all);
  }
  const auto sure = [](const IdSizes& ids) { return ids.least > 0 ? ids.least : ids.count; };
  const double count = std::max({sizes.source.count, sizes.target.count, all.count});
  const double least = std::max({sure(sizes.source), sure(sizes.target), sure(all)});
  sizes.source.count = sizes.target.count = count;
  sizes.source.least = sizes.target.least = least < count ? least : 0;
  sizes.source.dense = sizes.target.dense = sizes.source.dense && sizes.target.dense;
}

/// Decimal digits of the numbers below `count` on average.
double mean_digits(double count) {
  double digits = 1, below = 10, sum = 0, from = 0;
  for (; below < count; ++digits, below *= 10) {
    sum += digits * (below - from);
    from = below;
  }
  return count < 1 ? 1 : (sum + digits * (count - from)) / count;
}

/// How many edges the whole has by the bytes of one. Where the sample is the beginning of a list by
/// ascending source, later sources have more digits.
double count_edges(Communicator& alone, const LoadedGraph& sample, const TextSample& text) {
  const auto seen = static_cast<double>(sample.edges.size());
  const double edges = seen * text.times();
  const std::vector<VertexId>& source = sample.edges.source;
  if (text.at_ends || seen == 0 || sample.source_ids.named() || !std::ranges::is_sorted(source))
    return edges;
  const double first = largest_number(alone, sample.source_ids, {&source});
  const double all = sample.shape.bipartite
                         ? first * text.times()
                         : largest_number(alone, sample.source_ids, {&sample.edges.target});
  const double bytes = static_cast<double>(text.text.size()) / seen;
  return text.bytes / (bytes + mean_digits(std::max(first, all)) - mean_digits(first));
}

GraphOptions options_for(Format format, const GraphOptions& options) {
  GraphOptions with = options;
  with.format = format;
  with.sources = with.targets = {};
  with.threads = 1;
  with.excerpt = true;
  return with;
}

/// docword and mtx: three columns behind a header, as an edge list.
void look_at_entries(const std::string& name, std::string_view body, const TextSample& text,
                     const GraphOptions& options, GraphSizes& sizes) {
  GraphOptions with = options_for(Format::edges, options);
  with.bipartite = sizes.bipartite;
  with.table = {};
  load_text(body, name, [&](Communicator& alone, const std::string& path) {
    look_at(alone, load_graph(alone, path, with), text, std::nullopt, sizes);
  });
}

}  // namespace

namespace {

/// The share of ids that none of so many draws per id is of, by the distribution's size.
double unseen(double draws, double size) { return std::exp(-size * std::log1p(draws / size)); }

}  // namespace

double IdSizes::alike() const {
  double low = 1e-6, high = 1e6;
  const double wanted = 1 - std::min(different / count, 1.0);
  for (int i = 0; i < 60; ++i) {
    const double size = std::sqrt(low * high);
    (unseen(seen / count, size) > wanted ? low : high) = size;
  }
  return high;
}

double IdSizes::different_in(double some) const {
  if (count <= 0 || some <= 0) return 0;
  const double size = alike();
  const double fitted = count * (1 - unseen(some / count, size));
  if (occurring <= 0) return std::min(some, fitted);
  const double all = count * (1 - unseen(ends / count, size));
  return std::min(some, fitted * occurring / all);
}

namespace {

/// The header and the rows behind it; a piece from elsewhere might begin inside quotation marks.
void take_first_rows(TextSample& text) {
  text.text = text.start;
  text.at_ends = static_cast<double>(text.text.size()) >= text.bytes;
  text.streamed = true;
  if (text.at_ends && !text.text.ends_with('\n')) text.text += '\n';
  std::size_t behind = 0;
  RowEnds ends;
  for (std::size_t end = 0; (end = ends.next(text.text)) != RowEnds::none;) behind = end + 1;
  text.text.resize(behind);
}

}  // namespace

GraphSizes graph_sizes(std::span<const std::string> paths, const GraphOptions& options,
                       bool count) {
  TextSample text = sample_text(paths);
  const std::string& name = paths.front();
  GraphSizes sizes;
  sizes.format = options.format == Format::automatic
                     ? detect_format(name, text.start, options.fallback)
                     : options.format;
  if (holds_points(sizes.format)) throw InputError(name + ": found points, expected a graph");
  if (sizes.format == Format::csv) take_first_rows(text);
  sizes.streamed = text.streamed;
  sizes.text_bytes = text.bytes;
  sizes.bipartite = sizes.format == Format::docword || sizes.format == Format::hmetis ||
                    has_labels(sizes.format) || sizes.format == Format::ldac || options.bipartite;
  // docword, mtx: rows, columns and entries.
  const auto take_sizes = [&](std::size_t lines) {
    Declared found = declared_in(text.text, lines);
    sizes.source.count = declared(name, found, 0);
    sizes.target.count = declared(name, found, 1);
    sizes.edges = text.at_most(declared(name, found, 2));
    return found;
  };
  // METIS, hMETIS: the third number, by whose last digit edges have weights.
  const auto take_weights = [&](const Declared& found) {
    const double weights = found.numbers.size() > 2 ? found.numbers[2] : 0;
    sizes.value_bytes = std::fmod(weights, 10) == 1 ? sizeof(float) : 0;
    return weights;
  };
  switch (sizes.format) {
    case Format::docword: {
      const Declared found = take_sizes(3);
      look_at_entries(name, found.body, text, options, sizes);
      break;
    }
    case Format::mtx: {
      const Declared found = take_sizes(1);
      const std::string_view banner = std::string_view(text.text).substr(0, text.text.find('\n'));
      const bool symmetric = banner.find("symmetric") != std::string::npos;
      sizes.pairs = symmetric && !sizes.bipartite;
      if (symmetric && sizes.bipartite) sizes.edges *= 2;
      look_at_entries(name, found.body, text, options, sizes);
      break;
    }
    case Format::metis: {
      const Declared found = declared_in(text.text, 1);
      sizes.source.count = sizes.target.count = text.at_most(declared(name, found, 0));
      sizes.edges = text.at_most(declared(name, found, 1));
      sizes.source.ends = sizes.target.ends = sizes.edges;
      sizes.pairs = true;
      take_weights(found);
      break;
    }
    case Format::hmetis: {
      const Declared found = declared_in(text.text, 1);
      sizes.target.count = declared(name, found, 0);
      sizes.source.count = declared(name, found, 1);
      const double weights = take_weights(found);
      double numbers = 0;
      bool in_number = false;
      for (const char c : found.body) {
        const bool digit = c >= '0' && c <= '9';
        numbers += digit && !in_number ? 1 : 0;
        in_number = digit;
      }
      sizes.edges =
          std::max(0.0, numbers * text.times() - (sizes.value_bytes > 0 ? sizes.target.count : 0) -
                            (weights >= 10 ? sizes.source.count : 0));
      sizes.source.ends = sizes.target.ends = sizes.edges;
      break;
    }
    default: {
      const GraphOptions with = options_for(sizes.format, options);
      std::optional<WholeCount> whole;
      if (count && text.times() > 1 && text.bytes <= most_counted) whole = count_whole(paths, with);
      load_text(text.text, name, [&](Communicator& alone, const std::string& path) {
        const LoadedGraph sample = load_graph(alone, path, with);
        sizes.edges = whole ? whole->edges
                      : sizes.format == Format::edges
                          ? count_edges(alone, sample, text)
                          : static_cast<double>(sample.edges.size()) * text.times();
        if (has_labels(sizes.format) || sizes.format == Format::ldac)
          sizes.source.count =
              whole ? whole->sources : static_cast<double>(sample.shape.sources) * text.times();
        if (sizes.format == Format::libsvm || sizes.format == Format::ldac)
          sizes.target.count = whole ? whole->targets : static_cast<double>(sample.shape.targets);
        look_at(alone, sample, text, whole, sizes);
      });
    }
  }
  const auto declare = [&](const Declaration& vertices, IdSizes& ids) {
    if (vertices.given && vertices.file.empty()) ids.count = static_cast<double>(vertices.count);
  };
  declare(options.sources, sizes.source);
  declare(sizes.bipartite ? options.targets : options.sources, sizes.target);
  return sizes;
}

namespace {

/// Whether some of the first numbers behind the header are no floats.
bool begins_wide(const NpyHeader& header, const std::string& start) {
  const std::size_t size = npy_size(header.type);
  const std::size_t count = start.size() < header.bytes ? 0 : (start.size() - header.bytes) / size;
  const std::size_t known = std::min(
      count, static_cast<std::size_t>(std::min<std::uint64_t>(header.elements(), 1U << 20U)));
  for (std::size_t i = 0; i < known; ++i)
    if (!detail::fits_float(npy_value(header.type, start.data() + header.bytes, i))) return true;
  return false;
}

void look_at_idx(const std::string& name, const std::string& start, PointSizes& sizes) {
  const std::size_t dimensions = start.size() < 4 ? 0 : static_cast<unsigned char>(start[3]);
  if (dimensions == 0 || start.size() < 4 + 4 * dimensions)
    throw located_error(name, 0, 0, "no IDX header", "an IDX file");
  sizes.columns = 1;
  for (std::size_t i = 0; i < dimensions; ++i) {
    double size = 0;
    for (std::size_t byte = 0; byte < 4; ++byte)
      size = size * 256 + static_cast<unsigned char>(start[4 + 4 * i + byte]);
    if (i == 0)
      sizes.rows = size;
    else
      sizes.columns *= size;
  }
  const bool rounds = start[2] == 0x0c || start[2] == 0x0e;
  sizes.read_bytes = rounds ? sizeof(double) : sizeof(float);
}

void look_at_vectors(const std::string& name, const TextSample& text, PointSizes& sizes) {
  std::int32_t numbers[2] = {};
  const std::size_t header = sizes.format == Format::fbin ? sizeof numbers : sizeof numbers[0];
  if (text.start.size() < header)
    throw located_error(name, 0, 0, "no header", "a header of 4 bytes (fvecs) or 8 bytes (fbin)");
  std::memcpy(numbers, text.start.data(), header);
  const bool fbin = sizes.format == Format::fbin;
  sizes.columns = std::max(0, numbers[fbin ? 1 : 0]);
  sizes.rows = fbin ? std::max(0, numbers[0]) : text.bytes / (sizeof(float) * (sizes.columns + 1));
}

}  // namespace

PointSizes sparse_sizes(const GraphSizes& graph) {
  PointSizes sizes;
  sizes.format = graph.format;
  sizes.rows = graph.source.count;
  sizes.columns = graph.target.count;
  sizes.streamed = graph.streamed;
  sizes.text_bytes = graph.text_bytes;
  sizes.sparse = graph;
  return sizes;
}

PointSizes point_sizes(std::span<const std::string> paths, const PointOptions& options,
                       bool count) {
  const TextSample text = sample_text(paths);
  const std::string& name = paths.front();
  PointSizes sizes;
  sizes.format = options.format == Format::automatic
                     ? detect_format(name, text.start, Format::dense)
                     : options.format;
  if (options.sparse && holds_sparse_points(sizes.format))
    return sparse_sizes(graph_sizes(paths,
                                    {.format = sizes.format,
                                     .index_base = options.index_base,
                                     .bipartite = true,
                                     .threads = options.threads},
                                    count));
  if (!holds_points(sizes.format)) throw InputError(name + ": found a graph, expected points");
  sizes.streamed = text.streamed;
  if (sizes.format == Format::npy) {
    const NpyHeader header = parse_npy_header(name, text.start);
    sizes.rows = header.shape.empty() ? 0 : static_cast<double>(header.shape[0]);
    sizes.columns = header.shape.size() > 1 ? static_cast<double>(header.shape[1]) : 1;
    sizes.read_bytes = npy_rounds(header.type) ? sizeof(double) : sizeof(float);
    sizes.wide = npy_rounds(header.type) && begins_wide(header, text.start);
  } else if (sizes.format == Format::idx) {
    look_at_idx(name, text.start, sizes);
  } else if (sizes.format == Format::fbin || sizes.format == Format::fvecs) {
    look_at_vectors(name, text, sizes);
  } else {
    PointOptions with = options;
    with.format = sizes.format;
    const LoadedPoints sample =
        load_text(text.text, name, [&](Communicator& alone, const std::string& path) {
          return load_points(alone, path, with);
        });
    sizes.rows = static_cast<double>(sample.rows) * text.times();
    sizes.columns = static_cast<double>(sample.columns);
    sizes.wide = sample.wide;
    sizes.read_bytes = options.wide ? sizeof(double) : sizeof(float);
    sizes.text_bytes = text.bytes;
  }
  if (sizes.columns > 0) sizes.rows = text.at_most(sizes.rows * sizes.columns) / sizes.columns;
  return sizes;
}

}  // namespace gas::loaders
