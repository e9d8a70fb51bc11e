#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "gas/base/page_array.hpp"

namespace gas {

/// Numbers side by side that nobody changes: the list's own, which copies of it share, or a
/// caller's, which must outlive all copies.
template <class T>
class SharedList {
 public:
  using value_type = T;

  SharedList() = default;
  SharedList(const SharedList&) = default;
  SharedList& operator=(const SharedList&) = default;
  SharedList(SharedList&& from) noexcept
      : own_(std::move(from.own_)), view_(std::exchange(from.view_, {})) {}
  SharedList& operator=(SharedList&& from) noexcept {
    own_ = std::move(from.own_);
    view_ = std::exchange(from.view_, {});
    return *this;
  }
  ~SharedList() = default;
  SharedList(std::vector<T> own)  // NOLINT: a vector becomes one by assignment
  {
    const auto kept = std::make_shared<const std::vector<T>>(std::move(own));
    view_ = *kept;
    own_ = kept;
  }

  /// fill(list) writes to each of `size` places.
  template <class Fill>
  static SharedList filled(std::size_t size, Fill fill) {
    const std::shared_ptr<T[]> places = std::make_shared_for_overwrite<T[]>(size);
    fill_soon(places.get(), size * sizeof(T));
    fill(std::span(places.get(), size));
    SharedList list;
    list.view_ = {places.get(), size};
    list.own_ = places;
    return list;
  }
  static SharedList borrowed(std::span<const T> from) {
    SharedList list;
    list.view_ = from;
    return list;
  }

  const T* data() const { return view_.data(); }
  std::size_t size() const { return view_.size(); }
  bool empty() const { return view_.empty(); }
  const T& operator[](std::size_t i) const { return view_[i]; }
  const T& front() const { return view_.front(); }
  auto begin() const { return view_.begin(); }
  auto end() const { return view_.end(); }
  std::vector<T> copy() const { return {begin(), end()}; }

  friend bool operator==(const SharedList& a, const SharedList& b) {
    return std::ranges::equal(a.view_, b.view_);
  }

 private:
  std::shared_ptr<const void> own_;  // empty: a caller has it
  std::span<const T> view_;
};

}  // namespace gas
