#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "gas/graph/team.hpp"

namespace gas::tools {

/// The folder of -o. All ranks call everything; rank 0 alone touches the file system here.
class OutputFolder {
 public:
  /// Before anything is computed: refuses (UsageError) what is not a folder and, without `force`, a
  /// folder that holds something; a place where none can be made is a RunError. Makes nothing yet.
  OutputFolder(Team& team, const std::string& path, bool force);

  /// Makes the folder and calls `write` on every rank with a staging folder in it; when all are
  /// through, what an earlier run of a tool left there goes, and the files move to their places. If
  /// anything fails none of them appears.
  void write(const std::function<void(const std::filesystem::path& staging)>& write);

 private:
  Team& team_;
  std::filesystem::path path_;
};

}  // namespace gas::tools
