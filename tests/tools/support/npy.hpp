#pragma once

#include <catch2/catch.hpp>
#include <cstring>

#include "tests/tools/support/process.hpp"

namespace gas_test {

/// What follows the header of an npy file, which must say `what` ("'<f4'", "(3, 2)").
template <class T>
std::vector<T> npy_values(const std::string& path, const std::vector<std::string>& what) {
  const std::string bytes = read_text(path);
  REQUIRE(bytes.size() > 10);
  const std::size_t header = 10 + static_cast<unsigned char>(bytes[8]) +
                             256 * static_cast<std::size_t>(static_cast<unsigned char>(bytes[9]));
  REQUIRE(bytes.size() >= header);
  for (const std::string& part : what) CHECK_THAT(bytes.substr(0, header), Catch::Contains(part));
  std::vector<T> values((bytes.size() - header) / sizeof(T));
  std::memcpy(values.data(), bytes.data() + header, values.size() * sizeof(T));
  return values;
}

}  // namespace gas_test
