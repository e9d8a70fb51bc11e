#include "programs/logistic_regression/proximal/filtered_sums.hpp"

#include <zstd.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "gas/base/error.hpp"

namespace gas {
namespace {

using Keys = std::span<const std::uint32_t>;

/// Flags of keys as bits.
Bytes bits_of(Keys keys, const FilteredSums::Flags& flags) {
  Bytes bits((keys.size() + 7) / 8);
  for (std::size_t i = 0; i < keys.size(); ++i)
    if (flags[keys[i]] != 0) bits[i / 8] |= std::byte{1} << (i % 8);
  return bits;
}

bool bit(const Bytes& bits, std::size_t i) {
  return (bits[i / 8] & (std::byte{1} << (i % 8))) != std::byte{0};
}

/// The records of keys; with flags only theirs, behind the flags.
Bytes packed(std::span<const double> numbers, std::size_t width, Keys keys,
             const FilteredSums::Flags& flags) {
  Bytes out = flags.empty() ? Bytes() : bits_of(keys, flags);
  for (const std::uint32_t key : keys) {
    if (!flags.empty() && flags[key] == 0) continue;
    const auto record = std::as_bytes(numbers.subspan(key * width, width));
    out.insert(out.end(), record.begin(), record.end());
  }
  return out;
}

/// use(key, its record) of what was packed.
template <class Use>
void unpack(const Bytes& in, std::size_t width, Keys keys, bool flagged, Use use) {
  std::vector<double> record(width);
  const std::byte* at = in.data() + (flagged ? (keys.size() + 7) / 8 : 0);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (flagged && !bit(in, i)) continue;
    std::memcpy(record.data(), at, width * sizeof(double));
    at += width * sizeof(double);
    use(keys[i], std::span<const double>(record));
  }
}

/// Bytes of the same place in numbers side by side: exponents are alike, digits are not.
Bytes compressed(const Bytes& plain) {
  const std::size_t count = plain.size() / sizeof(double);
  Bytes turned(plain);
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t b = 0; b < sizeof(double); ++b)
      turned[b * count + i] = plain[i * sizeof(double) + b];
  Bytes out(ZSTD_compressBound(turned.size()));
  const std::size_t size = ZSTD_compress(out.data(), out.size(), turned.data(), turned.size(), 1);
  if (ZSTD_isError(size) != 0) throw RunError("a message was not compressed");
  out.resize(size);
  return out;
}

Bytes decompressed(const Bytes& in) {
  Bytes turned(ZSTD_getFrameContentSize(in.data(), in.size()));
  if (ZSTD_isError(ZSTD_decompress(turned.data(), turned.size(), in.data(), in.size())) != 0)
    throw RunError("a compressed message arrived damaged");
  const std::size_t count = turned.size() / sizeof(double);
  Bytes plain(turned);
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t b = 0; b < sizeof(double); ++b)
      plain[i * sizeof(double) + b] = turned[b * count + i];
  return plain;
}

/// To others, of numbers of so many keys: their shares to each, and the sums of the own share.
double bytes_without(const BlockDistribution& blocks, int rank, std::size_t width) {
  const std::size_t own = blocks.count(rank);
  const std::size_t others = static_cast<std::size_t>(blocks.ranks) - 1;
  return static_cast<double>((blocks.ids - own + others * own) * width * sizeof(double));
}

}  // namespace

FilteredSums::Flags FilteredSums::any(const Flags& mine) {
  if (comm_.size() == 1) return mine;
  std::vector<std::uint32_t> keys(mine.size());
  for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = static_cast<std::uint32_t>(i);
  const BlockDistribution blocks{keys.size(), comm_.size()};
  std::vector<Bytes> out;
  for (int rank = 0; rank < comm_.size(); ++rank)
    out.push_back(bits_of(Keys(keys).subspan(blocks.first(rank), blocks.count(rank)), mine));
  ledger_.bytes_active += to_others(out);
  std::vector<Bytes> in = swap(std::move(out));
  for (std::size_t rank = 1; rank < in.size(); ++rank)
    for (std::size_t i = 0; i < in[rank].size(); ++i) in[0][i] |= in[rank][i];
  out.assign(in.size(), in[0]);
  ledger_.bytes_active += to_others(out);
  in = swap(std::move(out));
  Flags all(mine.size());
  for (int rank = 0; rank < comm_.size(); ++rank)
    for (std::size_t i = 0; i < blocks.count(rank); ++i)
      all[blocks.first(rank) + i] = bit(in[static_cast<std::size_t>(rank)], i) ? 1 : 0;
  return all;
}

void FilteredSums::add_up(std::span<double> numbers, std::size_t width, const Flags& active,
                          const Flags& significant) {
  if (comm_.size() == 1) return;
  std::vector<std::uint32_t> keys;
  for (std::size_t key = 0; key < active.size(); ++key)
    if (active[key] != 0) keys.push_back(static_cast<std::uint32_t>(key));
  const BlockDistribution blocks{keys.size(), comm_.size()};
  const auto share = [&](int rank) {
    return Keys(keys).subspan(blocks.first(rank), blocks.count(rank));
  };
  const bool flagged = !significant.empty();
  const auto small = flagged ? std::ranges::count_if(
                                   keys, [&](std::uint32_t key) { return significant[key] == 0; })
                             : 0;
  ledger_.offered += static_cast<double>(active.size());
  ledger_.inactive += static_cast<double>(active.size() - keys.size());
  ledger_.insignificant += static_cast<double>(small);
  ledger_.sent += static_cast<double>(keys.size()) - static_cast<double>(small);
  ledger_.bytes_offered += bytes_without({active.size(), comm_.size()}, comm_.rank(), width);
  ledger_.bytes_active += bytes_without(blocks, comm_.rank(), width);

  std::vector<Bytes> out;
  for (int rank = 0; rank < comm_.size(); ++rank)
    out.push_back(packed(numbers, width, share(rank), significant));
  std::vector<Bytes> in = swap(std::move(out));
  std::ranges::fill(numbers, 0.0);
  Flags heard(flagged ? active.size() : 0);
  for (const Bytes& of_rank : in)
    unpack(of_rank, width, share(comm_.rank()), flagged,
           [&](std::uint32_t key, std::span<const double> record) {
             if (flagged) heard[key] = 1;
             for (std::size_t i = 0; i < width; ++i) numbers[key * width + i] += record[i];
           });
  in = swap(std::vector<Bytes>(in.size(), packed(numbers, width, share(comm_.rank()), heard)));
  for (int rank = 0; rank < comm_.size(); ++rank)
    unpack(in[static_cast<std::size_t>(rank)], width, share(rank), flagged,
           [&](std::uint32_t key, std::span<const double> record) {
             std::ranges::copy(record, numbers.begin() + static_cast<std::ptrdiff_t>(key * width));
           });
}

/// out[i] goes to rank i.
std::vector<Bytes> FilteredSums::swap(std::vector<Bytes> out) {
  ledger_.bytes_significant += to_others(out);
  if (filters_.compression)
    for (Bytes& block : out) block = compressed(block);
  ledger_.bytes_sent += to_others(out);
  std::vector<Bytes> in = comm_.exchange(std::move(out));
  if (filters_.compression)
    for (Bytes& block : in) block = decompressed(block);
  return in;
}

double FilteredSums::to_others(const std::vector<Bytes>& out) const {
  double sum = 0;
  for (const Bytes& block : out) sum += static_cast<double>(block.size());
  return sum - static_cast<double>(out[static_cast<std::size_t>(comm_.rank())].size());
}

}  // namespace gas
