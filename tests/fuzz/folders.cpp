#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <tuple>

#include "gas/base/error.hpp"
#include "gas/base/whole_file.hpp"
#include "partition/folder/folder.hpp"
#include "partition/folder/manifest_json.hpp"
#include "partition/folder/part_file.hpp"
#include "tests/fuzz/harness.hpp"
#include "tests/fuzz/targets.hpp"
#include "tools/support/output/model_folder.hpp"
#include "tools/support/output/run_manifest.hpp"

namespace gas_fuzz {
namespace {

using namespace gas;
namespace fs = std::filesystem;

constexpr const char* name = "manifest.json";

/// The text with the checksum that it needs, if it is JSON at all: past the checksum is where
/// damage can do harm.
std::string sealed(std::string_view text) {
  partition::Json json = partition::Json::parse(text, nullptr, false);
  if (!json.is_object()) return std::string(text);
  for (const char* key : {"format", "schema", "checksum"}) json.erase(key);
  return partition::seal(json);
}

std::string empty_folder() {
  const std::string folder = scratch() + "/folder";
  fs::remove_all(folder);
  fs::create_directory(folder);
  return folder;
}

/// The whole partition as read, edges in the order of the parts.
std::string told(Communicator& comm, const partition::Stored& stored) {
  const partition::Manifest& manifest = stored.manifest;
  const EdgeList& edges = stored.edges;
  const std::uint64_t targets =
      manifest.shape.bipartite ? manifest.shape.targets : manifest.shape.sources;
  expect(stored.partition.edge_part.size() == edges.size(), "a part for every edge");
  for (std::size_t e = 0; e < edges.size(); ++e)
    expect(edges.source[e] < manifest.shape.sources && edges.target[e] < targets &&
               stored.partition.edge_part[e] < manifest.parts,
           "edges inside the graph");
  for (const auto* masters : {&stored.partition.source_master, &stored.partition.target_master})
    expect(std::ranges::all_of(*masters, [&](Part part) { return part < manifest.parts; }),
           "masters on parts");
  std::string text;
  tell(text, comm, edges.source);
  tell(text, comm, edges.target);
  tell(text, comm, edges.value);
  tell(text, comm, edges.wide_value);
  tell(text, comm, stored.partition.edge_part);
  tell(text, comm, stored.partition.source_master);
  tell(text, comm, stored.partition.target_master);
  for (const auto* tables : {&stored.rows.sources, &stored.rows.targets}) {
    tell(text, comm, tables->names.numbers);
    tell(text, comm, tables->names.text);
    tell(text, comm, tables->labels);
  }
  return text;
}

std::string read_on(int ranks, const std::string& folder) {
  return on_ranks(
      ranks, [&](Communicator& comm) { return told(comm, partition::read_folder(comm, folder)); });
}

}  // namespace

/// manifest.json of a partition and of a run; what was read is written as it was read.
void manifest(std::string_view data) {
  for (const std::string& text : {std::string(data), sealed(data)}) {
    try {
      const partition::Manifest read = partition::parse_manifest(text, name);
      const std::string written = partition::manifest_text(read);
      expect(partition::manifest_text(partition::parse_manifest(written, name)) == written,
             "read as written");
    } catch (const InputError&) {
    }
    try {
      tools::parse_run_manifest(text, name);
    } catch (const InputError&) {
    }
  }
}

/// A folder that claims to be a model.
void model(std::string_view data) {
  const std::string folder = empty_folder();
  write_file(folder + "/a", "1\n2\n");
  write_file(folder + "/parameter_ids.txt", "1\n2\n");
  write_file(folder + "/" + name, sealed(data));
  on_ranks(1, [&](Communicator& comm) {
    const tools::ModelFolder model(comm, folder, "gas-als");
    const auto ids = model.ids(comm, 2);
    expect(ids.size() == 2, "an id each");
    return std::to_string(model.facts().number("lambda")) + ids[0];
  });
}

/// The file of the only part, with a manifest to match: the first bytes say what that claims.
void part_file(std::string_view data) {
  partition::Manifest manifest;
  std::array<std::uint8_t, 4> claims{};
  if (data.size() < claims.size()) return;
  std::memcpy(claims.data(), data.data(), claims.size());
  data.remove_prefix(claims.size());
  const auto bytes = std::as_bytes(std::span(data));
  const auto kind = [](unsigned bits) { return static_cast<IdKind>(bits % 3); };
  manifest.shape = {claims[0], claims[1], (claims[2] & 1U) != 0};
  if (!manifest.shape.bipartite) manifest.shape.targets = manifest.shape.sources;
  manifest.sources.kind = kind(claims[2] >> 1U);
  manifest.targets.kind = kind(claims[2] >> 3U);
  manifest.value_bytes = (claims[2] >> 5U) % 3 * 4;
  manifest.edges = claims[3];
  manifest.method = "hash";
  const std::string folder = empty_folder();
  manifest.part_files = {{partition::part_file_name(0), data.size(), gas::checksum(bytes)}};
  write_file(folder + "/" + manifest.part_files[0].name, data);
  write_file(folder + "/" + name, partition::manifest_text(manifest));
  read_on(1, folder);
  read_on(2, folder);  // too many ranks
}

/// A small graph, cut, written, read again, on other ranks as well.
void partition(std::string_view data) {
  std::array<std::uint8_t, 6> settings{};
  if (data.size() < settings.size() || data.size() > 400) return;
  std::memcpy(settings.data(), data.data(), settings.size());
  data.remove_prefix(settings.size());
  const std::uint64_t rows = settings[0] % 24U + 1, columns = settings[1] % 24U + 1;
  const bool bipartite = (settings[2] & 1U) != 0;
  const GraphShape shape{rows, bipartite ? columns : rows, bipartite};
  const unsigned values = (settings[2] >> 1U) % 3;
  const auto methods = partition::methods();
  partition::Options options{std::string(methods[settings[3] % methods.size()].name),
                             settings[4] % 7U + 1, static_cast<double>(settings[5]), settings[2]};
  EdgeList edges;
  edges.both_ways = !bipartite && (settings[2] & 8U) != 0;
  for (std::size_t i = 0; i + 1 < data.size(); i += 2) {
    const auto byte = [&](std::size_t at) { return static_cast<std::uint8_t>(data[at]); };
    edges.source.push_back(to_vertex_id(byte(i) % shape.sources));
    edges.target.push_back(to_vertex_id(byte(i + 1) % shape.targets));
    if (values == 1) edges.value.push_back(static_cast<float>(byte(i)) / 4);
    if (values == 2) edges.wide_value.push_back(static_cast<double>(byte(i)) / 3);
  }
  const int ranks = static_cast<int>(std::min<std::uint64_t>(1 + settings[5] % 3U, options.parts));
  const std::string folder = empty_folder();
  const auto share = [&](const auto& all, const Communicator& comm) {
    const BlockDistribution blocks{all.size(), comm.size()};
    const auto first = all.begin() + static_cast<std::ptrdiff_t>(blocks.first(comm.rank()));
    return std::decay_t<decltype(all)>(
        first, first + static_cast<std::ptrdiff_t>(blocks.count(comm.rank())));
  };
  using Edge = std::tuple<VertexId, VertexId, double>;
  std::vector<Edge> given, found;
  edges.for_each_arc([&](VertexId source, VertexId target, std::size_t e) {
    given.emplace_back(source, target,
                       values == 1   ? static_cast<double>(edges.value[e])
                       : values == 2 ? edges.wide_value[e]
                                     : 0);
  });
  const std::string cut = on_ranks(ranks, [&](Communicator& comm) {
    EdgeList mine{share(edges.source, comm), share(edges.target, comm), share(edges.value, comm),
                  share(edges.wide_value, comm), edges.both_ways};
    Partition made = partition::make_partition(comm, mine, shape, options);
    const auto quality = partition::quality(comm, mine, shape, made);
    if (mine.both_ways) {
      EdgeList arcs;
      mine.for_each_arc([&](VertexId source, VertexId target, std::size_t e) {
        arcs.source.push_back(source);
        arcs.target.push_back(target);
        if (values == 1) arcs.value.push_back(mine.value[e]);
        if (values == 2) arcs.wide_value.push_back(mine.wide_value[e]);
      });
      mine = std::move(arcs);
    }
    expect(made.edge_part.size() == mine.size(), "a part for every arc");
    partition::write_folder(comm, folder, mine, shape, made, quality, {});
    std::string text;
    tell(text, comm, made.source_master);
    tell(text, comm, made.target_master);
    return text;
  });
  if (cut.starts_with("usage: ") || cut.starts_with("run: ")) return;  // not for this graph
  const std::string read = on_ranks(1, [&](Communicator& comm) {
    const partition::Stored stored = partition::read_folder(comm, folder);
    for (std::size_t e = 0; e < stored.edges.size(); ++e)
      found.emplace_back(stored.edges.source[e], stored.edges.target[e],
                         !stored.edges.value.empty() ? static_cast<double>(stored.edges.value[e])
                         : !stored.edges.wide_value.empty() ? stored.edges.wide_value[e]
                                                            : 0);
    std::string text;
    tell(text, comm, stored.partition.source_master);
    tell(text, comm, stored.partition.target_master);
    return text;
  });
  expect(read == cut, "masters read as written");
  std::ranges::sort(given);
  std::ranges::sort(found);
  expect(given == found, "edges read as written");
  if (options.parts > 1) expect(read_on(1, folder) == read_on(2, folder), "alike on 1 and 2 ranks");
}

}  // namespace gas_fuzz
