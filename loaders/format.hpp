#pragma once

#include <string>
#include <string_view>

#include "gas/base/suggestion.hpp"

namespace gas::loaders {

/// What a file is written in. `automatic`: found by detect_format.
enum class Format {
  automatic,
  edges,
  libsvm,
  vw,
  csv,
  ldac,
  docword,
  dense,
  npy,
  idx,
  fbin,
  fvecs,
  mtx,
  metis,
  hmetis
};

/// Whether it holds points, not a graph.
constexpr bool holds_points(Format format) {
  return format == Format::dense || format == Format::npy || format == Format::idx ||
         format == Format::fbin || format == Format::fvecs;
}

/// Whether a file says how many vertices there are, so that it stands for itself.
constexpr bool declares_sizes(Format format) {
  return format == Format::docword || format == Format::mtx || format == Format::metis ||
         format == Format::hmetis;
}

/// Whether its rows have labels.
constexpr bool has_labels(Format format) {
  return format == Format::libsvm || format == Format::vw || format == Format::csv;
}

/// The name on the command line.
std::string_view format_name(Format format);

/// The format of that name; UsageError, naming the nearest known one, if there is none.
Format parse_format(std::string_view name);

/// What `automatic` means for a file that begins with the bytes `start` (after decompression, at
/// least 16 unless the file is shorter): magic bytes, then the extension before .gz or .zst, then
/// `fallback`. .csv and .tsv mean dense or csv where `fallback` does, else edges. InputError if it
/// is recognised as something that is not read here.
Format detect_format(const std::string& path, std::string_view start, Format fallback);

}  // namespace gas::loaders
