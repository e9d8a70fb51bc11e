#include "loaders/format.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "gas/base/error.hpp"
#include "loaders/text/byte_stream.hpp"

namespace gas::loaders {
namespace {

constexpr std::array<std::string_view, 15> format_names{
    "auto", "edges", "libsvm", "vw",    "csv", "ldac",  "docword", "dense",
    "npy",  "idx",   "fbin",   "fvecs", "mtx", "metis", "hmetis"};

}  // namespace

std::string_view format_name(Format format) {
  return format_names[static_cast<std::size_t>(format)];
}

Format parse_format(std::string_view name) {
  const auto at = std::find(format_names.begin(), format_names.end(), name);
  if (at == format_names.end())
    throw UsageError(fmt::format("unknown format '{}' (known: {}){}", name,
                                 fmt::join(format_names, ", "), suggestion(name, format_names)));
  return static_cast<Format>(at - format_names.begin());
}

namespace {

/// As much of the banner as there is room for behind a byte order mark; in any case of letters.
bool is_banner(std::string_view start) {
  constexpr std::string_view banner = "%%matrixmarke";
  if (start.starts_with("\xef\xbb\xbf")) start.remove_prefix(3);
  return start.size() >= banner.size() &&
         std::ranges::equal(start.substr(0, banner.size()), banner, {},
                            [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
}

}  // namespace

Format detect_format(const std::string& path, std::string_view start, Format fallback) {
  using namespace std::string_view_literals;
  if (start.starts_with("\x93NUMPY"sv)) return Format::npy;
  if (is_banner(start)) return Format::mtx;
  std::string_view name = unpacked_name(path);
  name.remove_prefix(std::min(name.size(), name.find_last_of('/') + 1));
  // Before the magic bytes of IDX, which may be the lower bytes of how many rows there are.
  if (name.ends_with(".fbin"sv)) return Format::fbin;
  if (name.ends_with(".fvecs"sv)) return Format::fvecs;
  if (start.size() >= 4 && start[0] == 0 && start[1] == 0 && start[2] >= 8 && start[2] <= 14)
    return Format::idx;
  if (name.starts_with("docword."sv)) return Format::docword;
  if (name.ends_with(".svm"sv) || name.ends_with(".libsvm"sv)) return Format::libsvm;
  if (name.ends_with(".vw"sv)) return Format::vw;
  if (name.ends_with(".ldac"sv)) return Format::ldac;
  if (name.ends_with(".npy"sv)) return Format::npy;
  if (name.ends_with(".mtx"sv)) return Format::mtx;
  if (name.ends_with(".graph"sv)) return Format::metis;
  if (name.ends_with(".hgr"sv)) return Format::hmetis;
  if (name.ends_with(".csv"sv) || name.ends_with(".tsv"sv))
    return fallback == Format::dense || fallback == Format::csv ? fallback : Format::edges;
  return fallback;
}

}  // namespace gas::loaders
