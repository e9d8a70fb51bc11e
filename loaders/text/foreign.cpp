#include "loaders/text/foreign.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>

#include "gas/base/error.hpp"
#include "loaders/text/byte_stream.hpp"

namespace gas::loaders {
namespace {

using namespace std::string_view_literals;

struct Kind {
  std::string_view start;
  const char* found;
  const char* expected;
};

constexpr const char* as_table = "text or npy (pandas and DuckDB write it as CSV)";
constexpr const char* as_edges = "an edge list (networkx and Gephi write it)";
constexpr const char* as_text = "UTF-8 (iconv -f UTF-16 -t UTF-8 makes it)";

constexpr std::array binary{
    Kind{"PAR1\x15"sv, "a Parquet file", as_table},
    Kind{"ARROW1\0"sv, "an Arrow file", as_table},
    Kind{"SQLite format 3"sv, "an SQLite database", as_table},
    Kind{"\x89HDF\r\n\x1a\n"sv, "an HDF5 file", "text or npy (h5py and numpy.save make it)"},
    Kind{"PK\x03\x04"sv, "a zip file (npz, xlsx and others)",
         "text, npy, gzip or zstd (unzip unpacks it)"},
    Kind{"\xfd"
         "7zXZ\0"sv,
         "an xz file", "text, npy, gzip or zstd (xz -d unpacks it)"},
    Kind{"BZh"sv, "a bzip2 file", "text, npy, gzip or zstd (bunzip2 unpacks it)"},
    Kind{"7z\xbc\xaf\x27\x1c"sv, "a 7z file", "text, npy, gzip or zstd (7z x unpacks it)"},
    Kind{"\x04\x22\x4d\x18"sv, "an lz4 file", "text, npy, gzip or zstd (lz4 -d unpacks it)"},
    Kind{"\x1f\x9d"sv, "a file packed by compress", "text, npy, gzip or zstd"},
    Kind{"\xff\xfe"sv, "UTF-16 text", as_text},
    Kind{"\xfe\xff"sv, "UTF-16 text", as_text},
    Kind{"%PDF-"sv, "a PDF file", "text or npy"},
    Kind{"MATLAB 5.0 MAT-file"sv, "a MATLAB file",
         "text or npy (scipy.io.loadmat and numpy.save make it)"},
};

constexpr std::array text_kinds{
    Kind{"{\""sv, "JSON", "a table (jq and pandas write JSON as CSV)"},
    Kind{"{'"sv, "JSON", "a table (jq and pandas write JSON as CSV)"},
    Kind{"[{"sv, "JSON", "a table (jq and pandas write JSON as CSV)"},
    Kind{"[["sv, "JSON", "a table (jq and pandas write JSON as CSV)"},
    Kind{"<?xml"sv, "XML", "a table"},
    Kind{"<!DOCTYPE"sv, "a web page", "a table"},
    Kind{"<!doctype"sv, "a web page", "a table"},
    Kind{"<html"sv, "a web page", "a table"},
    Kind{"*Vertices"sv, "a Pajek network", as_edges},
    Kind{"*vertices"sv, "a Pajek network", as_edges},
    Kind{"*Network"sv, "a Pajek network", as_edges},
    Kind{"*network"sv, "a Pajek network", as_edges},
    Kind{"nodedef>"sv, "a GDF graph", as_edges},
    Kind{"digraph {"sv, "a DOT graph", as_edges},
    Kind{"graph {"sv, "a DOT graph", as_edges},
    Kind{"graph ["sv, "a GML graph", as_edges},
    Kind{"sep="sv, "Excel's line about the separator", "a table without it (tail -n +2 drops it)"},
};

/// A line "graph" or "graph [", which may follow others, such as `Creator "…"`.
bool is_gml(std::string_view start) {
  std::string_view before;
  for (std::string_view rest = start; !rest.empty();) {
    std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    while (line.ends_with('\r') || line.ends_with(' ')) line.remove_suffix(1);
    line.remove_prefix(std::min(line.size(), line.find_first_not_of(' ')));
    if (line == "graph [" || (line == "[" && before == "graph")) return true;
    before = line;
  }
  return false;
}

/// By name, since nothing in the files tells.
constexpr std::array of_bytes{".bvecs"sv, ".u8bin"sv, ".i8bin"sv};

/// Lines of comments, which begin with "c", and then that of the problem, such as "p sp 6 8".
bool is_dimacs(std::string_view start) {
  while (start.starts_with("c ") || start.starts_with("c\n") || start.starts_with("c\r\n")) {
    const std::size_t end = start.find('\n');
    if (end == start.npos) return false;
    start.remove_prefix(end + 1);
  }
  constexpr std::array problems{"p sp "sv,  "p edge "sv, "p col "sv,
                                "p max "sv, "p min "sv,  "p asn "sv};
  return std::ranges::any_of(problems, [&](std::string_view line) {
    return start.starts_with(line) && start.size() > line.size() && start[line.size()] >= '0' &&
           start[line.size()] <= '9';
  });
}

void refuse(const std::string& path, std::string_view start, std::span<const Kind> kinds) {
  for (const Kind& kind : kinds)
    if (start.starts_with(kind.start))
      throw located_error(shown(path), 0, 0, std::string("what looks like ") + kind.found,
                          kind.expected);
}

}  // namespace

void refuse_foreign_bytes(const std::string& path, std::string_view start) {
  if (begins_with_numbers(unpacked_name(path))) return;
  // "BZh" may begin a word; a digit and the magic number of a block follow it in a file.
  if (start.starts_with("BZh"sv) && (start.size() < 10 || start.substr(4, 2) != "1A"sv)) return;
  refuse(path, start, binary);
  if (start.size() > 262 && start.substr(257, 5) == "ustar"sv)
    throw located_error(shown(path), 0, 0, "what looks like a tar archive",
                        "text, npy, gzip or zstd (tar -xf unpacks it)");
  for (const std::string_view ending : of_bytes)
    if (unpacked_name(path).ends_with(ending))
      throw located_error(shown(path), 0, 0, fmt::format("a file of bytes ({})", ending),
                          "text, npy, fbin or fvecs (numpy.fromfile and numpy.save make npy)");
  // Without a byte order mark: every other byte of Latin text is 0.
  const auto zero = [&](std::size_t i) { return start[i] == '\0'; };
  const auto every_other = [&](std::size_t first) {
    for (std::size_t i = 0; i < 8; ++i)
      if (zero(i) != (i % 2 == first)) return false;
    return true;
  };
  if (start.size() >= 8 && (every_other(0) || every_other(1)))
    throw located_error(shown(path), 0, 0, "what looks like UTF-16 text", as_text);
}

void refuse_foreign_text(const std::string& path, std::string_view start) {
  if (begins_with_numbers(unpacked_name(path))) return;
  if (start.starts_with("\xef\xbb\xbf"sv)) start.remove_prefix(3);
  start.remove_prefix(std::min(start.size(), start.find_first_not_of(" \t\r\n")));
  if (start.starts_with('{') || start.starts_with('[')) {
    // A lone bracket in its line, or blanks before what is inside.
    std::string tight;
    for (const char c : start)
      if (c != ' ' && c != '\t' && c != '\r' && c != '\n') tight += c;
    refuse(path, tight, text_kinds);
  }
  refuse(path, start, text_kinds);
  if (is_gml(start))
    throw located_error(shown(path), 0, 0, "what looks like a GML graph", as_edges);
  if (is_dimacs(start))
    throw located_error(shown(path), 0, 0, "what looks like a DIMACS graph",
                        "an edge list (awk '/^[ae] /{print $2, $3, $4}' makes it)");
}

}  // namespace gas::loaders
