#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "gas/graph/error.hpp"
#include "partition/edge_cut.hpp"
#include "partition/file.hpp"
#include "partition/folder.hpp"
#include "partition/folder_parts.hpp"

namespace gas::partition {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t manifest_limit = std::uint64_t{1} << 28U;

std::string manifest_path(const std::string& dir) { return fs::path(dir) / "manifest.json"; }

[[noreturn]] void contradiction(const std::string& dir, const char* what) {
  throw located_error(manifest_path(dir), 0, 0, what, "parts that make up the graph");
}

Bytes local_read_entry(const fs::path& path, const FileEntry& file) {
  Bytes bytes = local_read(path, file.bytes);
  if (bytes.size() != file.bytes)
    throw located_error(path, 0, 0, fmt::format("{} bytes", bytes.size()),
                        fmt::format("{}, as in the manifest", file.bytes));
  if (checksum(bytes) != file.checksum)
    throw located_error(path, 0, 0, "an altered file (checksum " + checksum(bytes) + ")",
                        file.checksum + ", as in the manifest");
  return bytes;
}

/// This rank's parts, in order of part; rows and positions are in range.
std::vector<PartContent> local_read_parts(const std::string& dir, const Manifest& manifest,
                                          std::pair<Part, Part> range) {
  std::vector<PartContent> contents;
  for (Part part = range.first; part < range.second; ++part) {
    const fs::path path = fs::path(dir) / manifest.part_files[part].name;
    const Bytes bytes = local_read_entry(path, manifest.part_files[part]);
    PartContent content = decode_part(bytes, part, manifest.parts, path);
    const auto below = [](const auto& values, std::uint64_t limit) {
      return std::all_of(values.begin(), values.end(),
                         [&](std::uint64_t value) { return value < limit; });
    };
    const std::uint64_t targets = manifest.shape.bipartite ? manifest.shape.targets : 0;
    if (!below(content.edges.source, manifest.shape.sources) ||
        !below(content.edges.target, manifest.shape.targets) ||
        !below(content.position, manifest.edges) ||
        !below(content.source_masters, manifest.shape.sources) ||
        !below(content.target_masters, targets) ||
        (content.edges.size() > 0 && content.edges.weighted() != manifest.weighted))
      contradiction(dir, "edges or vertices outside the graph");
    contents.push_back(std::move(content));
  }
  return contents;
}

std::vector<PlacedEdge> placed_edges(const std::vector<PartContent>& contents, Part part) {
  std::vector<PlacedEdge> placed;
  for (const PartContent& content : contents) {
    const EdgeList& edges = content.edges;
    for (std::size_t i = 0; i < edges.size(); ++i)
      placed.push_back({edges.source[i], edges.target[i], content.position[i],
                        edges.weighted() ? edges.value[i] : 0, part});
    ++part;
  }
  return placed;
}

/// The masters of this rank's home rows. Collective.
std::vector<Part> masters_home(Team& team, const std::string& dir, HomeRange home,
                               const std::vector<PartContent>& contents, Part part,
                               std::vector<Row> PartContent::*rows) {
  struct MasterOf {
    Row row;
    Part part;
  };
  std::uint64_t stored = 0;
  for (const PartContent& content : contents) stored += (content.*rows).size();
  stored = all_sum(team, stored);
  together(team, [&] {
    if (stored != home.rows) contradiction(dir, "vertices without a master or with several");
  });
  std::vector<std::vector<MasterOf>> out(static_cast<std::size_t>(team.size()));
  for (const PartContent& content : contents) {
    for (const Row row : content.*rows)
      out[static_cast<std::size_t>(home.home(row))].push_back({row, part});
    ++part;
  }
  std::vector<Part> masters(home.count(team.rank()), no_part);
  for (const auto& block : all_to_all(team, out))
    for (const MasterOf& master : block)
      masters[master.row - home.first(team.rank())] = master.part;
  together(team, [&] {
    if (std::count(masters.begin(), masters.end(), no_part) != 0)
      contradiction(dir, "vertices without a master or with several");
  });
  return masters;
}

/// Edges with their parts, as read by this rank, and a Partition that still lacks edge_part.
struct Read {
  std::vector<PlacedEdge> edges;
  Partition partition;
};

Read read_parts(Team& team, const std::string& dir, const Manifest& manifest) {
  const auto range = parts_of_rank(team.rank(), manifest.parts, team.size());
  std::vector<PartContent> contents;
  together(team, [&] { contents = local_read_parts(dir, manifest, range); });
  Read read;
  read.partition.parts = manifest.parts;
  read.partition.method = manifest.method;
  read.partition.source_master = masters_home(team, dir, source_home(team, manifest.shape),
                                              contents, range.first, &PartContent::source_masters);
  if (manifest.shape.bipartite)
    read.partition.target_master =
        masters_home(team, dir, target_home(team, manifest.shape), contents, range.first,
                     &PartContent::target_masters);
  read.edges = placed_edges(contents, range.first);
  std::uint64_t sum = 0;
  for (const PlacedEdge& edge : read.edges) sum += edge_checksum(edge);
  const std::uint64_t count = all_sum(team, static_cast<std::uint64_t>(read.edges.size()));
  const std::string found = edges_checksum(team, sum);
  together(team, [&] {
    if (count != manifest.edges || found != manifest.edges_checksum)
      contradiction(dir, "edges missing or in excess");
  });
  return read;
}

}  // namespace

Manifest read_manifest(Team& team, const std::string& dir) {
  const std::string path = manifest_path(dir);
  Bytes bytes;
  together(team, [&] {
    if (team.rank() != 0) return;
    std::error_code error;
    if (!fs::is_directory(dir, error))
      throw located_error(dir, 0, 0, "no such folder", "a partition folder");
    bytes = local_read(path, manifest_limit);
  });
  const auto text = broadcast(team, std::span<const std::byte>(bytes));
  Manifest manifest;
  together(team, [&] {
    const auto* letters = reinterpret_cast<const char*>(text.data());
    manifest = parse_manifest(std::string(letters, text.size()), path);
    if (team.rank() == 0)
      for (const FileEntry& file : manifest.beside)
        local_read_entry(fs::path(dir) / file.name, file);
  });
  return manifest;
}

Stored read_folder(Team& team, const std::string& dir) {
  Stored stored;
  stored.manifest = read_manifest(team, dir);
  Read read = read_parts(team, dir, stored.manifest);
  std::sort(read.edges.begin(), read.edges.end(),
            [](const PlacedEdge& a, const PlacedEdge& b) { return a.position < b.position; });
  stored.partition = std::move(read.partition);
  for (const PlacedEdge& edge : read.edges) {
    stored.edges.source.push_back(edge.source);
    stored.edges.target.push_back(edge.target);
    if (stored.manifest.weighted) stored.edges.value.push_back(edge.value);
    stored.partition.edge_part.push_back(edge.part);
  }
  return stored;
}

Partition attach_folder(Team& team, const std::string& dir, const EdgeList& edges,
                        const GraphShape& shape) {
  const Manifest manifest = read_manifest(team, dir);
  const std::string found = input_checksum(team, edges);
  const std::vector<std::uint64_t> shares =
      all_gather(team, static_cast<std::uint64_t>(edges.size()));
  std::vector<std::uint64_t> end;  // of each rank's share
  for (const std::uint64_t share : shares) end.push_back((end.empty() ? 0 : end.back()) + share);
  together(team, [&] {
    const GraphShape& stored = manifest.shape;
    if (found != manifest.edges_checksum || end.back() != manifest.edges ||
        shape.sources != stored.sources || shape.targets != stored.targets ||
        shape.bipartite != stored.bipartite)
      throw located_error(
          manifest_path(dir), 0, 0,
          fmt::format("the partition of another input ({} edges, checksum {})", manifest.edges,
                      manifest.edges_checksum),
          fmt::format("that of this one ({} edges, checksum {})", end.back(), found));
  });

  struct PartAt {
    std::uint64_t position;
    Part part;
  };
  Read read = read_parts(team, dir, manifest);
  std::vector<std::vector<PartAt>> out(shares.size());
  for (const PlacedEdge& edge : read.edges) {
    const auto rank = std::upper_bound(end.begin(), end.end(), edge.position) - end.begin();
    out[static_cast<std::size_t>(rank)].push_back({edge.position, edge.part});
  }
  Partition partition = std::move(read.partition);
  partition.edge_part.assign(edges.size(), no_part);
  const std::uint64_t first = end[static_cast<std::size_t>(team.rank())] - edges.size();
  for (const auto& block : all_to_all(team, out))
    for (const PartAt& at : block) partition.edge_part[at.position - first] = at.part;
  together(team, [&] {
    const auto& parts = partition.edge_part;
    if (std::count(parts.begin(), parts.end(), no_part) != 0)
      contradiction(dir, "edges missing or in excess");
  });
  return partition;
}

}  // namespace gas::partition
