#include <fmt/format.h>

#include <optional>

#include "loaders/formats/examples/examples.hpp"
#include "loaders/ids/hashed.hpp"
#include "loaders/stream_examples.hpp"
#include "loaders/text/foreign.hpp"
#include "loaders/text/quoted_rows.hpp"
#include "loaders/text/scan.hpp"

namespace gas::loaders {
namespace {

StreamOptions checked(Communicator& comm, const StreamOptions& options) {
  together(comm, [&] {
    if (options.format != Format::automatic && !has_labels(options.format))
      throw UsageError(
          fmt::format("the format {} is not read as a stream, expected libsvm, vw or csv",
                      format_name(options.format)));
    if (options.hash_bits > most_hash_bits)
      throw UsageError(fmt::format("hash_bits must be at most {}", most_hash_bits));
    if (options.index_base > 1) throw UsageError("index_base must be 0 or 1");
  });
  return options;
}

/// Where the line of a row of a block begins: its label, but for csv, which has a delimiter.
const char* place_of(std::string_view text, std::size_t row, std::string_view delimiter) {
  while (!delimiter.empty()) {
    const std::string_view line = take_row(text);
    if (!detail::is_empty_row(line, delimiter) && row-- == 0) return line.data();
  }
  for (Scanner scanner(text);; scanner.next_line()) {
    scanner.skip_blanks();
    if (scanner.at_line_end() || scanner.peek() == '#') continue;
    if (row-- == 0) return scanner.position();
  }
}

}  // namespace

ExampleStream::ExampleStream(Communicator& comm, std::span<const std::string> paths,
                             const StreamOptions& options)
    : options_(checked(comm, options)),
      comm_(comm),
      input_(
          comm, paths, options.block_bytes,
          [this, first = paths.front()](const auto& path, std::string_view start) {
            const Format before = format_;
            format_ = options_.format == Format::automatic
                          ? detect_format(path, start, options_.fallback)
                          : options_.format;
            if (path != first && (before == Format::csv) != (format_ == Format::csv))
              throw located_error(
                  shown(path), 0, 0, fmt::format("a file of the format {}", format_name(format_)),
                  fmt::format("{}, as that of the files before", format_name(before)));
            if (!has_labels(format_))
              throw located_error(shown(path), 0, 0,
                                  fmt::format("a file of the format {}", format_name(format_)),
                                  "libsvm, vw or csv: no other format can be read as a stream");
            refuse_foreign_text(path, start);
            if (format_ != Format::libsvm && options_.hash_bits == 0)
              throw located_error(shown(path), 0, 0,
                                  fmt::format("a file of the format {}", format_name(format_)),
                                  "libsvm, or --hash BITS with this format: a stream cannot keep "
                                  "the names of features");
            if ((options_.examples.given() || options_.table.given()) && format_ != Format::csv)
              throw located_error(
                  shown(path), 0, 0, fmt::format("a file of the format {}", format_name(format_)),
                  "csv: --label, --categorical, --delimiter and --columns are for csv only");
            if (format_ == Format::csv && options_.examples.label.empty())
              throw UsageError("a stream of csv needs --label");
          }) {}

bool ExampleStream::each(const TakeExamples& take, const std::function<bool()>& stop) {
  bool ended = false, whole = true;
  input_.stop_when([&] { return ended || (stop && stop()); });
  std::atomic<bool> queries{false};
  const unsigned bits = options_.hash_bits;
  const detail::LibsvmColumns columns{
      .base = options_.index_base, .most = options_.most_columns, .hash_bits = bits};
  const auto parse_vw = detail::hashing_vw_parser(bits);
  std::optional<detail::HashedCsv> csv;
  if (format_ == Format::csv) {
    csv.emplace(options_.table, options_.examples, bits);
    input_.read_quoted_rows();
  }
  std::function<detail::Examples(std::string_view)> parse_csv;
  const auto parse = [&](std::string_view text) {
    if (format_ == Format::csv) return parse_csv(text);
    if (format_ == Format::vw) return parse_vw(text);
    return detail::parse_libsvm(text, columns, queries);
  };
  do {
    if (csv) parse_csv = csv->next(comm_, input_);
    input_.each_text(1, [&](std::size_t, std::string_view text) {
      if (ended) return;
      detail::Examples block = parse(text);
      try {
        ended =
            !take({block.labels.view(), block.row.view(), block.column.view(), block.value.view()});
      } catch (const BadLabel& bad) {
        throw BadText{place_of(text, bad.row, csv ? csv->delimiter() : ""), bad.found,
                      bad.expected};
      }
    });
    whole = all_max(comm_, ended || (stop && stop()) ? 1 : 0) == 0;
  } while (whole && input_.next_file());
  input_.stop_when({});
  if (csv) {
    table_ = csv->table();
    table_.known = true;
    for (const std::string& note : csv->notes(comm_, input_)) notes_.push_back(note);
  }
  if (all_max(comm_, queries.load() ? 1 : 0) != 0)
    notes_.push_back(fmt::format("{}: query ids (qid:N) are ignored", input_.names()));
  return whole;
}

}  // namespace gas::loaders
