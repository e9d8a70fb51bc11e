#pragma once

#include <catch2/catch.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "loaders/load_graph.hpp"
#include "tests/loaders/files.hpp"
#include "tests/support/ranks.hpp"

namespace gas_test {

using namespace gas;
using namespace gas::loaders;

/// A whole graph in one place.
struct Whole {
  std::uint64_t sources = 0, targets = 0;
  std::vector<VertexId> source, target;
  std::vector<float> value;
  std::vector<std::string> source_ids, target_ids;
  std::vector<double> labels;
  bool undirected = false;
  std::vector<double> wide_value = {};

  bool operator==(const Whole&) const = default;
};

inline std::vector<std::string> all_ids(Communicator& comm, const RowIds& ids) {
  std::string text;
  ids.for_each(comm, [&](std::string_view id) { text.append(id).push_back('\n'); });
  const std::vector<char> told = broadcast(comm, std::span<const char>(text));
  std::istringstream lines(std::string(told.begin(), told.end()));
  std::vector<std::string> all;
  for (std::string line; std::getline(lines, line);) all.push_back(line);
  return all;
}

inline Whole collect(Communicator& comm, const LoadedGraph& graph) {
  return {graph.shape.sources,
          graph.shape.targets,
          joined(comm, graph.edges.source),
          joined(comm, graph.edges.target),
          joined(comm, graph.edges.value),
          all_ids(comm, graph.source_ids),
          all_ids(comm, graph.target_ids),
          joined(comm, graph.labels),
          graph.undirected,
          joined(comm, graph.edges.wide_value)};
}

inline Whole load(int ranks, const std::string& path, GraphOptions options = {},
                  std::size_t block_bytes = TextInput::usual_block) {
  options.block_bytes = block_bytes;
  const auto results = run_ranks<Whole>(ranks, [&](Transport& comm) {
    return collect(comm, load_graph(comm, of_rank_0(comm, path), options));
  });
  for (const Whole& result : results) CHECK(result == results[0]);
  return results[0];
}

inline std::string failure(int ranks, const std::string& path, const GraphOptions& options = {}) {
  const auto results = run_ranks<std::string>(ranks, [&](Transport& comm) {
    const std::string whole = of_rank_0(comm, path);
    return message_of(whole, [&] { load_graph(comm, whole, options); });
  });
  for (const std::string& result : results) CHECK(result == results[0]);
  return results[0];
}

/// Plain, gzip and zstd; in one big and in small blocks, on one and more threads: always the same.
inline void check_everywhere(const std::string& name, const std::string& text,
                             const Whole& expected, const GraphOptions& options = {}) {
  const TemporaryFolder folder;
  const std::string plain = folder.file(name, text);
  const std::string gz = folder.file(name + ".gz", gzip(text));
  const std::string zst = folder.file(name + ".zst", zstd(text));
  for (const int ranks : rank_counts()) {
    INFO(name << " on " << ranks << " ranks");
    for (const auto& [threads, block] : {std::pair{1U, TextInput::usual_block},
                                         {1U, std::size_t{100}},
                                         {2U, TextInput::usual_block},
                                         {3U, std::size_t{1000}}}) {
      GraphOptions with = options;
      with.threads = threads;
      INFO(threads << " threads, blocks of " << block << " bytes");
      CHECK(load(ranks, plain, with, block) == expected);
      CHECK(load(ranks, gz, with, block) == expected);
      if (threads == 1) CHECK(load(ranks, zst, with, block) == expected);
    }
  }
}

/// A graph with what is said of it.
struct Loaded {
  Whole whole;
  std::vector<std::string> notes;
  std::uint64_t first_id = 0, ids = 0;

  bool operator==(const Loaded&) const = default;
};

/// The graph of some files of a folder on every rank, plain or packed.
inline Loaded load_files(int ranks, const TemporaryFolder& folder,
                         const std::vector<std::string>& names, const GraphOptions& options = {}) {
  const auto results = run_ranks<Loaded>(ranks, [&](Transport& comm) {
    std::vector<std::string> paths;
    for (const std::string& name : names) paths.push_back(of_rank_0(comm, folder.path(name)));
    const LoadedGraph graph = load_graph(comm, paths, options);
    Loaded loaded{collect(comm, graph), graph.notes, graph.source_ids.first(),
                  graph.source_ids.rows()};
    const std::string path = std::filesystem::path(paths[0]).parent_path().string() + "/";
    for (std::string& note : loaded.notes)
      if (note.starts_with(path)) note.erase(0, path.size());
    return loaded;
  });
  for (const Loaded& result : results) CHECK(result == results[0]);
  return results[0];
}

inline Loaded load_text(int ranks, const std::string& text, const GraphOptions& options = {}) {
  const TemporaryFolder folder;
  folder.file("g.csv", text);
  return load_files(ranks, folder, {"g.csv"}, options);
}

}  // namespace gas_test
