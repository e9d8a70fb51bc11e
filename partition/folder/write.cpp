#include <array>
#include <filesystem>
#include <utility>

#include "gas/base/error.hpp"
#include "gas/base/whole_file.hpp"
#include "gas/graph/row_set.hpp"
#include "gas/graph/sorted_rows.hpp"
#include "partition/edge_cut.hpp"
#include "partition/folder/folder.hpp"
#include "partition/folder/parts.hpp"
#include "partition/measure/balance.hpp"

namespace gas::partition {
namespace {

namespace fs = std::filesystem;

/// part-NUMBER.bin, or what was left of writing one.
bool is_part_file(const fs::path& path) {
  const fs::path file = path.filename();
  std::string_view name = file.native();
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

/// The edges as build_graph takes them fastest: by ascending owner end, then by the other, equal
/// ones in their order.
EdgeList by_owner(EdgeList edges, const GraphShape& shape) {
  std::vector<VertexId>& owner = shape.bipartite ? edges.source : edges.target;
  std::vector<VertexId>& other = shape.bipartite ? edges.target : edges.source;
  const RowSet owners(shape.bipartite ? shape.sources : shape.targets, owner);
  for (VertexId& row : owner) row = owners[row];
  const std::uint64_t others = shape.bipartite ? shape.targets : shape.sources;
  SortedRows rows = sort_rows(
      {std::move(owner), std::move(other), std::move(edges.value), std::move(edges.wide_value)},
      owners.size(), others, 1);
  owner.clear();
  owner.reserve(rows.others.size());
  std::size_t number = 0;
  owners.for_each([&](VertexId row) {
    owner.insert(owner.end(), rows.offsets[number + 1] - rows.offsets[number], row);
    ++number;
  });
  other = std::move(rows.others);
  edges.value = std::move(rows.values);
  edges.wide_value = std::move(rows.wide_values);
  return edges;
}

/// The edges of this rank's parts, in order of part, with their `values`, which no rank has unless
/// `weighted`.
template <class Value>
std::vector<PartContent> collect_edges(Communicator& comm, const EdgeList& edges,
                                       const Partition& partition,
                                       std::vector<Value> EdgeList::*values, bool weighted) {
  const auto [first, last] = parts_of_rank(comm.rank(), partition.parts, comm.size());
  const std::vector<std::uint64_t> sizes = edges_per_part(comm, partition);
  std::vector<PartContent> contents(last - first);
  for (Part part = first; part < last; ++part) {
    EdgeList& list = contents[part - first].edges;
    list.source.reserve(sizes[part]);
    list.target.reserve(sizes[part]);
    if (weighted) (list.*values).reserve(sizes[part]);
  }
  struct PlacedEdge {
    VertexId source, target;
    Value value;
    Part part;
  };
  const auto place = [&, first = first](const PlacedEdge& edge) {
    EdgeList& list = contents[edge.part - first].edges;
    list.source.push_back(edge.source);
    list.target.push_back(edge.target);
    if (weighted) (list.*values).push_back(edge.value);
  };
  const auto placed = [&](std::size_t i) {
    return PlacedEdge{edges.source[i], edges.target[i], weighted ? (edges.*values)[i] : Value{0},
                      partition.edge_part[i]};
  };
  if (comm.size() == 1) {
    for (std::size_t i = 0; i < edges.size(); ++i) place(placed(i));
    return contents;
  }
  std::vector<std::vector<PlacedEdge>> out(static_cast<std::size_t>(comm.size()));
  for (std::size_t i = 0; i < edges.size(); ++i)
    out[static_cast<std::size_t>(
            rank_of_part(partition.edge_part[i], partition.parts, comm.size()))]
        .push_back(placed(i));
  for (const auto& block : all_to_all(comm, std::move(out)))  // by rank: in input order
    for (const PlacedEdge& edge : block) place(edge);
  return contents;
}

/// The contents of this rank's parts, in order of part.
std::vector<PartContent> collect_parts(Communicator& comm, const EdgeList& edges,
                                       const GraphShape& shape, const Partition& partition,
                                       RowData rows) {
  const auto [first, last] = parts_of_rank(comm.rank(), partition.parts, comm.size());
  const std::size_t width = value_bytes(comm, edges);
  std::vector<PartContent> contents =
      width == sizeof(double) ? collect_edges(comm, edges, partition, &EdgeList::wide_value, true)
                              : collect_edges(comm, edges, partition, &EdgeList::value, width > 0);
  for (PartContent& content : contents) content.edges = by_owner(std::move(content.edges), shape);
  const auto cut = [&, first = first, last = last](std::uint64_t count, RowTables& tables,
                                                   const std::vector<Part>& masters,
                                                   RowTables PartContent::*kind) {
    tables.masters = masters;
    const auto ends = rank_block_ends(count, partition.parts, comm.size());
    const RowTables mine = regroup(comm, tables, block_ends(count, comm.size()), ends);
    const std::uint64_t begin =
        comm.rank() == 0 ? 0 : ends[static_cast<std::size_t>(comm.rank()) - 1];
    std::vector<std::uint64_t> of_parts = block_ends(count, partition.parts);
    of_parts = {of_parts.begin() + first, of_parts.begin() + last};
    for (std::uint64_t& end : of_parts) end -= begin;
    std::vector<RowTables> pieces = split(mine, of_parts);
    for (std::size_t i = 0; i < pieces.size(); ++i) contents[i].*kind = std::move(pieces[i]);
  };
  cut(shape.sources, rows.sources, partition.source_master, &PartContent::sources);
  if (shape.bipartite)
    cut(shape.targets, rows.targets, partition.target_master, &PartContent::targets);
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
  FileSum sum = local_sum(dir / name);
  return {name, sum.bytes, std::move(sum.checksum)};
}

}  // namespace

Manifest write_parts(Communicator& comm, const std::string& dir, const EdgeList& edges,
                     const GraphShape& shape, const Partition& partition, const Quality& quality,
                     const Provenance& how, const RowData& rows) {
  std::vector<PartContent> contents = collect_parts(comm, edges, shape, partition, rows);
  const Part first = parts_of_rank(comm.rank(), partition.parts, comm.size()).first;
  std::vector<Written> written;
  together(comm,
           [&] { written = local_write_parts(dir, std::move(contents), first, partition.parts); });
  Manifest manifest;
  for (const Written& file : whole(comm, written))
    manifest.part_files.push_back({part_file_name(static_cast<Part>(manifest.part_files.size())),
                                   file.bytes,
                                   std::string(file.checksum.begin(), file.checksum.end())});
  manifest.shape = shape;
  manifest.edges = all_sum(comm, static_cast<std::uint64_t>(edges.size()));
  manifest.value_bytes = value_bytes(comm, edges);
  manifest.sources = {rows.sources.names.kind, rows.sources.names.first, {}, {}};
  manifest.targets = {rows.targets.names.kind, rows.targets.names.first, {}, {}};
  manifest.parts = partition.parts;
  manifest.method = partition.method;
  manifest.how = how;
  manifest.quality = quality;
  return manifest;
}

void write_folder(Communicator& comm, const std::string& dir, const EdgeList& edges,
                  const GraphShape& shape, const Partition& partition, const Quality& quality,
                  const Provenance& how, const RowData& rows) {
  together(comm, [&] {
    if (comm.rank() == 0) local_clear(dir);
  });
  Manifest manifest = write_parts(comm, dir, edges, shape, partition, quality, how, rows);
  together(comm, [&] {
    if (comm.rank() != 0) return;
    for (const std::string& name : how.beside) manifest.beside.push_back(local_entry(dir, name));
    const std::string text = manifest_text(manifest);
    local_write(fs::path(dir) / "manifest.json", std::as_bytes(std::span(text)));
  });
}

}  // namespace gas::partition
