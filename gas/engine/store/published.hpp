#pragma once

#include <algorithm>
#include <cstring>
#include <span>
#include <vector>

#include "gas/engine/store/vertex_list.hpp"
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

/// One array that readers see. A snapshot kind has a second one, which a step writes while its
/// readers see what was published before it. The second one is made before the first such step, so
/// that runs without one (by buckets, on one rank) do not pay for it.
template <class Array, bool snapshot>
class TwoArrays {
 public:
  /// What is set from here on becomes visible when the step ends. What is visible stands in both.
  void part(Executor& executor) {
    if constexpr (snapshot) {
      if (next_.size() == now_.size()) return;
      copy_by_all(executor, next_, now_);
      to_ = next_.data();
    }
  }
  /// Only what is visible stays, in one array.
  void join() {
    if constexpr (snapshot) {
      next_ = Array();
      to_ = now_.data();
    }
  }
  void flip() {
    if constexpr (snapshot) {
      now_.swap(next_);
      to_ = next_.data();
    }
  }
  /// What is visible stands in both arrays.
  void keep_all() {
    if constexpr (snapshot) {
      next_ = now_;
      to_ = next_.data();
    }
  }

 protected:
  using Entry = typename Array::value_type;

  void assign(Executor& executor, std::size_t count) {
    next_ = Array();
    make_by_all(executor, now_, count);
    to_ = now_.data();
  }
  bool parted() const { return snapshot && to_ != now_.data(); }
  const Entry* now() const { return now_.data(); }
  Entry* now() { return now_.data(); }
  /// Where values are set.
  Entry* next() { return to_; }
  const Entry* next() const { return to_; }
  std::size_t entries() const { return now_.size(); }

 private:
  Array now_, next_;
  Entry* to_ = nullptr;
};

/// The published values of one kind on one rank, by local id: masters and mirrors, in one flat
/// array. A snapshot kind (gathers from its own kind) writes a second array, which becomes visible
/// when the step ends.
template <class P, class K, bool snapshot>
class PublishedArray : public TwoArrays<VertexList<PublishedType<K>>, snapshot> {
  using Base = TwoArrays<VertexList<PublishedType<K>>, snapshot>;
  using Base::next, Base::now;

 public:
  using Value = PublishedType<K>;

  void resize(Executor& executor, std::size_t count, std::size_t /*width*/) {
    Base::assign(executor, count);
  }
  std::size_t entry_bytes() const { return sizeof(Value); }
  Value operator[](LocalId v) const { return now()[v]; }
  const Value* data() const { return now(); }
  /// For readers and writers at once, through atomic references.
  Value* shared() { return now(); }
  void set(LocalId v, const Value& value) { next()[v] = value; }
  void keep(LocalId v) {
    if constexpr (snapshot) next()[v] = now()[v];
  }
  /// Readers see at once what was set.
  void show(LocalId v) {
    if constexpr (snapshot) now()[v] = next()[v];
  }
  void write(LocalId v, std::byte* at) { std::memcpy(at, next() + v, sizeof(Value)); }
  void read(LocalId v, const std::byte*& at) { next()[v] = detail::read_at<Value>(at); }
  bool differs(LocalId v) const requires snapshot { return !(now()[v] == next()[v]); }
  /// The next values of `count` vertices from `first` on.
  std::span<std::byte> next_bytes(LocalId first, std::size_t count) {
    return std::as_writable_bytes(std::span(next() + first, count));
  }
};

template <class P, class K, bool snapshot>
requires is_row<PublishedType<K>>
class PublishedArray<P, K, snapshot>
    : public TwoArrays<VertexList<typename PublishedType<K>::Element>, snapshot> {
 public:
  using Element = typename PublishedType<K>::Element;

 private:
  using Base = TwoArrays<VertexList<Element>, snapshot>;

 public:
  void resize(Executor& executor, std::size_t count, std::size_t width) {
    width_ = width;
    stride_ = row_stride(width);
    Base::assign(executor, count * stride_);
  }
  std::size_t width() const { return width_; }
  std::size_t stride() const { return stride_; }
  std::size_t rows() const { return stride_ == 0 ? 0 : Base::entries() / stride_; }
  const Element* data() const { return Base::now(); }
  std::size_t entry_bytes() const { return width_ * sizeof(Element); }
  RowView<const Element> operator[](LocalId v) const {
    return {Base::now() + std::size_t{v} * stride_, width_};
  }
  void set(LocalId v, RowView<const Element> row) { std::ranges::copy(row, next(v).begin()); }
  /// The row that readers see from the step's end on.
  RowView<Element> next(LocalId v) { return {Base::next() + std::size_t{v} * stride_, width_}; }
  void keep(LocalId v) {
    if constexpr (snapshot)
      if (Base::parted()) std::ranges::copy((*this)[v], next(v).begin());
  }
  void show(LocalId v) {
    if constexpr (snapshot)
      if (Base::parted()) std::ranges::copy(next(v), Base::now() + std::size_t{v} * stride_);
  }
  void write(LocalId v, std::byte* at) { std::memcpy(at, next(v).data(), entry_bytes()); }
  void read(LocalId v, const std::byte*& at) {
    std::memcpy(next(v).data(), at, entry_bytes());
    at += entry_bytes();
  }

 private:
  std::size_t width_ = 0;
  std::size_t stride_ = 0;
};

/// Lists, each in memory of its own, which it keeps while it shrinks and grows.
template <class P, class K, bool snapshot>
requires is_list<PublishedType<K>>
class PublishedArray<P, K, snapshot>
    : public TwoArrays<std::vector<std::vector<typename PublishedType<K>::Element>>, snapshot> {
 public:
  using Element = typename PublishedType<K>::Element;

 private:
  using Base = TwoArrays<std::vector<std::vector<Element>>, snapshot>;

 public:
  void resize(Executor& executor, std::size_t count, std::size_t /*width*/) {
    Base::assign(executor, count);
  }
  std::size_t entry_bytes() const { return sizeof(std::uint32_t); }  // the length alone
  std::span<const Element> operator[](LocalId v) const { return Base::now()[v]; }
  /// By local id, the lists that readers see.
  const std::vector<Element>* data() const { return Base::now(); }
  void set(LocalId v, std::span<const Element> list) { write_out(list, next(v)); }
  std::vector<Element>& next(LocalId v) { return Base::next()[v]; }
  void keep(LocalId v) {
    if constexpr (snapshot) Base::next()[v] = Base::now()[v];
  }
  void show(LocalId v) {
    if constexpr (snapshot) Base::now()[v] = Base::next()[v];
  }
  void write(LocalId v, Bytes& out) { append_list<Element>(out, next(v)); }
  void read(LocalId v, const std::byte*& at) { read_list(at, next(v)); }
};

/// Publishes nothing.
template <class P, class K, bool snapshot>
requires(!present<PublishedType<K>>) class PublishedArray<P, K, snapshot> {
 public:
  void resize(Executor&, std::size_t, std::size_t) {}
  void part(Executor&) {}
  void flip() {}
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
