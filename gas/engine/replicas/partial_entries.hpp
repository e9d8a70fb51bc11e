#pragma once

#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

#include "gas/engine/replicas/entries.hpp"

namespace gas {

/// What PartialAccumulators keep: an accumulator for each vertex of a list, empty at first. Threads
/// may put different ones at a time.
template <class Accumulator>
class PartialEntries {
 public:
  void resize(std::size_t count, std::size_t width) { entries_.resize(count, width); }
  void put(std::size_t i, const Accumulator& total) { gas::put(entries_, i, total); }
  void add_to(Accumulator& into, std::size_t i) { combine(into, entries_, i); }
  bool zero(std::size_t i) { return entries_.zero(i); }
  void clear() { entries_.clear(); }
  void clear(std::size_t i) { entries_.clear(i); }

  /// For encode_entries.
  auto writer() {
    return entry_writer(entries_, [](std::size_t i) { return i; });
  }
  /// Replaces entry i by what was written.
  void read(const std::byte*& at, std::size_t i) { read_entry(at, entries_, i); }
  /// The same; was something else there before?
  bool read_news(const std::byte*& at, std::size_t i) {
    if constexpr (ListAccumulator<Accumulator>) {
      const auto before = entries_.row(i);
      read(at, i);
      return !std::ranges::equal(std::as_bytes(std::span(before)),
                                 std::as_bytes(std::span(entries_.row(i))));
    } else {
      const Accumulator before = entries_[i];
      read(at, i);
      return bytes_of(before) != bytes_of(entries_[i]);
    }
  }

 private:
  AccumulatorArray<Accumulator> entries_;
};

/// Rows are kept as they are sent: of thousands of counts often only a few are not zero.
template <RowAccumulator Accumulator>
class PartialEntries<Accumulator> {
  using Element = typename Accumulator::Element;
  using Written = WrittenRow<Element>;

 public:
  void resize(std::size_t count, std::size_t width) {
    rows_ = std::vector<Row>(count);
    width_ = width;
  }
  void put(std::size_t i, const Accumulator& total) {
    const std::span<const Element> row = total.elements();
    const Written written(row);
    written.write(row, room(i, written.bytes()));
  }
  void add_to(Accumulator& into, std::size_t i) const {
    const std::byte* const at = rows_[i].get();
    if (at == nullptr) return;
    const std::span<Element> to = into.elements();
    Written(at, width_).read(at, [&](std::size_t k, const Element& x) {
      Accumulator::combine(to[k], x);
    });
  }
  bool zero(std::size_t i) const {
    return bytes(i).empty() || Written(rows_[i].get(), width_).empty();
  }
  void clear() { std::ranges::fill(rows_, nullptr); }
  void clear(std::size_t i) { rows_[i] = nullptr; }

  auto writer() const {
    return [this](std::size_t i, Bytes& out) {
      if (const auto of = bytes(i); !of.empty())
        out.insert(out.end(), of.begin(), of.end());
      else
        append_row<Element>(out, std::vector<Element>(width_));
    };
  }
  void read(const std::byte*& at, std::size_t i) {
    const std::size_t size = Written(at, width_).bytes();
    std::memcpy(room(i, size), at, size);
    at += size;
  }
  bool read_news(const std::byte*& at, std::size_t i) {
    const Written now(at, width_);
    const bool same =
        std::ranges::equal(bytes(i), std::span(at, now.bytes())) || (zero(i) && now.empty());
    read(at, i);
    return !same;
  }

 private:
  using Row = std::unique_ptr<std::byte[]>;

  /// None: a row of zeros.
  std::span<const std::byte> bytes(std::size_t i) const {
    const std::byte* const at = rows_[i].get();
    if (at == nullptr) return {};
    return {at, Written(at, width_).bytes()};
  }
  /// For so many bytes that replace row i.
  std::byte* room(std::size_t i, std::size_t size) {
    if (bytes(i).size() != size) rows_[i] = std::make_unique_for_overwrite<std::byte[]>(size);
    return rows_[i].get();
  }

  std::vector<Row> rows_;
  std::size_t width_ = 0;
};

}  // namespace gas
