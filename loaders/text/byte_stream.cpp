#include "loaders/text/byte_stream.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <exception>
#include <new>
#include <string_view>
#include <utility>

#include "gas/base/error.hpp"

namespace gas::loaders {
namespace {

constexpr std::size_t input_bytes = std::size_t{1} << 18;

InputError cannot(const std::string& path, std::string_view what, int code) {
  return InputError(fmt::format("{}: cannot {}: {}", shown(path), what, std::strerror(code)));
}

InputError damaged(const std::string& path, std::string_view found, std::string_view expected) {
  return located_error(shown(path), 0, 0, std::string(found), std::string(expected));
}

std::exception_ptr corrupt(const std::string& path, std::string_view packer) {
  return std::make_exception_ptr(CorruptData(
      damaged(path, fmt::format("corrupt {} data", packer), fmt::format("a whole {} file", packer))
          .what()));
}

int open_file(const std::string& path, struct stat& status) {
  const int descriptor = path == "-" ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) throw cannot(path, "open it", errno);
  const auto close = [&] {
    if (descriptor != STDIN_FILENO) ::close(descriptor);
  };
  if (::fstat(descriptor, &status) != 0) {
    const int code = errno;
    close();
    throw cannot(path, "open it", code);
  }
  if (S_ISDIR(status.st_mode)) {
    close();
    throw damaged(path, "a folder", "a file");
  }
  return descriptor;
}

/// A descriptor behind a buffer.
class RawStream final : public ByteStream {
 public:
  RawStream(std::string path, int descriptor)
      : path_(std::move(path)),
        descriptor_(descriptor),
        bytes_(std::make_unique_for_overwrite<char[]>(input_bytes)) {}
  ~RawStream() override {
    if (descriptor_ != STDIN_FILENO) ::close(descriptor_);
  }

  const std::string& path() const { return path_; }
  bool packed() const override { return false; }
  void stop_when(std::function<bool()> stop) override { stop_ = std::move(stop); }
  std::uint64_t taken() const override { return read_ - (end_ - begin_); }

  /// What lies in the buffer, at least `wanted` bytes unless the end is near.
  std::span<const char> peek(std::size_t wanted) {
    if (end_ - begin_ < wanted) {
      std::memmove(bytes_.get(), bytes_.get() + begin_, end_ - begin_);
      end_ -= std::exchange(begin_, 0);
      while (end_ < wanted) {
        const std::size_t count = read_some(std::span(bytes_.get(), input_bytes).subspan(end_));
        if (count == 0) break;
        end_ += count;
      }
    }
    return {bytes_.get() + begin_, end_ - begin_};
  }
  void skip(std::size_t count) { begin_ += count; }
  /// Whether something lies in the buffer, or comes without waiting, or nothing will.
  bool ready() const {
    pollfd file{descriptor_, POLLIN, 0};
    return begin_ < end_ || ::poll(&file, 1, 0) != 0;
  }

  std::size_t read(std::span<char> out) override {
    if (begin_ == end_) return read_some(out);
    const std::size_t count = std::min(out.size(), end_ - begin_);
    std::memcpy(out.data(), bytes_.get() + begin_, count);
    begin_ += count;
    return count;
  }

 private:
  std::size_t read_some(std::span<char> out) {
    while (true) {
      if (stop_ && !wait()) return 0;
      const ssize_t count = ::read(descriptor_, out.data(), out.size());
      if (count >= 0) {
        read_ += static_cast<std::uint64_t>(count);
        return static_cast<std::size_t>(count);
      }
      if (errno != EINTR) throw cannot(path_, "read it", errno);
    }
  }

  /// For something to read; false if told to stop before. A signal may come just before the call,
  /// which therefore waits a short time.
  bool wait() const {
    constexpr int milliseconds = 100;
    pollfd file{descriptor_, POLLIN, 0};
    while (::poll(&file, 1, milliseconds) <= 0)
      if (stop_()) return false;
    return true;
  }

  std::string path_;
  int descriptor_;
  std::function<bool()> stop_;     // or empty
  std::unique_ptr<char[]> bytes_;  // input_bytes of room
  std::size_t begin_ = 0, end_ = 0;
  std::uint64_t read_ = 0;  // bytes, so far
};

/// Members one after the other, and zeros behind each, as gzip itself reads them.
class GzipStream final : public ByteStream {
 public:
  explicit GzipStream(std::unique_ptr<RawStream> in) : in_(std::move(in)) {
    if (::inflateInit2(&state_, 15 + 16) != Z_OK) throw std::bad_alloc();
  }
  ~GzipStream() override { ::inflateEnd(&state_); }
  void stop_when(std::function<bool()> stop) override { in_->stop_when(std::move(stop)); }
  std::uint64_t taken() const override { return in_->taken(); }

  std::size_t read(std::span<char> out) override {
    if (failure_) std::rethrow_exception(failure_);
    std::size_t filled = 0;
    while (filled < out.size() && (filled == 0 || in_->ready())) {
      const std::span<const char> in = in_->peek(1);
      if (in.empty()) {
        if (!between_members_)
          failure_ = std::make_exception_ptr(
              damaged(in_->path(), "the end of a truncated gzip file", "a whole gzip file"));
        break;
      }
      if (between_members_) {  // zeros may fill up a tape's last block
        const auto zeros = std::ranges::find_if(in, [](char byte) { return byte != 0; });
        if (zeros != in.begin()) {
          in_->skip(static_cast<std::size_t>(zeros - in.begin()));
          continue;
        }
        if (in.front() != 0x1f) {
          failure_ = std::make_exception_ptr(
              damaged(in_->path(), "bytes behind the end of the gzip data", "none, or more of it"));
          break;
        }
      }
      if (between_members_ && ::inflateReset(&state_) != Z_OK) throw RunError("zlib fails");
      between_members_ = false;
      // zlib's interface is not const-correct; it does not write to its input.
      state_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(in.data()));
      state_.avail_in = static_cast<uInt>(in.size());
      state_.next_out = reinterpret_cast<Bytef*>(out.data() + filled);
      const std::size_t room = std::min<std::size_t>(out.size() - filled, 1U << 30);
      state_.avail_out = static_cast<uInt>(room);
      const int code = ::inflate(&state_, Z_NO_FLUSH);
      in_->skip(in.size() - state_.avail_in);
      filled += room - state_.avail_out;
      if (code == Z_STREAM_END) {
        between_members_ = true;
      } else if (code == Z_MEM_ERROR) {
        throw std::bad_alloc();
      } else if (code != Z_OK) {
        failure_ = corrupt(in_->path(), "gzip");
        break;
      }
    }
    if (filled == 0 && failure_) std::rethrow_exception(failure_);
    return filled;
  }

 private:
  std::unique_ptr<RawStream> in_;
  z_stream state_{};
  bool between_members_ = true;
  std::exception_ptr failure_;  // thrown once everything before it has been returned
};

class ZstdStream final : public ByteStream {
 public:
  explicit ZstdStream(std::unique_ptr<RawStream> in)
      : in_(std::move(in)), state_(::ZSTD_createDStream()) {
    if (state_ == nullptr) throw std::bad_alloc();
    const int window = ZSTD_dParam_getBounds(ZSTD_d_windowLogMax).upperBound;  // as --long=31 makes
    ::ZSTD_DCtx_setParameter(state_, ZSTD_d_windowLogMax, window);
  }
  ~ZstdStream() override { ::ZSTD_freeDStream(state_); }
  void stop_when(std::function<bool()> stop) override { in_->stop_when(std::move(stop)); }
  std::uint64_t taken() const override { return in_->taken(); }

  std::size_t read(std::span<char> out) override {
    if (failure_) std::rethrow_exception(failure_);
    std::size_t filled = 0;
    while (filled < out.size() && (filled == 0 || in_->ready())) {
      const std::span<const char> in = in_->peek(1);
      ZSTD_inBuffer from{in.data(), in.size(), 0};
      ZSTD_outBuffer to{out.data() + filled, out.size() - filled, 0};
      if (in.empty() && between_frames_) break;
      const std::size_t code = ::ZSTD_decompressStream(state_, &to, &from);
      in_->skip(from.pos);
      filled += to.pos;
      if (::ZSTD_getErrorCode(code) == ZSTD_error_memory_allocation) throw std::bad_alloc();
      if (::ZSTD_isError(code)) {
        failure_ = corrupt(in_->path(), "zstd");
        break;
      }
      between_frames_ = code == 0;
      if (in.empty() && to.pos == 0) {
        failure_ = std::make_exception_ptr(
            damaged(in_->path(), "the end of a truncated zstd file", "a whole zstd file"));
        break;
      }
    }
    if (filled == 0 && failure_) std::rethrow_exception(failure_);
    return filled;
  }

 private:
  std::unique_ptr<RawStream> in_;
  ZSTD_DStream* state_;
  bool between_frames_ = true;
  std::exception_ptr failure_;
};

/// A frame of data, or one to be skipped, with which some programs begin.
bool is_zstd(std::string_view start) {
  return start == "\x28\xb5\x2f\xfd" || (start.size() == 4 && start[0] >= 0x50 &&
                                         start[0] <= 0x5f && start.ends_with("\x2a\x4d\x18"));
}

}  // namespace

std::string shown(const std::string& path) { return path == "-" ? "<stdin>" : path; }

std::string_view unpacked_name(std::string_view path) {
  using namespace std::string_view_literals;
  for (const std::string_view packed : {".gz"sv, ".zst"sv})
    if (path.ends_with(packed)) path.remove_suffix(packed.size());
  return path;
}

bool begins_with_numbers(std::string_view path) {
  return path.ends_with(".fbin") || path.ends_with(".fvecs");
}

Opened open_stream(const std::string& path) {
  struct stat status {};
  const int descriptor = open_file(path, status);
  auto raw = std::make_unique<RawStream>(path, descriptor);
  const std::span<const char> magic = raw->peek(4);
  const std::string_view start(magic.data(), std::min<std::size_t>(magic.size(), 4));
  Opened opened;
  const bool packed = !begins_with_numbers(path);
  if (packed && start.starts_with("\x1f\x8b")) {
    opened.stream = std::make_unique<GzipStream>(std::move(raw));
  } else if (packed && is_zstd(start)) {
    opened.stream = std::make_unique<ZstdStream>(std::move(raw));
  } else {
    opened.plain = path != "-" && S_ISREG(status.st_mode);
    opened.size = opened.plain ? static_cast<std::uint64_t>(status.st_size) : 0;
    opened.stream = std::move(raw);
  }
  return opened;
}

PlainFile::PlainFile(const std::string& path) : path_(path) {
  struct stat status {};
  descriptor_ = open_file(path, status);
  size_ = static_cast<std::uint64_t>(status.st_size);
}

PlainFile::~PlainFile() { ::close(descriptor_); }

std::size_t PlainFile::read_at(std::uint64_t offset, std::span<char> out) const {
  std::size_t filled = 0;
  while (filled < out.size()) {
    const ssize_t count = ::pread(descriptor_, out.data() + filled, out.size() - filled,
                                  static_cast<off_t>(offset + filled));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw cannot(path_, "read it", errno);
    if (count == 0) break;
    filled += static_cast<std::size_t>(count);
  }
  return filled;
}

}  // namespace gas::loaders
