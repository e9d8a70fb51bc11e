#include "loaders/ids/keys.hpp"

#include <cstring>

namespace gas::loaders {
namespace {

void append(Bytes& bytes, const void* data, std::size_t size) {
  const auto* from = static_cast<const std::byte*>(data);
  bytes.insert(bytes.end(), from, from + size);
}

}  // namespace

void Numbers::append_to(Bytes& bytes, std::size_t begin, std::size_t end) const {
  append(bytes, values_.data() + begin, (end - begin) * sizeof(std::uint64_t));
}

void Numbers::add(std::span<const std::byte> bytes) {
  const std::vector<std::uint64_t> more = from_bytes<std::uint64_t>(bytes);
  values_.insert(values_.end(), more.begin(), more.end());
}

// Each name: its length in 8 bytes, then its text.
void Names::append_to(Bytes& bytes, std::size_t begin, std::size_t end) const {
  for (std::size_t i = begin; i < end; ++i) {
    const View name = (*this)[i];
    const std::uint64_t length = name.size();
    append(bytes, &length, sizeof length);
    append(bytes, name.data(), name.size());
  }
}

void Names::add(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    std::uint64_t length = 0;
    std::memcpy(&length, bytes.data(), sizeof length);
    bytes = bytes.subspan(sizeof length);
    push_back({reinterpret_cast<const char*>(bytes.data()), static_cast<std::size_t>(length)});
    bytes = bytes.subspan(static_cast<std::size_t>(length));
  }
}

}  // namespace gas::loaders
