#pragma once

#include <string>
#include <vector>

#include "gas/graph/edge_list.hpp"
#include "partition/folder/input_identity.hpp"
#include "partition/folder/row_data.hpp"
#include "partition/measure/quality.hpp"

namespace gas::partition {

/// A file of the folder.
struct FileEntry {
  std::string name;
  std::uint64_t bytes = 0;
  std::string checksum;  // as gas/base/whole_file.hpp
};

/// How a stored partition came about, and what lies beside it.
struct Provenance {
  std::uint64_t seed = 1;
  double imbalance_percent = 5;
  std::string vertex_weights = "degree";  // what that counts: or none, or given
  InputIdentity input = {};
  std::string format = {};  // that it was read as
  bool pairs = false;       // by its format its edges are pairs, to count in both directions
  bool undirected = false;  // the edges are both arcs of each pair
  bool declared = false;    // it was said which vertices there are, with edges or without
  std::vector<std::string> beside = {};  // other files in the folder (ids.txt), written before
};

/// What a folder says of itself: manifest.json.
struct Manifest {
  GraphShape shape;
  std::uint64_t edges = 0;
  std::uint64_t value_bytes = 0;  // of an edge: 4 or 8, or 0 without values
  RowNames sources, targets;      // kind and first id
  Part parts = 1;
  std::string method;
  Provenance how;
  Quality quality;
  std::vector<FileEntry> part_files;  // by part
  std::vector<FileEntry> beside;
};

/// The text of manifest.json, as manifest_json.hpp puts it together.
std::string manifest_text(const Manifest& manifest);

/// InputError naming `path` if the text is damaged, foreign, of a newer format, or of no partition.
Manifest parse_manifest(const std::string& text, const std::string& path);

}  // namespace gas::partition
