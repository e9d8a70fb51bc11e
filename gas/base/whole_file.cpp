#include "gas/base/whole_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>
#include <xxhash.h>

#include <boost/interprocess/file_mapping.hpp>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <memory>

#include "gas/base/error.hpp"
#include "gas/base/open_file.hpp"

namespace gas {
namespace fs = std::filesystem;

namespace {

void check_regular(const fs::path& path) {
  std::error_code error;
  if (!fs::exists(path, error)) throw located_error(path, 0, 0, "no such file", "a file");
  if (!fs::is_regular_file(path, error))
    throw located_error(path, 0, 0, "a folder or special file", "a regular file");
}

InputError unreadable(const fs::path& path) {
  return located_error(path, 0, 0, "a file that cannot be read",
                       "a readable one: check its permissions");
}

}  // namespace

void local_sync(const fs::path& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  // A file system that cannot sync a folder says EINVAL: then there is nothing to be done.
  const bool synced = file >= 0 && (sync_all(file) || errno == EINVAL);
  const int code = errno;
  if (file >= 0) ::close(file);
  if (!synced)
    throw RunError(fmt::format("{}: cannot be written: {}", path.string(), std::strerror(code)));
}

Bytes local_read(const fs::path& path, std::uint64_t limit) {
  check_regular(path);
  std::error_code error;
  const std::uint64_t size = fs::file_size(path, error);
  if (!error && size > limit)
    throw located_error(path, 0, 0, fmt::format("{} bytes", size),
                        fmt::format("at most {}", limit));
  std::ifstream file(path, std::ios::binary);
  Bytes bytes(error ? 0 : size);
  file.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  if (error || !file) throw unreadable(path);
  return bytes;
}

MappedFile::MappedFile(const fs::path& path) {
  namespace ipc = boost::interprocess;
  check_regular(path);
  std::error_code error;
  if (fs::file_size(path, error) == 0 && !error) return;  // nothing can be mapped
  try {
    region_ = ipc::mapped_region(ipc::file_mapping(path.c_str(), ipc::read_only), ipc::read_only, 0,
                                 0, nullptr, MAP_POPULATE);
  } catch (const ipc::interprocess_exception&) {
    throw unreadable(path);
  }
}

void local_write(const fs::path& path, FunctionRef<void(std::ostream&)> write) {
  fs::path partial = path;
  partial += ".partial";
  // What a killed run left, or a link that leads elsewhere; and what this one leaves if it fails.
  const auto remove_partial = [&] {
    std::error_code none;
    fs::remove(partial, none);
  };
  remove_partial();
  std::error_code error;
  try {
    errno = 0;
    std::ofstream file(partial, std::ios::binary | std::ios::trunc);
    if (file) write(file);
    file.close();
    error = {errno, std::generic_category()};
    if (file) {
      local_sync(partial);
      fs::rename(partial, path, error);
      if (!error) return;
    }
  } catch (...) {
    remove_partial();
    throw;
  }
  remove_partial();
  throw RunError(fmt::format("{}: cannot be written: {}", path.string(), error.message()));
}

void local_write(const fs::path& path, std::span<const std::byte> bytes) {
  local_write(path, [&](std::ostream& file) {
    file.write(reinterpret_cast<const char*>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
  });
}

std::string checksum(std::span<const std::byte> bytes) {
  return fmt::format("{:016x}", XXH64(bytes.data(), bytes.size(), 0));
}

FileSum local_sum(const fs::path& path) {
  check_regular(path);
  const OwnedFile file(std::fopen(path.c_str(), "rbe"));
  const std::unique_ptr<XXH64_state_t, XXH_errorcode (*)(XXH64_state_t*)> state(XXH64_createState(),
                                                                                XXH64_freeState);
  if (!file) throw unreadable(path);
  if (!state) throw std::bad_alloc();
  XXH64_reset(state.get(), 0);
  FileSum sum;
  Bytes piece(std::size_t{1} << 20U);
  while (const std::size_t count = std::fread(piece.data(), 1, piece.size(), file.get())) {
    XXH64_update(state.get(), piece.data(), count);
    sum.bytes += count;
  }
  if (std::ferror(file.get()) != 0) throw unreadable(path);
  sum.checksum = fmt::format("{:016x}", XXH64_digest(state.get()));
  return sum;
}

std::string checksum(std::string_view text) { return checksum(std::as_bytes(std::span(text))); }

}  // namespace gas
