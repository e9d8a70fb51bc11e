#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <type_traits>
#include <vector>

#include "gas/base/communicator.hpp"
#include "gas/base/error.hpp"
#include "gas/program/accumulators.hpp"

namespace gas {

// A message about an agreed list of n vertices says which entries it holds in the cheapest of four
// forms, then the entries in the list's order. No vertex id travels.
enum class Form : std::uint8_t { nothing, all, bitmap, list };

namespace detail {

inline Form cheapest_form(std::size_t n, std::size_t changed) {
  if (changed == 0) return Form::nothing;
  if (changed == n) return Form::all;
  return (n + 7) / 8 <= 4 * (changed + 1) ? Form::bitmap : Form::list;
}

template <class T>
void append(Bytes& out, const T& value) {
  const auto* bytes = reinterpret_cast<const std::byte*>(&value);
  out.insert(out.end(), bytes, bytes + sizeof value);
}

template <class T>
T read_at(const std::byte*& at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  at += sizeof value;
  return value;
}

/// Appends entries, as `write` of encode_entries writes them: entry(k) is the k-th of `count`.
template <class Entry, class Write>
void append_entries(Bytes& out, std::size_t count, std::size_t entry_bytes, Entry entry,
                    Write write) {
  if constexpr (std::is_invocable_v<Write, std::size_t, std::byte*>) {
    const std::size_t head = out.size();
    out.resize(head + count * entry_bytes);
    std::byte* at = out.data() + head;
    for (std::size_t k = 0; k < count; ++k, at += entry_bytes) write(entry(k), at);
  } else {
    for (std::size_t k = 0; k < count; ++k) write(entry(k), out);
  }
}

}  // namespace detail

/// The message of encode_entries whose entries are those at `indices`, ascending: bitmaps and whole
/// lists are left to it.
template <class Write>
Bytes encode_listed(std::span<const std::uint32_t> indices, std::size_t entry_bytes, Write write) {
  Bytes out;
  if (indices.empty()) return out;
  out.reserve(1 + 4 * (indices.size() + 1) + indices.size() * (entry_bytes + 4));
  out.push_back(static_cast<std::byte>(Form::list));
  detail::append(out, static_cast<std::uint32_t>(indices.size()));
  const auto bytes = std::as_bytes(indices);
  out.insert(out.end(), bytes.begin(), bytes.end());
  detail::append_entries(
      out, indices.size(), entry_bytes, [&](std::size_t k) { return indices[k]; }, write);
  return out;
}

/// `changed(i)` for i < n. Entries of one size: `write(i, at)` writes entry i, `entry_bytes` long,
/// to `at`. Of several: `write(i, out)` appends it to `out`, a Bytes with room reserved for
/// `entry_bytes` each. Nothing changed: an empty message.
template <class Changed, class Write>
Bytes encode_entries(std::size_t n, std::size_t entry_bytes, Changed changed, Write write) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < n; ++i) count += changed(i) ? 1 : 0;
  const Form form = detail::cheapest_form(n, count);
  if (form == Form::nothing) return {};
  std::vector<std::uint32_t> indices;
  if (form != Form::all) {
    indices.resize(count + 1);  // each index is written, and the last one stays if it changed
    std::size_t found = 0;
    for (std::size_t i = 0; i < n; ++i) {
      indices[found] = static_cast<std::uint32_t>(i);
      found += changed(i) ? 1 : 0;
    }
    indices.pop_back();
  }
  if (form == Form::list) return encode_listed(indices, entry_bytes, write);
  Bytes out;
  out.reserve(1 + (n + 7) / 8 + count * (entry_bytes + 4));
  out.push_back(static_cast<std::byte>(form));
  if (form == Form::all) {
    detail::append_entries(
        out, n, entry_bytes, [](std::size_t k) { return k; }, write);
    return out;
  }
  out.resize(1 + (n + 7) / 8);
  for (const std::uint32_t i : indices) out[1 + i / 8] |= static_cast<std::byte>(1U << (i % 8));
  detail::append_entries(
      out, count, entry_bytes, [&](std::size_t k) { return indices[k]; }, write);
  return out;
}

/// The message of encode_entries in which all entries changed, if they lie side by side already.
inline Bytes encode_all(std::span<const std::byte> entries) {
  Bytes out;
  out.reserve(1 + entries.size() + 128);  // room for what a transport adds
  out.push_back(static_cast<std::byte>(Form::all));
  out.insert(out.end(), entries.begin(), entries.end());
  return out;
}
inline bool holds_all(std::span<const std::byte> message) {
  return !message.empty() && static_cast<Form>(message[0]) == Form::all;
}

/// `read(i, at)` takes entry i from `at` and moves it behind the entry.
template <class Read>
void decode_entries(std::span<const std::byte> in, std::size_t n, Read read) {
  if (in.empty()) return;
  const std::byte* at = in.data();
  switch (static_cast<Form>(*at++)) {
    case Form::nothing:
      break;
    case Form::all:
      for (std::size_t i = 0; i < n; ++i) read(i, at);
      break;
    case Form::bitmap: {
      const std::byte* bits = at;
      at += (n + 7) / 8;
      for (std::size_t i = 0; i < n; ++i)
        if ((bits[i / 8] & static_cast<std::byte>(1U << (i % 8))) != std::byte{}) read(i, at);
      break;
    }
    case Form::list: {
      const auto count = detail::read_at<std::uint32_t>(at);
      const std::byte* indices = at;
      at += std::size_t{4} * count;
      for (std::uint32_t j = 0; j < count; ++j) read(detail::read_at<std::uint32_t>(indices), at);
      break;
    }
  }
}

/// A row that may be mostly zeros, as it is written: its nonzeros with their indices, or all of it,
/// whichever is shorter.
template <class T>
class WrittenRow {
 public:
  /// How `row` would be written.
  explicit WrittenRow(std::span<const T> row) : width_(row.size()) {
    std::uint32_t nonzeros = 0;
    for (const T& x : row) nonzeros += x != T{} ? 1U : 0U;
    if (nonzeros * (sizeof(T) + 4) < row.size_bytes()) nonzeros_ = nonzeros;
  }
  /// How the one of this width at `at` was written.
  WrittenRow(const std::byte* at, std::size_t width)
      : width_(width), nonzeros_(detail::read_at<std::uint32_t>(at)) {}

  std::size_t bytes() const {
    return 4 + (nonzeros_ == all ? width_ * sizeof(T) : nonzeros_ * (sizeof(T) + 4));
  }
  bool empty() const { return nonzeros_ == 0; }

  void write(std::span<const T> row, std::byte* at) const {
    std::memcpy(at, &nonzeros_, 4);
    at += 4;
    if (nonzeros_ == all) {
      std::memcpy(at, row.data(), row.size_bytes());
      return;
    }
    std::uint32_t left = nonzeros_;
    for (std::uint32_t i = 0; left > 0; ++i) {
      if (row[i] == T{}) continue;
      std::memcpy(at, &i, 4);
      std::memcpy(at + 4, &row[i], sizeof(T));
      at += 4 + sizeof(T);
      --left;
    }
  }
  /// each(i, element) of the one at `at`, where zeros may be left out; → what is behind it.
  template <class Each>
  const std::byte* read(const std::byte* at, Each each) const {
    at += 4;
    if (nonzeros_ == all)
      for (std::size_t i = 0; i < width_; ++i) each(i, detail::read_at<T>(at));
    else
      for (std::uint32_t j = 0; j < nonzeros_; ++j) {
        const auto i = detail::read_at<std::uint32_t>(at);
        each(i, detail::read_at<T>(at));
      }
    return at;
  }

 private:
  static constexpr std::uint32_t all = ~std::uint32_t{0};
  std::size_t width_;
  std::uint32_t nonzeros_ = all;
};

template <class T>
void append_row(Bytes& out, std::span<const T> row) {
  const WrittenRow<T> written(row);
  const std::size_t head = out.size();
  out.resize(head + written.bytes());
  written.write(row, out.data() + head);
}

/// Overwrites `row` with what append_row wrote.
template <class T>
void read_row(const std::byte*& at, std::span<T> row) {
  std::ranges::fill(row, T{});
  at = WrittenRow<T>(at, row.size()).read(at, [&](std::size_t i, const T& x) { row[i] = x; });
}

/// A list: its length and its elements.
template <class T>
void append_list(Bytes& out, std::span<const T> list) {
  if (list.size() > std::numeric_limits<std::uint32_t>::max())
    throw RunError("a list of 2^32 elements or more cannot be sent");
  detail::append(out, static_cast<std::uint32_t>(list.size()));
  const auto bytes = std::as_bytes(list);
  out.insert(out.end(), bytes.begin(), bytes.end());
}

/// Overwrites `list` with what append_list wrote.
template <class T>
void read_list(const std::byte*& at, std::vector<T>& list) {
  list.resize(detail::read_at<std::uint32_t>(at));
  if (!list.empty()) std::memcpy(list.data(), at, list.size() * sizeof(T));
  at += list.size() * sizeof(T);
}

}  // namespace gas
