#pragma once

#include <cstdint>
#include <string_view>

namespace gas::loaders {

constexpr unsigned most_hash_bits = 30;

/// Which of 2^bits rows a number goes to; bits from 1 to most_hash_bits. Numbers below 2^bits keep
/// their own, so that two of these never meet; the bits above are mixed into those below.
std::uint32_t hashed(std::uint64_t id, unsigned bits);
/// The same of an id as it is written: a number up to 2^63 − 1 without leading zeros as the number,
/// whatever format it comes from; all else by its bytes.
std::uint32_t hashed(std::string_view id, unsigned bits);

}  // namespace gas::loaders
