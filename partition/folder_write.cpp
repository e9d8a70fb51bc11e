#include <array>
#include <filesystem>
#include <utility>

#include "gas/graph/error.hpp"
#include "partition/edge_cut.hpp"
#include "partition/file.hpp"
#include "partition/folder.hpp"
#include "partition/folder_parts.hpp"
#include "partition/home.hpp"

namespace gas::partition {
namespace {

namespace fs = std::filesystem;

/// part-NUMBER.bin, or what was left of writing one.
bool is_part_file(const fs::path& path) {
  std::string_view name = path.filename().native();
  if (name.ends_with(".partial")) name.remove_suffix(std::string_view(".partial").size());
  if (!name.starts_with("part-") || !name.ends_with(".bin")) return false;
  name.remove_prefix(std::string_view("part-").size());
  name.remove_suffix(std::string_view(".bin").size());
  return name.find_first_not_of("0123456789") == std::string_view::npos;
}

void local_clear(const fs::path& dir) {
  std::error_code error;
  fs::create_directories(dir, error);
  fs::remove(dir / "manifest.json", error);
  std::vector<fs::path> old;
  for (const auto& entry : fs::directory_iterator(dir, error))
    if (is_part_file(entry.path())) old.push_back(entry.path());
  for (const fs::path& path : old)
    if (!error) fs::remove(path, error);
  if (error) throw RunError(dir.string() + ": cannot be written: " + error.message());
}

struct MasterOf {
  Row row;
  Part part;
  std::uint32_t is_target;
};

/// The contents of this rank's parts, in order of part.
std::vector<PartContent> collect_parts(Team& team, const EdgeList& edges, const GraphShape& shape,
                                       const Partition& partition) {
  const auto ranks = static_cast<std::size_t>(team.size());
  const auto to = [&](Part part) {
    return static_cast<std::size_t>(rank_of_part(part, partition.parts, team.size()));
  };
  std::vector<std::vector<PlacedEdge>> edges_out(ranks);
  const std::uint64_t position = sum_before(team, edges.size());
  for (std::size_t i = 0; i < edges.size(); ++i)
    edges_out[to(partition.edge_part[i])].push_back({edges.source[i], edges.target[i], position + i,
                                                     edges.weighted() ? edges.value[i] : 0,
                                                     partition.edge_part[i]});
  std::vector<std::vector<MasterOf>> masters_out(ranks);
  const auto add_masters = [&](HomeRange home, std::span<const Part> masters, std::uint32_t kind) {
    for (std::size_t i = 0; i < masters.size(); ++i)
      masters_out[to(masters[i])].push_back(
          {to_row(home.first(team.rank()) + i), masters[i], kind});
  };
  add_masters(source_home(team, shape), partition.source_master, 0);
  if (shape.bipartite) add_masters(target_home(team, shape), partition.target_master, 1);

  const auto [first, last] = parts_of_rank(team.rank(), partition.parts, team.size());
  const bool weighted = any_weighted(team, edges);
  std::vector<PartContent> contents(last - first);
  for (const auto& block : all_to_all(team, edges_out))  // by rank: in input order
    for (const PlacedEdge& edge : block) {
      PartContent& content = contents[edge.part - first];
      content.edges.source.push_back(edge.source);
      content.edges.target.push_back(edge.target);
      if (weighted) content.edges.value.push_back(edge.value);
      content.position.push_back(edge.position);
    }
  for (const auto& block : all_to_all(team, masters_out))
    for (const MasterOf& master : block) {
      PartContent& content = contents[master.part - first];
      (master.is_target != 0 ? content.target_masters : content.source_masters)
          .push_back(master.row);
    }
  return contents;
}

/// On disk and in the manifest: bytes and checksum of a part.
struct Written {
  std::uint64_t bytes;
  std::array<char, 16> checksum;
};

std::vector<Written> local_write_parts(const fs::path& dir, std::vector<PartContent> contents,
                                       Part first, Part parts) {
  std::vector<Written> written;
  for (PartContent& content : contents) {
    const Part part = first + static_cast<Part>(written.size());
    const Bytes bytes = encode_part(std::exchange(content, {}), part, parts);
    local_write(dir / part_file_name(part), bytes);
    Written& entry = written.emplace_back();
    entry.bytes = bytes.size();
    const std::string sum = checksum(bytes);
    std::copy(sum.begin(), sum.end(), entry.checksum.begin());
  }
  return written;
}

FileEntry local_entry(const fs::path& dir, const std::string& name) {
  const Bytes bytes = local_read(dir / name, no_limit);
  return {name, bytes.size(), checksum(bytes)};
}

}  // namespace

void write_folder(Team& team, const std::string& dir, const EdgeList& edges,
                  const GraphShape& shape, const Partition& partition, const Quality& quality,
                  const Provenance& how) {
  together(team, [&] {
    if (team.rank() == 0) local_clear(dir);
  });
  std::vector<PartContent> contents = collect_parts(team, edges, shape, partition);
  const Part first = parts_of_rank(team.rank(), partition.parts, team.size()).first;
  std::vector<Written> written;
  together(team,
           [&] { written = local_write_parts(dir, std::move(contents), first, partition.parts); });
  Manifest manifest;
  for (const auto& block : all_gather(team, std::span<const Written>(written)))
    for (const Written& file : block)
      manifest.part_files.push_back({part_file_name(static_cast<Part>(manifest.part_files.size())),
                                     file.bytes,
                                     std::string(file.checksum.begin(), file.checksum.end())});
  manifest.shape = shape;
  manifest.edges = all_sum(team, static_cast<std::uint64_t>(edges.size()));
  manifest.weighted = any_weighted(team, edges);
  manifest.edges_checksum = input_checksum(team, edges);
  manifest.parts = partition.parts;
  manifest.method = partition.method;
  manifest.how = how;
  manifest.quality = quality;
  together(team, [&] {
    if (team.rank() != 0) return;
    for (const std::string& name : how.beside) manifest.beside.push_back(local_entry(dir, name));
    const std::string text = manifest_text(manifest);
    local_write(fs::path(dir) / "manifest.json", std::as_bytes(std::span(text)));
  });
}

}  // namespace gas::partition
