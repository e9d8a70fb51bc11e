#pragma once

#include <algorithm>
#include <cstring>
#include <span>
#include <vector>

#include "gas/engine/store/huge_pages.hpp"
#include "gas/exchange/encoding.hpp"
#include "gas/program/hooks.hpp"

namespace gas {

/// out = value.
template <class T>
void write_out(std::span<const T> value, std::span<T> out) {
  std::ranges::copy(value, out.begin());
}
template <class T>
void write_out(std::span<const T> value, std::vector<T>& out) {
  if (value.data() != out.data()) out.assign(value.begin(), value.end());
}

/// The published values of one kind on one rank, by local id: masters and mirrors, in one flat
/// array. A snapshot kind (gathers from its own kind) writes a second array, which becomes visible
/// when the step ends.
template <class P, class K, bool snapshot>
class PublishedArray {
 public:
  using Value = PublishedType<K>;

  void resize(std::size_t count, std::size_t /*width*/) {
    now_.assign(count, Value{});
    if constexpr (snapshot) next_ = now_;
  }
  std::size_t entry_bytes() const { return sizeof(Value); }
  Value operator[](LocalId v) const { return now_[v]; }
  const Value* data() const { return now_.data(); }
  /// For readers and writers at once, through atomic references.
  Value* shared() { return now_.data(); }
  void set(LocalId v, const Value& value) { writable()[v] = value; }
  void flip() {
    if constexpr (snapshot) now_.swap(next_);
  }
  /// What was set becomes visible, and stays in both arrays.
  void settle() {
    if constexpr (snapshot) now_ = next_;
  }
  /// What is visible stands in both arrays.
  void keep_all() {
    if constexpr (snapshot) next_ = now_;
  }
  void keep(LocalId v) {
    if constexpr (snapshot) next_[v] = now_[v];
  }
  /// Readers see at once what was set.
  void show(LocalId v) {
    if constexpr (snapshot) now_[v] = next_[v];
  }
  void write(LocalId v, std::byte* at) { std::memcpy(at, &writable()[v], sizeof(Value)); }
  void read(LocalId v, const std::byte*& at) { writable()[v] = detail::read_at<Value>(at); }
  bool differs(LocalId v) const requires snapshot { return !(now_[v] == next_[v]); }
  /// The next values of `count` vertices from `first` on.
  std::span<std::byte> next_bytes(LocalId first, std::size_t count) {
    return std::as_writable_bytes(std::span(writable()).subspan(first, count));
  }

 private:
  using Array = std::vector<Value, HugePages<Value>>;
  Array& writable() {
    if constexpr (snapshot)
      return next_;
    else
      return now_;
  }
  Array now_, next_;
};

template <class P, class K, bool snapshot>
requires is_row<PublishedType<K>>
class PublishedArray<P, K, snapshot> {
 public:
  using Element = typename PublishedType<K>::Element;
  using Array = std::vector<Element, HugePages<Element>>;

  void resize(std::size_t count, std::size_t width) {
    width_ = width;
    stride_ = row_stride(width);
    now_.assign(count * stride_, Element{});
    if constexpr (snapshot) next_ = now_;
  }
  std::size_t width() const { return width_; }
  std::size_t stride() const { return stride_; }
  std::size_t rows() const { return stride_ == 0 ? 0 : now_.size() / stride_; }
  const Element* data() const { return now_.data(); }
  std::size_t entry_bytes() const { return width_ * sizeof(Element); }
  RowView<const Element> operator[](LocalId v) const {
    return {now_.data() + std::size_t{v} * stride_, width_};
  }
  void set(LocalId v, RowView<const Element> row) { std::ranges::copy(row, next(v).begin()); }
  /// The row that readers see from the step's end on.
  RowView<Element> next(LocalId v) {
    Array& array = snapshot ? next_ : now_;
    return {array.data() + std::size_t{v} * stride_, width_};
  }
  void flip() {
    if constexpr (snapshot) now_.swap(next_);
  }
  void settle() {
    if constexpr (snapshot) now_ = next_;
  }
  /// What is visible stands in both arrays.
  void keep_all() {
    if constexpr (snapshot) next_ = now_;
  }
  void keep(LocalId v) {
    if constexpr (snapshot) std::ranges::copy((*this)[v], next(v).begin());
  }
  void show(LocalId v) {
    if constexpr (snapshot)
      std::ranges::copy(next(v), now_.begin() + static_cast<std::ptrdiff_t>(v * stride_));
  }
  void write(LocalId v, std::byte* at) { std::memcpy(at, next(v).data(), entry_bytes()); }
  void read(LocalId v, const std::byte*& at) {
    std::memcpy(next(v).data(), at, entry_bytes());
    at += entry_bytes();
  }

 private:
  Array now_, next_;
  std::size_t width_ = 0;
  std::size_t stride_ = 0;
};

/// Lists, each in memory of its own, which it keeps while it shrinks and grows.
template <class P, class K, bool snapshot>
requires is_list<PublishedType<K>>
class PublishedArray<P, K, snapshot> {
 public:
  using Element = typename PublishedType<K>::Element;
  using Array = std::vector<std::vector<Element>>;

  void resize(std::size_t count, std::size_t /*width*/) {
    now_.assign(count, {});
    if constexpr (snapshot) next_ = now_;
  }
  std::size_t entry_bytes() const { return sizeof(std::uint32_t); }  // the length alone
  std::span<const Element> operator[](LocalId v) const { return now_[v]; }
  /// By local id, the lists that readers see.
  const std::vector<Element>* data() const { return now_.data(); }
  void set(LocalId v, std::span<const Element> list) { write_out(list, next(v)); }
  std::vector<Element>& next(LocalId v) {
    if constexpr (snapshot)
      return next_[v];
    else
      return now_[v];
  }
  void flip() {
    if constexpr (snapshot) now_.swap(next_);
  }
  void settle() {
    if constexpr (snapshot) now_ = next_;
  }
  void keep_all() {
    if constexpr (snapshot) next_ = now_;
  }
  void keep(LocalId v) {
    if constexpr (snapshot) next_[v] = now_[v];
  }
  void show(LocalId v) {
    if constexpr (snapshot) now_[v] = next_[v];
  }
  void write(LocalId v, Bytes& out) { append_list<Element>(out, next(v)); }
  void read(LocalId v, const std::byte*& at) { read_list(at, next(v)); }

 private:
  Array now_, next_;
};

/// Publishes nothing.
template <class P, class K, bool snapshot>
requires(!present<PublishedType<K>>) class PublishedArray<P, K, snapshot> {
 public:
  void resize(std::size_t, std::size_t) {}
  void flip() {}
  void settle() {}
  void keep_all() {}
};

/// A value that is not equal to itself holds a NaN.
template <class Read>
bool is_nan(const Read& value) {
  if constexpr (requires { value.begin(); }) {
    std::uint32_t count = 0;  // of all, since a loop without an exit is vectorised
    for (const auto& x : value) count += x == x ? 0 : 1;
    return count > 0;
  } else {
    return !(value == value);
  }
}

}  // namespace gas
