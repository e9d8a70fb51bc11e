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

void Numbers::append_to(Bytes& bytes, std::span<const std::uint32_t> places) const {
  bytes.reserve(bytes.size() + places.size() * sizeof(std::uint64_t));
  for (const std::uint32_t at : places) append(bytes, &values_[at], sizeof(std::uint64_t));
}

void Numbers::reserve(std::span<const Bytes> blocks) {
  std::size_t bytes = 0;
  for (const Bytes& block : blocks) bytes += block.size();
  values_.reserve(values_.size() + bytes / sizeof(std::uint64_t));
}

namespace {

// Each name: its length in 8 bytes, then its text.

void append(Bytes& bytes, Names::View name) {
  const std::uint64_t length = name.size();
  append(bytes, &length, sizeof length);
  append(bytes, name.data(), name.size());
}

/// Takes the first name off.
Names::View next_name(std::span<const std::byte>& bytes) {
  std::uint64_t length = 0;
  std::memcpy(&length, bytes.data(), sizeof length);
  const std::span<const std::byte> text =
      bytes.subspan(sizeof length, static_cast<std::size_t>(length));
  bytes = bytes.subspan(sizeof length + text.size());
  return {reinterpret_cast<const char*>(text.data()), text.size()};
}

}  // namespace

void Names::append_to(Bytes& bytes, std::size_t begin, std::size_t end) const {
  for (std::size_t i = begin; i < end; ++i) append(bytes, (*this)[i]);
}

void Names::append_to(Bytes& bytes, std::span<const std::uint32_t> places) const {
  std::size_t size = bytes.size();
  for (const std::uint32_t at : places) size += sizeof(std::uint64_t) + (*this)[at].size();
  bytes.reserve(size);
  for (const std::uint32_t at : places) append(bytes, (*this)[at]);
}

void Names::add(std::span<const std::byte> bytes) {
  while (!bytes.empty()) push_back(next_name(bytes));
}

void Names::reserve(std::span<const Bytes> blocks) {
  std::size_t names = ends_.size(), text = text_.size();
  for (const Bytes& block : blocks)
    for (std::span<const std::byte> bytes = block; !bytes.empty(); ++names)
      text += next_name(bytes).size();
  ends_.reserve(names);
  text_.reserve(text);
}

}  // namespace gas::loaders
