#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "gas/base/error.hpp"
#include "gas/base/page_array.hpp"
#include "gas/base/whole_file.hpp"
#include "partition/folder/folder.hpp"
#include "partition/folder/parts.hpp"

namespace gas::partition {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t manifest_limit = std::uint64_t{1} << 28U;

std::string manifest_path(const std::string& dir) { return fs::path(dir) / "manifest.json"; }

[[noreturn]] void contradiction(const std::string& dir, const char* what) {
  throw located_error(manifest_path(dir), 0, 0, what,
                      "parts that together hold each edge and vertex once: the folder is damaged, "
                      "so cut the graph again");
}

void local_check(const fs::path& path, const FileEntry& file, std::span<const std::byte> bytes) {
  if (bytes.size() != file.bytes)
    throw located_error(path, 0, 0, fmt::format("{} bytes", bytes.size()),
                        fmt::format("{}, as in the manifest", file.bytes));
  if (const std::string found = checksum(bytes); found != file.checksum)
    throw located_error(path, 0, 0, "an altered file (checksum " + found + ")",
                        file.checksum + ", as in the manifest");
}

/// Whether the tables are those of so many rows, named as the manifest says.
bool right(const PartView::Tables& tables, const RowNames& names, std::uint64_t rows, Part parts) {
  const auto lines = std::count(tables.names.text.begin(), tables.names.text.end(), '\n');
  return tables.masters.size() == rows &&
         std::all_of(tables.masters.begin(), tables.masters.end(),
                     [&](Part part) { return part < parts; }) &&
         tables.names.numbers.size() == (names.kind == IdKind::numbers ? rows : 0) &&
         static_cast<std::uint64_t>(lines) == (names.kind == IdKind::names ? rows : 0) &&
         (tables.names.text.empty() || tables.names.text.back() == '\n') &&
         (tables.labels.empty() || tables.labels.size() == rows);
}

/// Adds a part to what was read, once it is known to be whole.
void local_read_part(const std::string& dir, Part part, Stored& stored) {
  const Manifest& manifest = stored.manifest;
  const fs::path path = fs::path(dir) / manifest.part_files[part].name;
  const MappedFile file(path);
  local_check(path, manifest.part_files[part], file.bytes());
  const PartView content = view_part(file.bytes(), part, manifest.parts, path);
  const auto& [source, target, value, wide_value] = content.edges;
  const GraphShape& shape = manifest.shape;
  const auto rows = [&](std::uint64_t count) {
    return BlockDistribution{count, static_cast<int>(manifest.parts)}.count(static_cast<int>(part));
  };
  const auto below = [](std::span<const VertexId> list, std::uint64_t limit) {
    VertexId most = 0;
    for (const VertexId row : list) most = std::max(most, row);
    return list.empty() || most < limit;
  };
  if (!below(source, shape.sources) || !below(target, shape.targets) ||
      (!source.empty() && content.edges.value_bytes() != manifest.value_bytes) ||
      !right(content.sources, manifest.sources, rows(shape.sources), manifest.parts) ||
      !right(content.targets, manifest.targets, shape.bipartite ? rows(shape.targets) : 0,
             manifest.parts))
    contradiction(dir, "edges or vertices outside the graph");
  const auto append = [](auto& list, auto more) {
    list.insert(list.end(), more.begin(), more.end());
  };
  append(stored.edges.source, source);
  append(stored.edges.target, target);
  append(stored.edges.value, value);
  append(stored.edges.wide_value, wide_value);
  stored.partition.edge_part.insert(stored.partition.edge_part.end(), source.size(), part);
  const auto append_tables = [&](RowTables& tables, const PartView::Tables& more) {
    append(tables.masters, more.masters);
    append(tables.names.numbers, more.names.numbers);
    append(tables.names.text, more.names.text);
    append(tables.labels, more.labels);
  };
  append_tables(stored.rows.sources, content.sources);
  append_tables(stored.rows.targets, content.targets);
}

/// Memory for the edges of this rank's parts, by the sizes of their files. What is no file is left
/// for local_read_part to refuse.
void local_reserve(const std::string& dir, Stored& stored, std::pair<Part, Part> parts) {
  const Manifest& manifest = stored.manifest;
  std::uint64_t bytes = 0;
  for (Part part = parts.first; part < parts.second; ++part) {
    std::error_code error;
    const auto size = fs::file_size(fs::path(dir) / manifest.part_files[part].name, error);
    if (!error) bytes += size;
  }
  const std::uint64_t edges = std::min(manifest.edges, bytes / (8 + manifest.value_bytes));
  const auto make_room = [&](auto& list) {
    list.reserve(edges);
    fill_soon(list.data(), edges * sizeof(list[0]));
  };
  make_room(stored.edges.source);
  make_room(stored.edges.target);
  if (manifest.value_bytes == sizeof(float)) make_room(stored.edges.value);
  if (manifest.value_bytes == sizeof(double)) make_room(stored.edges.wide_value);
  make_room(stored.partition.edge_part);
}

}  // namespace

Manifest read_manifest(Communicator& comm, const std::string& dir) {
  const std::string path = manifest_path(dir);
  Bytes bytes;
  together(comm, [&] {
    if (comm.rank() != 0) return;
    std::error_code error;
    if (!fs::is_directory(dir, error))
      throw located_error(dir, 0, 0, "no such folder", "a partition folder");
    bytes = local_read(path, manifest_limit);
  });
  const std::string text =
      broadcast_text(comm, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  Manifest manifest;
  together(comm, [&] {
    manifest = parse_manifest(text, path);
    if (comm.rank() == 0)
      for (const FileEntry& file : manifest.beside) {
        const fs::path beside = fs::path(dir) / file.name;
        local_check(beside, file, MappedFile(beside).bytes());
      }
  });
  return manifest;
}

Stored read_folder(Communicator& comm, const std::string& dir) {
  Stored stored;
  Manifest& manifest = stored.manifest;
  manifest = read_manifest(comm, dir);
  stored.partition.parts = manifest.parts;
  stored.partition.method = manifest.method;
  together(comm, [&] {
    if (manifest.parts < static_cast<Part>(comm.size()))
      throw located_error(manifest_path(dir), 0, 0, fmt::format("{} parts", manifest.parts),
                          fmt::format("at least one for each of {} ranks", comm.size()));
    const auto [first, last] = parts_of_rank(comm.rank(), manifest.parts, comm.size());
    local_reserve(dir, stored, {first, last});
    for (Part part = first; part < last; ++part) local_read_part(dir, part, stored);
  });
  const std::uint64_t count = all_sum(comm, static_cast<std::uint64_t>(stored.edges.size()));
  together(comm, [&] {
    if (count != manifest.edges) contradiction(dir, "too few or too many edges");
  });
  const auto to_owners = [&](std::uint64_t rows, const RowNames& names, RowTables& tables,
                             std::vector<Part>& masters) {
    tables.names.kind = names.kind;
    tables.names.first = names.first;
    tables = regroup(comm, tables, rank_block_ends(rows, manifest.parts, comm.size()),
                     block_ends(rows, comm.size()));
    masters = std::move(tables.masters);
  };
  to_owners(manifest.shape.sources, manifest.sources, stored.rows.sources,
            stored.partition.source_master);
  if (manifest.shape.bipartite)
    to_owners(manifest.shape.targets, manifest.targets, stored.rows.targets,
              stored.partition.target_master);
  return stored;
}

}  // namespace gas::partition
