#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "gas/base/communicator.hpp"
#include "loaders/ids/row_ids.hpp"
#include "tools/support/show/facts.hpp"

namespace gas::tools {

/// The folder of --model, on every rank: what an earlier run of the same tool wrote.
class ModelFolder {
 public:
  /// Collective. InputError, naming the file, unless the folder has the manifest of a model of
  /// `tool` and every file is as the manifest says.
  ModelFolder(Communicator& comm, const std::string& folder, const std::string& tool);

  /// What the manifest keeps of the model.
  const Facts& facts() const { return facts_; }
  std::string file(const std::string& name) const { return (path_ / name).string(); }
  /// Whether a file of the model is there.
  bool has(const std::string& name) const;
  /// The ids of its `count` words, features or items: those of parameter_ids.txt, or the numbers
  /// that the manifest says they are (keep_ids). Collective.
  std::vector<std::string> ids(Communicator& comm, std::uint64_t count) const;

 private:
  std::filesystem::path path_;
  Facts facts_;
  std::vector<std::string> names_;
};

/// Sets what ModelFolder::ids needs beside parameter_ids.txt, which write_ids writes.
void keep_ids(Facts& facts, const loaders::RowIds& ids);

}  // namespace gas::tools
