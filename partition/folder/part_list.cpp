#include "partition/folder/part_list.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <iterator>
#include <vector>

#include "gas/base/error.hpp"
#include "gas/base/open_file.hpp"

namespace gas::partition {
namespace {

namespace fs = std::filesystem;

/// PATH.partial, open on rank 0 only, until it is renamed; what is there and is no regular file (a
/// link, a device, a pipe), or is written to already, is written to as it is.
class Lines {
 public:
  Lines(Communicator& comm, const std::string& path)
      : comm_(comm), path_(path), partial_(path + ".partial") {
    attempt([&] {
      std::error_code unknown;
      const fs::file_status there = fs::symlink_status(path_, unknown);
      if ((fs::exists(there) && !fs::is_regular_file(there)) || is_written_to(path_))
        partial_ = path_;
      else
        fs::remove(partial_, unknown);  // what a killed run left, or a link that leads elsewhere
      file_.reset(open_to_write(partial_));
      if (!file_) fail(last_error());
    });
  }

  void append(std::span<const Part> parts) {
    for (int rank = 0; rank < comm_.size(); ++rank) {
      const auto mine = comm_.rank() == rank ? parts : std::span<const Part>();
      const auto blocks = gather(comm_, mine);
      attempt([&] {
        constexpr std::size_t at_a_time = 1 << 16;
        fmt::memory_buffer text;
        const auto write = [&] {
          if (std::fwrite(text.data(), 1, text.size(), file_.get()) != text.size())
            fail(last_error());
          text.clear();
        };
        for (const Part part : blocks[static_cast<std::size_t>(rank)]) {
          fmt::format_to(std::back_inserter(text), "{}\n", part);
          if (text.size() >= at_a_time) write();
        }
        write();
      });
    }
  }

  void finish() {
    attempt([&] {
      std::error_code error;
      const bool whole = std::fflush(file_.get()) == 0 &&
                         (partial_ == path_ || ::fsync(::fileno(file_.get())) == 0);
      if (!whole) error = last_error();
      if (std::fclose(file_.release()) != 0 && !error) error = last_error();
      if (!error && partial_ != path_) fs::rename(partial_, path_, error);
      if (error) fail(error);
    });
  }

 private:
  /// On rank 0, with its failure told to all.
  template <class Work>
  void attempt(Work work) {
    together(comm_, [&] {
      if (comm_.rank() == 0) work();
    });
  }

  static std::error_code last_error() { return {errno, std::generic_category()}; }
  [[noreturn]] void fail(std::error_code error) {
    std::error_code ignored;
    if (partial_ != path_) fs::remove(partial_, ignored);
    throw RunError(fmt::format("{}: cannot be written: {}", path_, error.message()));
  }

  Communicator& comm_;
  std::string path_;
  std::string partial_;
  OwnedFile file_;
};

}  // namespace

void write_vertex_parts(Communicator& comm, const std::string& path, const Partition& partition) {
  Lines lines(comm, path);
  lines.append(partition.source_master);
  lines.append(partition.target_master);
  lines.finish();
}

void write_edge_parts(Communicator& comm, const std::string& path,
                      std::span<const Part> edge_part) {
  Lines lines(comm, path);
  lines.append(edge_part);
  lines.finish();
}

}  // namespace gas::partition
