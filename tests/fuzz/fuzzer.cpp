// What libFuzzer calls. --target=NAME says which reader; the corpora of each lie apart.
#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "tests/fuzz/targets.hpp"

namespace {
const gas_fuzz::Target* chosen = nullptr;
}

extern "C" int LLVMFuzzerInitialize(int* count, char*** arguments) {
  for (int i = 1; i < *count; ++i) {
    const std::string_view word = (*arguments)[i];
    if (!word.starts_with("--target=")) continue;
    const auto targets = gas_fuzz::targets();
    const auto found = std::ranges::find(targets, word.substr(9), &gas_fuzz::Target::name);
    if (found != targets.end()) chosen = &*found;
  }
  if (chosen == nullptr) {
    std::fputs("--target=NAME is missing, NAME one of:", stderr);
    for (const gas_fuzz::Target& target : gas_fuzz::targets())
      std::fprintf(stderr, " %s", target.name.data());
    std::fputs("\n", stderr);
    std::exit(2);
  }
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  chosen->run({reinterpret_cast<const char*>(data), size});
  return 0;
}
