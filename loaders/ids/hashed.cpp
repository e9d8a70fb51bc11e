#include "loaders/ids/hashed.hpp"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <optional>

#include "loaders/ids/parse_id.hpp"

namespace gas::loaders {

std::uint32_t hashed(std::uint64_t id, unsigned bits) {
  const std::uint64_t mask = (std::uint64_t{1} << bits) - 1;
  const std::uint64_t above = (id >> bits) * 0x9e3779b97f4a7c15U;  // 2⁶⁴ over the golden ratio
  return static_cast<std::uint32_t>((id & mask) ^ (above >> (64 - bits)));
}

std::uint32_t hashed(std::string_view id, unsigned bits) {
  const std::optional<std::uint64_t> number = parse_id(id);
  const bool plain = number && (id.size() == 1 || id.front() != '0');
  return hashed(plain ? *number : XXH3_64bits(id.data(), id.size()), bits);
}

}  // namespace gas::loaders
