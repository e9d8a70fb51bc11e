#pragma once

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "gas/base/communicator.hpp"
#include "gas/base/error.hpp"

namespace gas::loaders {

/// A text as a file that the loaders can open.
class TextFile {
 public:
  explicit TextFile(std::string_view text) : descriptor_(::memfd_create("sample", MFD_CLOEXEC)) {
    for (std::size_t at = 0; at < text.size();) {
      const ssize_t count = ::write(descriptor_, text.data() + at, text.size() - at);
      if (count <= 0)
        throw InputError(fmt::format("a part of the input cannot be kept in memory: {}",
                                     std::generic_category().message(errno)));
      at += static_cast<std::size_t>(count);
    }
  }
  TextFile(const TextFile&) = delete;
  TextFile& operator=(const TextFile&) = delete;
  ~TextFile() { ::close(descriptor_); }

  std::string path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

 private:
  int descriptor_;
};

/// One rank.
struct Alone final : Communicator {
  int rank() const override { return 0; }
  int size() const override { return 1; }
  std::vector<Bytes> exchange(std::vector<Bytes> out) override { return out; }
};

/// Runs a loader on the text; what it refuses is refused in the name of the file.
template <class Load>
auto load_text(std::string_view text, const std::string& name, Load load) {
  const TextFile file(text);
  Alone alone;
  try {
    return load(alone, file.path());
  } catch (const InputError& error) {
    const std::string what = error.what();
    const std::size_t found = what.find("found ");
    throw InputError(name + ": in a part of it " +
                     (found == std::string::npos ? what : what.substr(found)));
  }
}

}  // namespace gas::loaders
