#pragma once

#include <string>
#include <vector>

#include "gas/graph/edge_list.hpp"
#include "gas/graph/team.hpp"

namespace gas::partition {

/// What one part's file holds. The layout, little-endian: eight 64-bit words (the letters
/// "GASPART1", part, parts, 1 if edges have values else 0, counts of edges, source masters and
/// target masters, 0), then arrays of 64-bit words: source, target and input position of each edge,
/// in input order, source masters, target masters; then the edges' values as 32-bit floats, if any.
/// All arrays are aligned to their words: a mapped file can be used in place.
struct PartContent {
  EdgeList edges;
  std::vector<std::uint64_t> position;  // of each edge in the input, all ranks' shares as one
  std::vector<Row> source_masters;      // rows whose master is here, ascending
  std::vector<Row> target_masters;
};

/// "part-00007.bin"
std::string part_file_name(Part part);

Bytes encode_part(const PartContent& content, Part part, Part parts);

/// InputError naming `path` unless `bytes` are the file of this part.
PartContent decode_part(std::span<const std::byte> bytes, Part part, Part parts,
                        const std::string& path);

}  // namespace gas::partition
