#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <numeric>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "gas/base/function_ref.hpp"
#include "gas/base/types.hpp"

namespace gas {

using Bytes = std::vector<std::byte>;

/// The ranks that load, partition and build a graph together. Everything here is collective: all
/// ranks call it, in the same order, from the thread that created the communicator. Nothing here is
/// meant for the hot path.
class Communicator {
 public:
  Communicator() = default;
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;
  virtual ~Communicator() = default;

  /// This rank's number, 0 … size()−1.
  virtual int rank() const = 0;
  /// The number of ranks.
  virtual int size() const = 0;

  /// All-to-all. Sends block i of `out` to rank i; block i of the result came from rank i. There
  /// are size() blocks, of any length, also above 2 GiB.
  virtual std::vector<Bytes> exchange(std::vector<Bytes> out) = 0;

  /// Sends numbers[i] to rank i; element i of the result came from rank i.
  virtual std::vector<std::uint64_t> exchange_numbers(std::span<const std::uint64_t> numbers);

  /// As exchange, where both ends know the lengths: sends out[i] to rank i and fills in[i] with as
  /// many bytes from rank i. Over MPI no byte is stored twice; this default copies. Waits for all
  /// of it.
  virtual void exchange_into(std::span<const std::span<const std::byte>> out,
                             std::span<const std::span<std::byte>> in);

  /// Writes every rank's bytes to `all`, side by side in rank order; rank i has sizes[i] bytes.
  virtual void gather_bytes(std::span<const std::byte> mine, std::span<const std::uint64_t> sizes,
                            std::byte* all);

  /// Overwrites `bytes` with those of rank `root`. Its length is the same on every rank.
  virtual void broadcast_bytes(std::span<std::byte> bytes, int root);
};

template <class T>
concept Plain = std::is_trivially_copyable_v<T>;

template <Plain T>
Bytes to_bytes(std::span<const T> values) {
  const std::span<const std::byte> bytes = std::as_bytes(values);
  return {bytes.data(), bytes.data() + bytes.size()};
}

/// The same bytes for equal members: padding is 0. Clang 16 cannot tell where padding is, and
/// leaves it as it is.
template <Plain T>
std::array<std::byte, sizeof(T)> bytes_of(T value) {
#if __has_builtin(__builtin_clear_padding)
  __builtin_clear_padding(&value);
#endif
  return std::bit_cast<std::array<std::byte, sizeof(T)>>(value);
}

template <Plain T>
std::vector<T> from_bytes(std::span<const std::byte> bytes) {
  std::vector<T> values(bytes.size() / sizeof(T));
  if (!values.empty()) std::memcpy(values.data(), bytes.data(), values.size() * sizeof(T));
  return values;
}

namespace detail {

/// The lists from the other ranks; that of this rank stays empty.
template <Plain T>
std::vector<std::vector<T>> exchange_lists(Communicator& comm,
                                           std::span<const std::vector<T>> out) {
  std::vector<std::uint64_t> counts;
  for (const std::vector<T>& list : out) counts.push_back(list.size());
  counts = comm.exchange_numbers(counts);
  std::vector<std::vector<T>> in(out.size());
  std::vector<std::span<const std::byte>> leaving(out.size());
  std::vector<std::span<std::byte>> arriving(out.size());
  for (std::size_t rank = 0; rank < out.size(); ++rank) {
    if (rank == static_cast<std::size_t>(comm.rank())) continue;
    in[rank].resize(counts[rank]);
    leaving[rank] = std::as_bytes(std::span(out[rank]));
    arriving[rank] = std::as_writable_bytes(std::span(in[rank]));
  }
  comm.exchange_into(leaving, arriving);
  return in;
}

}  // namespace detail

/// Sends out[i] to rank i; list i of the result came from rank i.
template <Plain T>
std::vector<std::vector<T>> all_to_all(Communicator& comm, const std::vector<std::vector<T>>& out) {
  auto in = detail::exchange_lists(comm, std::span(out));
  const auto self = static_cast<std::size_t>(comm.rank());
  in[self] = out[self];
  return in;
}

/// The same for lists that the caller gives up: the one to this rank itself is not copied.
template <Plain T>
std::vector<std::vector<T>> all_to_all(Communicator& comm, std::vector<std::vector<T>>&& out) {
  auto in = detail::exchange_lists(comm, std::span<const std::vector<T>>(out));
  const auto self = static_cast<std::size_t>(comm.rank());
  in[self] = std::move(out[self]);
  out.clear();
  return in;
}

/// The values of all ranks, side by side in rank order: a range of one std::span<const T> per rank.
template <Plain T>
class Blocks {
 public:
  class Iterator {
   public:
    using value_type = std::span<const T>;
    using difference_type = std::ptrdiff_t;
    Iterator() = default;
    Iterator(const Blocks* blocks, std::size_t rank) : blocks_(blocks), rank_(rank) {}
    value_type operator*() const { return (*blocks_)[rank_]; }
    Iterator& operator++() { return ++rank_, *this; }
    Iterator operator++(int) { return {blocks_, rank_++}; }
    bool operator==(const Iterator&) const = default;

   private:
    const Blocks* blocks_ = nullptr;
    std::size_t rank_ = 0;
  };

  explicit Blocks(std::span<const std::uint64_t> counts) : begin_(counts.size() + 1, 0) {
    std::partial_sum(counts.begin(), counts.end(), begin_.begin() + 1);
    values_.resize(begin_.back());
  }
  std::size_t size() const { return begin_.size() - 1; }
  std::span<const T> operator[](std::size_t rank) const {
    return std::span(values_).subspan(begin_[rank], begin_[rank + 1] - begin_[rank]);
  }
  Iterator begin() const { return {this, 0}; }
  Iterator end() const { return {this, size()}; }
  std::vector<T>& values() { return values_; }

 private:
  std::vector<T> values_;
  std::vector<std::uint64_t> begin_;  // by rank, then the end
};

/// The value of every rank, in rank order.
template <Plain T>
std::vector<T> all_gather(Communicator& comm, const T& mine) {
  const std::vector<std::uint64_t> sizes(static_cast<std::size_t>(comm.size()), sizeof(T));
  std::vector<T> all(sizes.size());
  comm.gather_bytes(std::as_bytes(std::span(&mine, 1)), sizes,
                    reinterpret_cast<std::byte*>(all.data()));
  return all;
}

/// The values of every rank. Each rank stores them once.
template <Plain T>
Blocks<T> all_gather(Communicator& comm, std::span<const T> mine) {
  std::vector<std::uint64_t> sizes = all_gather(comm, std::uint64_t{mine.size()});
  Blocks<T> all(sizes);
  for (std::uint64_t& size : sizes) size *= sizeof(T);
  comm.gather_bytes(std::as_bytes(mine), sizes, reinterpret_cast<std::byte*>(all.values().data()));
  return all;
}

/// The values of every rank as one list: of blocks by vertex id, the values of all vertices.
template <Plain T>
std::vector<T> whole(Communicator& comm, std::span<const T> mine) {
  return std::move(all_gather(comm, mine).values());
}
template <Plain T>
std::vector<T> whole(Communicator& comm, const std::vector<T>& mine) {
  return whole(comm, std::span<const T>(mine));
}

/// Folds the ranks' values in rank order, on every rank. So the result is the same on all ranks and
/// in every run; for floating-point sums a reduction inside MPI promises neither.
template <Plain T, class Fold>
T all_reduce(Communicator& comm, const T& mine, Fold fold) {
  const std::vector<T> all = all_gather(comm, mine);
  T total = all[0];
  for (std::size_t i = 1; i < all.size(); ++i) total = fold(total, all[i]);
  return total;
}

template <Plain T>
T all_sum(Communicator& comm, T mine) {
  return all_reduce(comm, mine, std::plus<T>());
}

template <Plain T>
T all_max(Communicator& comm, T mine) {
  return all_reduce(comm, mine, [](const T& a, const T& b) { return std::max(a, b); });
}

template <Plain T>
T all_min(Communicator& comm, T mine) {
  return all_reduce(comm, mine, [](const T& a, const T& b) { return std::min(a, b); });
}

/// Returns the values of rank `root` on every rank. The arguments of other ranks are ignored.
template <Plain T>
std::vector<T> broadcast(Communicator& comm, std::span<const T> values, int root = 0) {
  std::uint64_t count = values.size();
  comm.broadcast_bytes(std::as_writable_bytes(std::span(&count, 1)), root);
  std::vector<T> told(count);
  if (comm.rank() == root) std::ranges::copy(values, told.begin());
  comm.broadcast_bytes(std::as_writable_bytes(std::span(told)), root);
  return told;
}

/// The same of a text.
std::string broadcast_text(Communicator& comm, std::string_view text, int root = 0);

/// Returns every rank's values on rank `root`, a list per rank. On other ranks the lists are empty.
template <Plain T>
std::vector<std::vector<T>> gather(Communicator& comm, std::span<const T> mine, int root = 0) {
  std::vector<std::vector<T>> out(static_cast<std::size_t>(comm.size()));
  out[static_cast<std::size_t>(root)].assign(mine.begin(), mine.end());
  return all_to_all(comm, out);
}

/// A base class of every error that `together` throws. It tells a tool that all ranks throw this
/// error.
struct ThrownTogether {
  virtual ~ThrownTogether() = default;
};

/// What a message says if memory ran out on this rank; with the rank, if there are several.
std::string out_of_memory(const Communicator& comm);

/// Runs `work` on every rank. If it throws on any rank, all ranks throw the error of the lowest
/// such rank, with its type (InputError, UsageError, otherwise RunError) and text. So all ranks end
/// alike. The error is also a ThrownTogether. `work` must not call a collective before a point
/// where it may throw.
void together(Communicator& comm, FunctionRef<void()> work);

/// Runs `work`, which calls collectives one after the other within a hook of a program. What this
/// rank throws there alone becomes a FailedAlone: of other errors the engine tells the other ranks,
/// which do not listen in a collective.
void between_collectives(Communicator& comm, FunctionRef<void()> work);

/// Deals the ids 0 … ids − 1 over the ranks in equal, contiguous blocks.
struct BlockDistribution {
  std::uint64_t ids = 0;  // how many there are
  int ranks = 1;

  std::uint64_t block() const {
    const auto p = static_cast<std::uint64_t>(ranks);
    return ids / p + (ids % p != 0 ? 1 : 0);
  }
  int owner(std::uint64_t id) const { return static_cast<int>(id / block()); }
  std::uint64_t first(int rank) const {
    return std::min(ids, static_cast<std::uint64_t>(rank) * block());
  }
  std::uint64_t count(int rank) const { return first(rank + 1) - first(rank); }
};

/// The ids of this rank's block of `count` ids. (local)
inline std::vector<VertexId> ids_of_block(const Communicator& comm, std::uint64_t count) {
  const BlockDistribution blocks{count, comm.size()};
  std::vector<VertexId> ids(blocks.count(comm.rank()));
  std::iota(ids.begin(), ids.end(), to_vertex_id(blocks.first(comm.rank())));
  return ids;
}

}  // namespace gas
