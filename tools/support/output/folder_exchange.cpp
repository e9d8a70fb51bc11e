#include "tools/support/output/folder_exchange.hpp"

#include <fmt/format.h>

#include <chrono>
#include <fstream>
#include <thread>

#include "gas/base/error.hpp"
#include "gas/base/whole_file.hpp"
#include "tools/support/output/folder_lock.hpp"

namespace gas::tools {
namespace {

namespace fs = std::filesystem;

constexpr const char* list_name = ".outdated";  // one name per line
constexpr const char* manifest_name = "manifest.json";

void remove_outdated(const fs::path& folder, const fs::path& list) {
  std::ifstream names(list);
  for (std::string name; std::getline(names, name);) {
    if (fs::path(name).filename() != name || name == "..")
      throw located_error(list, 0, 0, fmt::format("'{}'", name), "names of files in the folder");
    fs::remove(folder / name);
  }
  local_sync(folder);
  fs::remove(list);  // removed for good: a file of that name that comes later is not ours
}

}  // namespace

bool exchange_pending(const fs::path& folder) {
  std::error_code ignored;  // a link to a folder is none of ours
  return fs::is_directory(fs::symlink_status(folder / exchange_name, ignored));
}

void exchange_files(const fs::path& staging, const fs::path& folder,
                    const std::vector<std::string>& outdated) {
  if (!outdated.empty()) {
    std::string names;
    for (const std::string& name : outdated) names += name + '\n';
    local_write(staging / list_name, std::as_bytes(std::span(names)));
  }
  local_sync(staging);
  fs::rename(staging, folder / exchange_name);
  local_sync(folder);
  finish_exchange(folder);
}

void finish_exchange(const fs::path& folder) {
  const fs::path from = folder / exchange_name;
  if (!exchange_pending(folder)) return;
  if (fs::exists(from / list_name)) remove_outdated(folder, from / list_name);
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(from))
    if (entry.path().filename() != manifest_name) files.push_back(entry.path());
  for (const fs::path& file : files) fs::rename(file, folder / file.filename());
  if (fs::exists(from / manifest_name)) {
    local_sync(folder);
    fs::rename(from / manifest_name, folder / manifest_name);
  }
  fs::remove(from);
  local_sync(folder);
}

void finish_exchange_to_read(const fs::path& folder) {
  using Clock = std::chrono::steady_clock;
  for (const auto end = Clock::now() + std::chrono::seconds(10); exchange_pending(folder);) {
    try {
      const FolderLock lock(folder);
      finish_exchange(folder);
    } catch (const InputError&) {
      throw;
    } catch (const std::exception& error) {  // the run that exchanges, or no right to write
      if (exchange_pending(folder) && Clock::now() > end)
        throw InputError(
            fmt::format("{}: an earlier run ended while it moved its files here, and they still "
                        "cannot be moved: {}",
                        folder.string(), error.what()));
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
  }
}

}  // namespace gas::tools
