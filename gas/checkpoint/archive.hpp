#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "gas/base/error.hpp"

namespace gas {

/// What a checkpoint is written and read with. `archive & value` counts, writes or reads the value,
/// whichever the archive is for: numbers and other plain bytes, std::vector, std::string, and
/// classes with
///   template <class Archive> void serialize(Archive& archive, unsigned) { archive & a & b; }
/// (the form of Boost.Serialization). Pointers are refused: they mean nothing in another process.
template <class Action>
class Archive : public Action {
 public:
  using Action::Action;

  template <class T>
  Archive& operator&(T& value) {
    if constexpr (requires { value.serialize(*this, 0U); }) {
      value.serialize(*this, 0U);
    } else {
      static_assert(
          std::is_trivially_copyable_v<T> && !std::is_pointer_v<T>,
          "a checkpoint stores trivially copyable types (no pointers), std::vector, std::string, "
          "and classes with template <class Archive> void serialize(Archive&, unsigned)");
      this->bytes(&value, sizeof value);
    }
    return *this;
  }
  template <class T>
  Archive& operator&(std::vector<T>& values) {
    constexpr bool by_hook = requires(T & t) { t.serialize(*this, 0U); };
    constexpr bool plain = std::is_trivially_copyable_v<T> && !by_hook;
    static_assert(!std::is_pointer_v<T>, "a pointer cannot be saved");
    resize(values, plain ? sizeof(T) : by_hook ? 0 : 1);
    if constexpr (plain)
      this->bytes(values.data(), values.size() * sizeof(T));
    else
      for (T& value : values) *this& value;
    return *this;
  }
  Archive& operator&(std::string& text) {
    resize(text, 1);
    this->bytes(text.data(), text.size());
    return *this;
  }
  template <class T>
  Archive& operator&(std::span<T> values) {
    this->bytes(values.data(), values.size_bytes());
    return *this;
  }

 private:
  /// `least`: the bytes that an element takes at least.
  template <class List>
  void resize(List& list, std::size_t least) {
    std::uint64_t size = list.size();
    *this& size;
    if constexpr (Action::loads) {
      if (least > 0 && size > this->left() / least) this->end();
      list.resize(size);
    }
  }
};

namespace detail {

struct CountsBytes {
  static constexpr bool loads = false;
  std::size_t count = 0;
  void bytes(const void*, std::size_t size) { count += size; }
};

struct WritesBytes {
  static constexpr bool loads = false;
  explicit WritesBytes(std::byte* to) : at(to) {}
  std::byte* at;
  void bytes(const void* from, std::size_t size) {
    if (size > 0) std::memcpy(at, from, size);
    at += size;
  }
};

class ReadsBytes {
 public:
  static constexpr bool loads = true;
  explicit ReadsBytes(std::span<const std::byte> from) : from_(from) {}
  void bytes(void* to, std::size_t size) {
    if (size > from_.size()) end();
    if (size > 0) std::memcpy(to, from_.data(), size);
    from_ = from_.subspan(size);
  }
  std::size_t left() const { return from_.size(); }
  [[noreturn]] static void end() {
    throw InputError(
        "found the end of a checkpoint's section, expected more data: the checkpoint does not "
        "match this program");
  }

 private:
  std::span<const std::byte> from_;
};

}  // namespace detail

using CountingArchive = Archive<detail::CountsBytes>;
using WritingArchive = Archive<detail::WritesBytes>;
using ReadingArchive = Archive<detail::ReadsBytes>;

/// Can a checkpoint take it?
template <class T>
constexpr bool can_be_saved = std::is_trivially_copyable_v<T> ||
                              requires(T& t, CountingArchive& archive) {
  t.serialize(archive, 0U);
};

/// What `save(archive)` writes: counted first, so that the bytes take their memory once.
template <class Save>
std::vector<std::byte> archived(Save save) {
  CountingArchive counting;
  save(counting);
  std::vector<std::byte> bytes(counting.count);
  WritingArchive writing(bytes.data());
  save(writing);
  return bytes;
}

}  // namespace gas
