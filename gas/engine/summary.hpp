#pragma once

#include <cstring>
#include <span>
#include <type_traits>
#include <vector>

#include "gas/base/communicator.hpp"
#include "gas/program/hooks.hpp"

namespace gas {

/// One Summary with its memory. A Summary is a trivially copyable struct with `+=`, a std::array of
/// numbers, or a row total; or NoType, which takes no bytes.
template <class S>
class SummaryBox {
  static_assert(std::is_trivially_copyable_v<S> && std::is_default_constructible_v<S>,
                "Summary must be trivially copyable and default-constructible with +=, or "
                "gas::VectorSum<T> or gas::Histogram");

 public:
  void resize(std::size_t) {}
  void clear() { value_ = S{}; }
  S& get() { return value_; }
  const S& get() const { return value_; }
  void add(const SummaryBox& other) {
    if constexpr (is_number_array<S>)
      for (std::size_t i = 0; i < value_.size(); ++i) value_[i] += other.value_[i];
    else if constexpr (present<S>)
      value_ += other.value_;
  }
  Bytes bytes() const {
    if constexpr (!present<S>) return {};
    const auto bytes = bytes_of(value_);
    return {bytes.begin(), bytes.end()};
  }
  void set(std::span<const std::byte> bytes) {
    if constexpr (present<S>) std::memcpy(&value_, bytes.data(), sizeof value_);
  }

 private:
  S value_{};
};

template <RowAccumulator S>
class SummaryBox<S> {
 public:
  using Element = typename S::Element;
  SummaryBox() = default;
  SummaryBox(const SummaryBox& other) : memory_(other.memory_), view_(memory_) {}
  SummaryBox& operator=(const SummaryBox& other) {
    memory_ = other.memory_;
    view_ = S(memory_);
    return *this;
  }
  ~SummaryBox() = default;
  void resize(std::size_t width) {
    memory_.assign(width, Element{});
    view_ = S(memory_);
  }
  void clear() { std::fill(memory_.begin(), memory_.end(), Element{}); }
  S& get() { return view_; }
  const S& get() const { return view_; }
  void add(const SummaryBox& other) {
    for (std::size_t i = 0; i < memory_.size(); ++i) S::combine(memory_[i], other.memory_[i]);
  }
  Bytes bytes() const { return to_bytes(std::span<const Element>(memory_)); }
  void set(std::span<const std::byte> bytes) {
    memory_ = from_bytes<Element>(bytes);
    view_ = S(memory_);
  }

 private:
  std::vector<Element> memory_;
  S view_{std::span<Element>()};
};

template <class P>
concept NamesSummary = present<SummaryType<P>>;

/// The last complete Summary of each kind. It is the same on every rank at staleness 0 and in
/// converged(). In visits and before_step() above staleness 0 it has the newest parts that have
/// arrived, which differ from rank to rank.
template <class P>
class Summaries {
 public:
  using Summary = SummaryType<P>;
  const Summary& vertex() const requires(OneKind<P>&& NamesSummary<P>) { return boxes_[0].get(); }
  const Summary& data() const requires(TwoKinds<P>&& NamesSummary<P>) { return boxes_[0].get(); }
  const Summary& parameter() const requires(TwoKinds<P>&& NamesSummary<P>) {
    return boxes_[1].get();
  }
  SummaryBox<SummaryType<P>>& box(std::size_t step) { return boxes_[step]; }

 private:
  SummaryBox<SummaryType<P>> boxes_[2];
};

}  // namespace gas
