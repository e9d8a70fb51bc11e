#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gas/engine/run_options.hpp"
#include "gas/observe/rank_report.hpp"
#include "tools/support/process/timers.hpp"
#include "tools/support/show/facts.hpp"

namespace gas::tools {

/// What --summary json says of a run. Unset members are null. The tool sets those of the first
/// group; run_tool fills in the others.
struct RunSummary {
  std::optional<std::uint64_t> iterations;  // rounds that were run
  std::optional<bool> converged;
  bool interrupted = false;  // a signal ended the rounds; not printed
  std::optional<bool> reproducible;
  std::optional<double> objective;                                 // of the written model
  std::optional<std::uint64_t> data_vertices, parameter_vertices;  // one kind: n and 0
  std::optional<std::uint64_t> edges;
  /// What --sample took its share of.
  struct Whole {
    std::uint64_t rows = 0, edges = 0;
    double share = 1;  // that was taken, of the edges, or of the rows where there are none
  };
  std::optional<Whole> whole;
  std::uint64_t missing_ids = 0;  // numbers between the ids of an edge list that are no ids
  std::optional<std::string> partition_method;
  std::optional<std::uint64_t> parts;
  std::optional<double> replication_factor;
  /// One of the tool's own keys, which Options::summary_keys has named ("a.b" is key b of object
  /// a).
  void set(const std::string& key, Value value);
  /// The same of a list of objects, by their keys.
  using Object = std::vector<std::pair<std::string, Value>>;
  void set(const std::string& key, std::vector<Object> list);

  std::string tool;
  std::optional<std::string> input;  // INPUT as given, or the SPEC of --generate
  std::uint64_t ranks = 1, threads = 1;
  std::optional<std::uint64_t> staleness_bound, staleness_most;
  std::optional<double> staleness_mean;
  std::optional<std::uint64_t> seed;
  std::array<double, phases> seconds{};  // by Phase, slowest rank
  double total_seconds = 0;
  std::optional<std::array<std::uint64_t, 4>> bytes_sent;  // by Purpose, all ranks, after loading
  struct Rank {
    RankReport report;
    std::uint64_t messages, bytes;  // sent after loading
  };
  std::vector<Rank> per_rank;                           // by rank; empty where no engine ran
  std::uint64_t peak_memory_bytes = 0;                  // largest rank
  std::optional<std::uint64_t> estimated_memory_bytes;  // the same, before INPUT was loaded
  std::vector<std::string> warnings;                    // Run::warn's
  std::vector<std::pair<std::string, Value>> own;
  std::vector<std::pair<std::string, std::vector<Object>>> lists;  // of keys that `own` has, too

  /// One line of JSON with every key, without the newline.
  std::string json() const;
};

/// The most memory this process has ever held.
std::uint64_t peak_memory_bytes();

}  // namespace gas::tools
