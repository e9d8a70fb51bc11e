#pragma once

#include <span>
#include <string>

#include "gas/base/communicator.hpp"
#include "gas/graph/edge_list.hpp"
#include "partition/folder/row_data.hpp"

namespace gas::partition {

/// What one part's file holds: the edges of the part, and the tables of a block of the rows of each
/// kind, part's of BlockDistribution{rows, parts}. The layout, little-endian: 16 64-bit words (the
/// letters "GASPART2", part, parts, 0 if edges have no values, 1 if floats, 2 if doubles, then the
/// lengths of the arrays in their order, 0), and the arrays, each padded to 64-bit words: source
/// and target of each edge (32 bits, in input order), values (32-bit or 64-bit floats); then of
/// sources, after them of targets, the parts of their masters (32 bits), ids (64 bits) or names,
/// labels (64-bit floats). What there is none of has length 0. A mapped file can be used in place.
struct PartContent {
  EdgeList edges;  // by owner end (build_graph), then the other, then in input order
  RowTables sources, targets;
};

/// The same where it lies in a mapped file.
struct PartView {
  struct Edges {
    std::span<const VertexId> source, target;
    std::span<const float> value;
    std::span<const double> wide_value;  // one of the two, as in EdgeList

    std::size_t value_bytes() const {
      return !value.empty() ? sizeof(float) : !wide_value.empty() ? sizeof(double) : 0;
    }
  } edges;
  struct Tables {
    std::span<const Part> masters;
    struct Names {
      std::span<const std::uint64_t> numbers;
      std::span<const char> text;
    } names;
    std::span<const double> labels;
  } sources, targets;
};

/// "part-00007.bin"
std::string part_file_name(Part part);

Bytes encode_part(const PartContent& content, Part part, Part parts);

/// InputError naming `path` unless `bytes`, which begin at a multiple of 8, are the file of this
/// part. Numbers inside are not looked at.
PartView view_part(std::span<const std::byte> bytes, Part part, Part parts,
                   const std::string& path);

}  // namespace gas::partition
