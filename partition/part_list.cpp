#include "partition/part_list.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

#include "gas/graph/error.hpp"

namespace gas::partition {
namespace {

namespace fs = std::filesystem;

/// PATH.partial, open on rank 0 only, until it is renamed; what is there and is no regular file (a
/// link, a device, a pipe) is written to as it is.
class Lines {
 public:
  Lines(Team& team, const std::string& path)
      : team_(team), path_(path), partial_(path + ".partial") {
    attempt([&] {
      std::error_code unknown;
      const fs::file_status there = fs::symlink_status(path_, unknown);
      if (fs::exists(there) && !fs::is_regular_file(there)) partial_ = path_;
      file_.open(partial_, std::ios::binary | std::ios::trunc);
    });
  }

  void append(std::span<const Part> parts) {
    for (int rank = 0; rank < team_.size(); ++rank) {
      const auto mine = team_.rank() == rank ? parts : std::span<const Part>();
      const auto blocks = gather(team_, mine);
      attempt([&] {
        fmt::memory_buffer text;
        for (const Part part : blocks[static_cast<std::size_t>(rank)])
          fmt::format_to(std::back_inserter(text), "{}\n", part);
        file_.write(text.data(), static_cast<std::streamsize>(text.size()));
      });
    }
  }

  void finish() {
    attempt([&] {
      file_.close();
      std::error_code error;
      if (file_ && partial_ != path_) fs::rename(partial_, path_, error);
      if (error) fail(error);
    });
  }

 private:
  /// On rank 0, with its failure told to all.
  template <class Work>
  void attempt(Work work) {
    together(team_, [&] {
      if (team_.rank() != 0) return;
      errno = 0;
      work();
      if (!file_) fail({errno, std::generic_category()});
    });
  }

  [[noreturn]] void fail(std::error_code error) {
    std::error_code ignored;
    if (partial_ != path_) fs::remove(partial_, ignored);
    throw RunError(fmt::format("{}: cannot be written: {}", path_, error.message()));
  }

  Team& team_;
  std::string path_;
  std::string partial_;
  std::ofstream file_;
};

}  // namespace

void write_vertex_parts(Team& team, const std::string& path, const Partition& partition) {
  Lines lines(team, path);
  lines.append(partition.source_master);
  lines.append(partition.target_master);
  lines.finish();
}

void write_edge_parts(Team& team, const std::string& path, std::span<const Part> edge_part) {
  Lines lines(team, path);
  lines.append(edge_part);
  lines.finish();
}

}  // namespace gas::partition
