#pragma once

#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "tests/support/random_programs.hpp"

namespace gas_test {

/// A random program behind functions. All are compiled once, for the tests and the soak, and in
/// slices (random_slice.cpp), since each program takes seconds and much memory to compile.
struct RandomProgram {
  std::string name;
  Drawn (*drawn)(std::uint64_t seed);
  std::string (*found_wrong)(const Drawn& drawn, gas::Transport* world);
};

constexpr std::size_t slices = 4;  // of each list

template <class List, std::size_t slice>
std::vector<RandomProgram> programs_of();

template <class List>
std::vector<RandomProgram> all_programs_of() {
  std::vector<RandomProgram> all;
  const auto add = [&](std::vector<RandomProgram> some) {
    for (RandomProgram& program : some) all.push_back(std::move(program));
  };
  [&]<std::size_t... slice>(std::index_sequence<slice...>) {
    (add(programs_of<List, slice>()), ...);
  }
  (std::make_index_sequence<slices>());
  return all;
}

}  // namespace gas_test
