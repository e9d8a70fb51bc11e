#include "tools/support/graph/stored_graph.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "gas/base/error.hpp"
#include "loaders/generate/spec.hpp"
#include "loaders/read_small.hpp"

namespace gas::tools {
namespace {

partition::RowNames names_of(Communicator& comm, const loaders::RowIds& ids) {
  partition::RowNames names;
  names.kind = ids.kind();
  const std::uint64_t count = BlockDistribution{ids.rows(), comm.size()}.count(comm.rank());
  switch (names.kind) {
    case IdKind::consecutive:
      names.first = ids.first();
      break;
    case IdKind::numbers:
      for (std::uint64_t i = 0; i < count; ++i) names.numbers.push_back(ids.local_number(comm, i));
      break;
    case IdKind::names:
      for (std::uint64_t i = 0; i < count; ++i) {
        const std::string name = ids.local_text(comm, i);
        names.text.insert(names.text.end(), name.begin(), name.end());
        names.text.push_back('\n');
      }
  }
  return names;
}

loaders::RowIds ids_of(Communicator& comm, std::uint64_t rows, const partition::RowNames& names,
                       loaders::Format format) {
  if (names.kind == IdKind::numbers) {
    loaders::Numbers numbers;
    for (const std::uint64_t number : names.numbers) numbers.push_back(number);
    return {comm, rows, std::move(numbers)};
  }
  if (names.kind == IdKind::names) {
    loaders::Names list;
    for (std::string_view left(names.text.data(), names.text.size()); !left.empty();) {
      const std::size_t end = left.find('\n');
      list.push_back(left.substr(0, end));
      left.remove_prefix(end + 1);
    }
    return {comm, rows, std::move(list)};
  }
  const bool counts_rows = format == loaders::Format::docword || loaders::has_labels(format);
  return {rows, names.first, counts_rows ? names.first : 0};
}

/// Whether the folder is one of the INPUT that this run was given (but with --without-input), as it
/// was told to read it.
void local_check_input(const Run& run, const std::string& folder,
                       const partition::Provenance& how) {
  const auto refuse = [&](const std::string& found, const std::string& expected) {
    throw located_error(folder + "/manifest.json", 0, 0, found, expected);
  };
  const std::string& spec = run.options.generate;
  const bool same = run.options.without_input ? true
                    : spec.empty()            ? how.input.generated.empty() &&
                                         partition::local_is_input(how.input, run.options.inputs)
                                   : how.input.generated == spec;
  if (!same)
    refuse("the partition of another input (" + partition::to_text(how.input) + ")",
           "that of " + (spec.empty() ? run.options.input : "--generate " + spec));
  if (spec.empty() && run.options.format != "auto" && run.options.format != how.format)
    refuse("an input read as " + how.format, run.options.format + ", as --format says");
}

/// What --generate would say of it.
bool is_generated_undirected(const partition::InputIdentity& input) {
  return !input.generated.empty() && loaders::parse_spec(input.generated).undirected();
}

}  // namespace

partition::RowData row_data(Communicator& comm, const loaders::LoadedGraph& loaded) {
  partition::RowData rows;
  rows.sources.names = names_of(comm, loaded.source_ids);
  rows.sources.labels = loaded.labels;
  if (loaded.shape.bipartite) rows.targets.names = names_of(comm, loaded.target_ids);
  return rows;
}

namespace {

/// The ids of a kind in the folder must be those that --vertices declares. Collective.
void check_declared(Communicator& comm, const std::string& folder,
                    const loaders::DeclaredIds& declared, const loaders::RowIds& ids) {
  const BlockDistribution blocks{ids.rows(), comm.size()};
  together(comm, [&] {
    bool same =
        declared.size() == ids.rows() && (ids.rows() == 0 || declared.named() == ids.named());
    for (std::uint64_t i = 0; same && i < blocks.count(comm.rank()); ++i) {
      const VertexId row = to_vertex_id(blocks.first(comm.rank()) + i);
      same = row == (ids.named() ? declared.find(ids.local_text(comm, i))
                                 : declared.find(ids.local_number(comm, i)));
    }
    if (!same)
      throw located_error(folder + "/manifest.json", 0, 0, "a partition of other vertices",
                          "those of --vertices");
  });
}

/// Lets --vertices tell the names of a folder's vertices, which it must not contradict. Collective.
void declare(Run& run, const std::string& folder, InputGraph& graph) {
  Communicator& comm = run.transport;
  const auto& vertices = run.options.vertices;
  if (vertices.empty()) return;
  together(comm, [&] {
    if (vertices.size() != (graph.shape.bipartite ? 2U : 1U))
      throw located_error(folder + "/manifest.json", 0, 0,
                          graph.shape.bipartite ? "a graph of two kinds of vertices"
                                                : "a graph of one kind of vertices",
                          "as many kinds as --vertices has values");
  });
  const auto take = [&](const loaders::Declaration& declaration, const loaders::RowIds& ids,
                        loaders::Names& names) {
    using loaders::EdgeIds;
    const EdgeIds kind = ids.rows() == 0 ? EdgeIds::unknown
                         : ids.named()   ? EdgeIds::names
                                         : EdgeIds::numbers;
    const loaders::DeclaredIds declared(comm, declaration, kind);
    for (const std::string& note : declared.notes()) run.warn(note);
    check_declared(comm, folder, declared, ids);
    if (all_max(comm, declared.block_names().size()) > 0) names = declared.block_names();
  };
  take(vertices.front(), graph.source_ids, graph.source_names);
  if (graph.shape.bipartite) take(vertices.back(), graph.target_ids, graph.target_names);
}

}  // namespace

partition::InputIdentity identify_input(Run& run) {
  partition::InputIdentity input;
  input.generated = run.options.generate;
  together(run.transport, [&] {
    if (run.transport.rank() == 0 && input.generated.empty())
      input = partition::local_identify(run.options.inputs);
  });
  return input;
}

void check_stored(Run& run, const std::string& folder, const partition::Provenance& how) {
  together(run.transport, [&] {
    if (run.transport.rank() == 0) local_check_input(run, folder, how);
  });
}

InputGraph read_stored(Run& run, const std::string& folder) {
  Communicator& comm = run.transport;
  together(comm, [&] {
    if (run.options.table.given())
      throw UsageError(
          "--header, --delimiter and --columns are for reading INPUT, but the graph comes from the "
          "folder of --partition: leave them out");
  });
  partition::Stored stored = partition::read_folder(comm, folder);
  const partition::Provenance& how = stored.manifest.how;
  check_stored(run, folder, how);
  InputGraph graph;
  graph.format = loaders::parse_format(how.format);
  graph.shape = stored.manifest.shape;
  graph.undirected = how.pairs || is_generated_undirected(how.input);
  graph.edges = std::move(stored.edges);
  graph.source_ids = ids_of(comm, graph.shape.sources, stored.rows.sources.names, graph.format);
  if (graph.shape.bipartite)
    graph.target_ids = ids_of(comm, graph.shape.targets, stored.rows.targets.names, graph.format);
  if (how.declared) {
    graph.source_ids.set_missing(0);
    graph.target_ids.set_missing(0);
  }
  const auto names = [&](const char* file, std::uint64_t rows) {
    return std::ranges::find(how.beside, file) == how.beside.end()
               ? loaders::Names()
               : loaders::read_block_lines(comm, folder + "/" + file, rows);
  };
  graph.source_names = names("names.txt", graph.shape.sources);
  graph.target_names = names("parameter_names.txt", graph.shape.targets);
  declare(run, folder, graph);
  together(comm, [&] {
    const auto& base = run.options.index_base;
    if (base && graph.format == loaders::Format::libsvm && *base != graph.target_ids.first())
      throw located_error(
          folder + "/manifest.json", 0, 0,
          fmt::format("columns that were counted from {}", graph.target_ids.first()),
          fmt::format("from {}, as --index-base says", *base));
  });
  graph.labels = std::move(stored.rows.sources.labels);
  graph.stored = StoredCut{std::move(stored.partition), how.undirected, stored.manifest.value_bytes,
                           stored.manifest.quality.replication_factor.all};
  return graph;
}

}  // namespace gas::tools
