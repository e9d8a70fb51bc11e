#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>

namespace gas::loaders {

/// Some of the bytes of INPUT, which tell about how much there is of everything in the whole.
struct TextSample {
  /// The beginning of the first file, unpacked: 128 KiB, or two lines where these are longer.
  std::string start;
  /// Whole lines, in their order: of plain files from all over, of packed ones from the beginning;
  /// about 1 MiB in all, or everything where there is less.
  std::string text;
  double bytes = 0;       // of all files, unpacked; of packed ones as far as that can be told
  bool at_ends = true;    // the last lines are among them
  bool streamed = false;  // rank 0 reads and hands on, since a file is packed or there are several

  /// How often the sample goes into the whole.
  double times() const { return text.empty() ? 0 : bytes / static_cast<double>(text.size()); }
  /// How many of what a header declares there may be, if each takes at least a byte; reading says
  /// where there are fewer.
  double at_most(double declared) const { return at_ends ? std::min(declared, bytes) : declared; }
};

/// InputError for a file that cannot be read. Standard input is not a file to look into. Local.
TextSample sample_text(std::span<const std::string> paths);

}  // namespace gas::loaders
