#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "gas/base/communicator.hpp"
#include "gas/base/error.hpp"
#include "gas/base/page_array.hpp"

namespace gas::loaders {

/// A list of numeric ids.
class Numbers {
 public:
  using View = std::uint64_t;

  std::size_t size() const { return values_.size(); }
  View operator[](std::size_t i) const { return values_[i]; }
  void push_back(View value) { values_.push_back(value); }
  void append_to(Bytes& bytes, std::size_t begin, std::size_t end) const;
  /// Those of these places, and no memory beyond what they take.
  void append_to(Bytes& bytes, std::span<const std::uint32_t> places) const;
  /// Adds what append_to wrote.
  void add(std::span<const std::byte> bytes);
  /// Takes the memory for adding these.
  void reserve(std::span<const Bytes> blocks);

  static std::uint64_t hash(View value) {
    value ^= value >> 32;
    value *= 0x9e3779b97f4a7c15U;
    return value ^ (value >> 29);
  }

 private:
  std::vector<std::uint64_t> values_;
};

/// A list of names in one piece of memory.
class Names {
 public:
  using View = std::string_view;

  std::size_t size() const { return ends_.size(); }
  View operator[](std::size_t i) const {
    const std::uint64_t begin = i == 0 ? 0 : ends_[i - 1];
    return {text_.data() + begin, static_cast<std::size_t>(ends_[i] - begin)};
  }
  void push_back(View name) {
    text_.insert(text_.end(), name.begin(), name.end());
    ends_.push_back(text_.size());
  }
  void append_to(Bytes& bytes, std::size_t begin, std::size_t end) const;
  void append_to(Bytes& bytes, std::span<const std::uint32_t> places) const;
  void add(std::span<const std::byte> bytes);
  void reserve(std::span<const Bytes> blocks);

  static std::uint64_t hash(View name) { return std::hash<std::string_view>()(name); }

 private:
  std::vector<char> text_;
  std::vector<std::uint64_t> ends_;
};

/// Keys without repetition, numbered as they come: open addressing over a list of them.
template <class Keys>
class Interner {
 public:
  using View = typename Keys::View;
  static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

  const Keys& keys() const { return keys_; }
  /// Gives the keys away. Nothing is to be asked for afterwards.
  Keys take() {
    release(slots_);
    return std::move(keys_);
  }

  /// The number of this key, a new one if it has none. RunError beyond 2³² − 2 keys on this rank.
  std::uint32_t intern(View key) {
    if (keys_.size() * 2 >= slots_.size()) grow();
    std::uint32_t& slot = slots_[find_slot(key)];
    if (slot == none) {
      if (keys_.size() >= none) throw RunError("more than 4294967294 different ids on one rank");
      slot = static_cast<std::uint32_t>(keys_.size());
      keys_.push_back(key);
    }
    return slot;
  }
  /// The number of this key, or `none`.
  std::uint32_t find(View key) const { return slots_.empty() ? none : slots_[find_slot(key)]; }

 private:
  std::size_t find_slot(View key) const {
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = static_cast<std::size_t>(Keys::hash(key)) & mask;
    while (slots_[at] != none && keys_[slots_[at]] != key) at = (at + 1) & mask;
    return at;
  }
  void grow() {
    slots_.assign(slots_.empty() ? 1024 : slots_.size() * 2, none);
    for (std::size_t i = 0; i < keys_.size(); ++i)
      slots_[find_slot(keys_[i])] = static_cast<std::uint32_t>(i);
  }

  Keys keys_;
  std::vector<std::uint32_t> slots_;
};

}  // namespace gas::loaders
