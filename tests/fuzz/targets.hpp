#pragma once

#include <span>
#include <string_view>

#include "loaders/format.hpp"

namespace gas_fuzz {

/// A reader that is fuzzed. What `run` finds wrong ends the process.
struct Target {
  std::string_view name;
  void (*run)(std::string_view data);
};

std::span<const Target> targets();

void graph(gas::loaders::Format format, std::string_view data);
void stream(std::string_view data);
void points(gas::loaders::Format format, std::string_view data);
void labels(std::string_view data);
void vertices(std::string_view data);
void vocabulary(std::string_view data);
void numbers(std::string_view data);
void array(std::string_view data);
void packed(std::string_view data);
void manifest(std::string_view data);
void model(std::string_view data);
void part_file(std::string_view data);
void partition(std::string_view data);
void options(std::string_view data);

}  // namespace gas_fuzz
