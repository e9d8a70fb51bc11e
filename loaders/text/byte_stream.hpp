#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "gas/base/error.hpp"

namespace gas::loaders {

/// Compressed data that do not unpack: what came before may be wrong as well.
struct CorruptData : InputError {
  using InputError::InputError;
};

/// The bytes of a file from first to last, decompressed. One rank alone reads it.
class ByteStream {
 public:
  ByteStream() = default;
  ByteStream(const ByteStream&) = delete;
  ByteStream& operator=(const ByteStream&) = delete;
  virtual ~ByteStream() = default;

  /// Fills `out` from its front and returns how many bytes; 0 only at the end (or if out is empty).
  /// InputError if the file cannot be read on or is truncated, CorruptData if it is corrupt; what
  /// came before has been returned by earlier calls.
  virtual std::size_t read(std::span<char> out) = 0;
  /// Whether it is unpacked, so that reading on to the end tells if it is corrupt.
  virtual bool packed() const { return true; }
  /// `stop` ends a wait for bytes that are yet to come, of a pipe, as if it ended there.
  virtual void stop_when(std::function<bool()> stop) = 0;
  /// Bytes of the file that were taken up for what has been returned.
  virtual std::uint64_t taken() const = 0;
};

/// How a path is to be read.
struct Opened {
  std::unique_ptr<ByteStream> stream;
  bool plain = false;      // a regular, uncompressed file: every rank may read it at any offset
  std::uint64_t size = 0;  // bytes, if plain
};

/// Opens a file, or standard input for "-", and unpacks gzip and zstd, which it knows by their
/// first bytes. InputError for a folder, a missing or an unreadable file. Local.
Opened open_stream(const std::string& path);

/// The path as messages show it: "<stdin>" for "-".
std::string shown(const std::string& path);

/// The name of what is packed in a file, without .gz or .zst.
std::string_view unpacked_name(std::string_view path);

/// Is a file by its name (.fbin, .fvecs) one of numbers from the first byte on, which may look like
/// the beginning of anything?
bool begins_with_numbers(std::string_view path);

/// A plain file that is read by offset. Local.
class PlainFile {
 public:
  explicit PlainFile(const std::string& path);
  PlainFile(const PlainFile&) = delete;
  PlainFile& operator=(const PlainFile&) = delete;
  ~PlainFile();

  const std::string& path() const { return path_; }
  std::uint64_t size() const { return size_; }
  /// Reads up to `out.size()` bytes at `offset`; fewer only at the end of the file.
  std::size_t read_at(std::uint64_t offset, std::span<char> out) const;

 private:
  std::string path_;
  int descriptor_ = -1;
  std::uint64_t size_ = 0;
};

}  // namespace gas::loaders
