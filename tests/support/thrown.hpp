#pragma once

#include <string>

#include "gas/base/error.hpp"

namespace gas_test {

/// What a call throws on this rank: "usage …" or "input …", or "".
template <class F>
std::string thrown(F call) {
  try {
    call();
  } catch (const gas::UsageError& error) {
    return std::string("usage ") + error.what();
  } catch (const gas::InputError& error) {
    return std::string("input ") + error.what();
  }
  return "";
}

}  // namespace gas_test
