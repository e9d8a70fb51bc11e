#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace gas::tools {

// New files take the place of older ones in a folder, all or none of them, wherever the process is
// killed. They are staged elsewhere in the file system, with a list of the older files that go. One
// rename, of the staging folder to FOLDER/.gas-exchange, decides: before it the old files are
// whole, after it the new ones are, some of them in there still; whoever comes next moves the rest.
// Local; under the folder's lock.

/// The folder in a folder that an exchange which was broken off leaves.
constexpr const char* exchange_name = ".gas-exchange";

/// Whether a run was killed after its files were decided on, before all were in their places.
bool exchange_pending(const std::filesystem::path& folder);

/// Moves the staged files into the folder, manifest.json last, and removes those named. All staged
/// files must be on the disk. RunError: before the one rename nothing has changed, after it the
/// next run goes on here.
void exchange_files(const std::filesystem::path& staging, const std::filesystem::path& folder,
                    const std::vector<std::string>& outdated);

/// Goes on with an exchange that was broken off. Nothing happens where there is none.
void finish_exchange(const std::filesystem::path& folder);

/// The same for a folder that will only be read: takes its lock, and waits for a run that is just
/// exchanging its files. InputError if the folder cannot be written to.
void finish_exchange_to_read(const std::filesystem::path& folder);

}  // namespace gas::tools
