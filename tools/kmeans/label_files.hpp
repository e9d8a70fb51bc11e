#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>

#include "loaders/write.hpp"
#include "tools/support/run/run_tool.hpp"

namespace gas::tools {

/// FOLDER/assignments.npy, and with --text assignments.tsv, of labels that come batch by batch.
class LabelFiles {
 public:
  /// Collective, as all of this class; RunError for whatever the system refuses.
  LabelFiles(Run& run, const std::filesystem::path& folder);
  /// The labels of the next rows, by rank.
  void append(std::span<const std::int32_t> labels);
  /// To be called when all rows have theirs.
  void finish();

 private:
  /// Of the array, with the rows so far; of as many bytes for any number of them.
  std::string header() const;

  Communicator& comm_;
  std::optional<loaders::OutputFile> array_, table_;  // on rank 0
  std::uint64_t rows_ = 0;                            // so far
};

}  // namespace gas::tools
