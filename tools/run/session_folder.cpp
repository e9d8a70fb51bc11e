#include "tools/run/session_folder.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>

namespace gas::tools {
namespace {

// Of this host alone: on others no folder is there, and Open MPI takes theirs.
constexpr const char* variable = "OMPI_MCA_orte_local_tmpdir_base";

bool is_chosen(const std::vector<std::string>& mpirun) {
  for (const char* name : {variable, "OMPI_MCA_orte_tmpdir_base"})
    if (std::getenv(name) != nullptr) return true;
  return std::ranges::any_of(
      mpirun, [](const std::string& word) { return word.find("tmpdir_base") != word.npos; });
}

}  // namespace

SessionFolder::SessionFolder(const std::vector<std::string>& mpirun) {
  if (is_chosen(mpirun)) return;
  std::error_code none;
  std::string path = std::filesystem::temp_directory_path(none) / "gas-run-XXXXXX";
  if (none || mkdtemp(path.data()) == nullptr) return;
  path_ = std::move(path);
  setenv(variable, path_.c_str(), 1);
}

SessionFolder::~SessionFolder() {
  if (path_.empty()) return;
  unsetenv(variable);
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace gas::tools
