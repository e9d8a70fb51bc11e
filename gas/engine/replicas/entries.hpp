#pragma once

#include <algorithm>

#include "gas/exchange/encoding.hpp"
#include "gas/program/accumulator_array.hpp"

namespace gas {

// Accumulators of an array as entries of a message (encode_entries, decode_entries).

/// The bytes of an entry, `width` elements if it is a row; of a list those of its length alone.
template <class Accumulator>
constexpr std::size_t entry_bytes(std::size_t width) {
  if constexpr (RowAccumulator<Accumulator>)
    return width * sizeof(typename Accumulator::Element);
  else if constexpr (ListAccumulator<Accumulator>)
    return sizeof(std::uint32_t);
  else
    return sizeof(Accumulator);
}

/// Writes entry i: from[index(i)].
template <class Accumulator, class Index>
auto entry_writer(AccumulatorArray<Accumulator>& from, Index index) {
  if constexpr (RowAccumulator<Accumulator>)
    return [&from, index](std::size_t i, Bytes& out) {
      append_row<typename Accumulator::Element>(out, from.row(index(i)));
    };
  else if constexpr (ListAccumulator<Accumulator>)
    return [&from, index](std::size_t i, Bytes& out) {
      append_list<typename Accumulator::Element>(out, from.row(index(i)));
    };
  else
    return [&from, index](std::size_t i, std::byte* at) {
      std::ranges::copy(bytes_of(from[index(i)]), at);
    };
}

/// into[i] = what was written.
template <class Accumulator>
void read_entry(const std::byte*& at, AccumulatorArray<Accumulator>& into, std::size_t i) {
  if constexpr (RowAccumulator<Accumulator>)
    read_row(at, into.row(i));
  else if constexpr (ListAccumulator<Accumulator>)
    read_list(at, into.row(i));
  else
    into[i] = detail::read_at<Accumulator>(at);
}

}  // namespace gas
