#include "partition/folder/input_identity.hpp"

#include <fmt/format.h>

#include <chrono>
#include <filesystem>

#include "gas/base/error.hpp"
#include "gas/base/whole_file.hpp"

namespace gas::partition {
namespace {

namespace fs = std::filesystem;

bool is_stream(const std::string& path) {
  std::error_code error;
  return path == "-" || (fs::exists(path, error) && !fs::is_regular_file(path, error) &&
                         !fs::is_directory(path, error));
}

std::int64_t nanoseconds(fs::file_time_type time) {
  const auto since = std::chrono::file_clock::to_sys(time).time_since_epoch();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(since).count();
}

/// Of one file, without its checksum.
InputIdentity look_at(const std::string& path) {
  InputIdentity input;
  if (is_stream(path)) return input;
  std::error_code error;
  const std::uint64_t bytes = fs::file_size(path, error);
  if (error) return input;
  input.bytes = bytes;
  const auto modified = fs::last_write_time(path, error);
  if (!error && fs::file_time_type::clock::now() - modified > std::chrono::seconds(2))
    input.modified = nanoseconds(modified);
  return input;
}

/// Of one file.
InputIdentity identify(const std::string& path) {
  if (is_stream(path)) return {};
  const FileSum sum = local_sum(path);
  InputIdentity input = look_at(path);
  input.checksum = sum.checksum;
  return input;
}

}  // namespace

InputIdentity local_look_at(std::span<const std::string> paths) {
  if (paths.size() == 1) return look_at(paths[0]);
  InputIdentity all;
  for (const std::string& path : paths) all.bytes += look_at(path).bytes;
  return all;
}

InputIdentity local_identify(std::span<const std::string> paths) {
  if (paths.size() == 1) return identify(paths[0]);
  InputIdentity all;
  std::string checksums;
  for (const std::string& path : paths) {
    const InputIdentity one = identify(path);
    if (one.checksum.empty()) return {};
    all.bytes += one.bytes;
    checksums += one.checksum + "\n";
  }
  all.checksum = checksum(std::as_bytes(std::span<const char>(checksums)));
  return all;
}

bool local_is_input(const InputIdentity& input, std::span<const std::string> paths) {
  if (paths.size() > 1) return local_identify(paths).checksum == input.checksum;
  const std::string& path = paths[0];
  if (input.checksum.empty() || is_stream(path)) return input.checksum.empty() && is_stream(path);
  std::error_code error;
  const std::uint64_t bytes = fs::file_size(path, error);
  if (!error && bytes != input.bytes) return false;
  if (!error && input.modified != 0) {
    const auto modified = fs::last_write_time(path, error);
    if (!error && nanoseconds(modified) == input.modified) return true;
  }
  return identify(path).checksum == input.checksum;
}

std::string to_text(const InputIdentity& input) {
  if (!input.generated.empty()) return "--generate " + input.generated;
  if (input.checksum.empty()) return "standard input";
  return fmt::format("{} bytes, checksum {}", input.bytes, input.checksum);
}

}  // namespace gas::partition
