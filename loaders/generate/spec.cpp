#include "loaders/generate/spec.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "gas/base/error.hpp"
#include "gas/base/text/parse_number.hpp"
#include "gas/base/types.hpp"
#include "loaders/format.hpp"

namespace gas::loaders {
namespace {

struct Key {
  std::string_view name;
  double usual, least, most;
  bool whole;
};

struct Generator {
  std::string_view name;
  std::vector<Key> keys;
};

constexpr auto max_rows = static_cast<double>(max_vertices);

const std::vector<Generator>& generators() {
  static const std::vector<Generator> all{
      {"kronecker",
       {{"scale", 16, 1, 31, true}, {"degree", 16, 1, 4096, true}, {"lengths", 0, 0, 65536, true}}},
      {"uniform",
       {{"scale", 16, 1, 31, true}, {"degree", 16, 1, 4096, true}, {"lengths", 0, 0, 65536, true}}},
      {"grid", {{"side", 1000, 2, 65535, true}, {"lengths", 0, 0, 65536, true}}},
      {"blobs",
       {{"n", 10000, 1, 1e12, true},
        {"d", 16, 1, 1e6, true},
        {"k", 10, 1, 1e6, true},
        {"spread", 1, 0, 1e6, false}}},
      {"lda",
       {{"documents", 1000, 1, max_rows, true},
        {"words", 1000, 1, 1e8, true},
        {"topics", 10, 1, 65536, true},
        {"length", 100, 1, 1e7, true},
        {"alpha", 0.1, 1e-3, 1e3, false},
        {"beta", 0.01, 1e-3, 1e3, false}}},
      {"logistic",
       {{"examples", 10000, 1, max_rows, true},
        {"features", 1000, 1, 2e9, true},
        {"nonzeros", 20, 1, 1e6, true},
        {"informative", 200, 0, 2e9, true},
        {"noise", 0.05, 0, 0.5, false}}},
      {"regression",
       {{"examples", 10000, 1, max_rows, true},
        {"features", 1000, 1, 2e9, true},
        {"nonzeros", 20, 1, 1e6, true},
        {"informative", 50, 0, 2e9, true},
        {"noise", 0.1, 0, 1e6, false},
        {"group", 1, 1, 1e6, true},
        {"correlation", 0, 0, 1, false}}},
      {"ratings",
       {{"users", 1000, 1, 2e9, true},
        {"items", 500, 1, 2e9, true},
        {"rank", 10, 1, 1024, true},
        {"density", 0.05, 0, 1, false},
        {"noise", 0.1, 0, 1e3, false}}}};
  return all;
}

const Generator& find_generator(std::string_view name) {
  std::vector<std::string_view> names;
  for (const Generator& generator : generators()) {
    if (generator.name == name) return generator;
    names.push_back(generator.name);
  }
  throw UsageError(fmt::format("unknown generator '{}' (known: {}){}", name, fmt::join(names, ", "),
                               suggestion(name, names)));
}

const Key& find_key(const Generator& generator, std::string_view name) {
  std::vector<std::string_view> names;
  for (const Key& key : generator.keys) {
    if (key.name == name) return key;
    names.push_back(key.name);
  }
  names.push_back("seed");
  throw UsageError(fmt::format("unknown key '{}' of the generator {} (known: {}){}", name,
                               generator.name, fmt::join(names, ", "), suggestion(name, names)));
}

double parse_value(const Generator& generator, const Key& key, std::string_view text) {
  double value = 0;
  const bool number = parse_number(text, value);
  const bool inside = number && value >= key.least && value <= key.most;
  if (!inside || (key.whole && value != static_cast<double>(static_cast<std::uint64_t>(value))))
    throw UsageError(fmt::format("{}={} of the generator {}: expected a {}number from {} to {}",
                                 key.name, text, generator.name, key.whole ? "whole " : "",
                                 key.least, key.most));
  return value;
}

void check_together(const GeneratorSpec& spec) {
  const auto not_above = [&](std::string_view low, std::string_view high) {
    if (spec.real(low) > spec.real(high))
      throw UsageError(fmt::format("{}={} of the generator {} is more than {}={}", low,
                                   spec.real(low), spec.name, high, spec.real(high)));
  };
  if (spec.name == "logistic" || spec.name == "regression") {
    not_above("informative", "features");
    not_above("nonzeros", "features");
  }
  if (spec.name == "regression") not_above("group", "features");
}

}  // namespace

GeneratorSpec parse_spec(std::string_view text) {
  const std::size_t colon = std::min(text.size(), text.find(':'));
  const Generator& generator = find_generator(text.substr(0, colon));
  GeneratorSpec spec;
  spec.name = generator.name;
  std::string_view rest = text.substr(std::min(text.size(), colon + 1));
  bool seed_given = false;
  while (!rest.empty()) {
    const std::string_view field = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(rest.size(), field.size() + 1));
    const std::size_t equals = field.find('=');
    if (equals == std::string_view::npos)
      throw UsageError(
          fmt::format("'{}' of the generator {}: expected key=value", field, generator.name));
    const std::string_view name = field.substr(0, equals), value = field.substr(equals + 1);
    bool first = true;
    if (name == "seed") {
      if (!parse_number(value, spec.seed))
        throw UsageError(fmt::format("seed={}: expected a whole number below 2^64", value));
      first = !std::exchange(seed_given, true);
    } else {
      const Key& key = find_key(generator, name);
      first = spec.values.emplace(name, parse_value(generator, key, value)).second;
    }
    if (!first)
      throw UsageError(fmt::format("{} of the generator {} is given twice", name, generator.name));
  }
  for (const Key& key : generator.keys) spec.values.emplace(key.name, key.usual);
  check_together(spec);
  return spec;
}

std::string spec_help() {
  constexpr std::size_t longest_line = 78;
  std::string help;
  for (const Generator& generator : generators()) {
    std::string line(generator.name);
    char mark = ':';
    for (const Key& key : generator.keys) {
      const std::string pair = fmt::format("{}={}", key.name, key.usual);
      line += std::exchange(mark, ',');
      if (line.size() + pair.size() > longest_line) {
        help += line + '\n';
        line = "  ";
      }
      line += pair;
    }
    help += line + '\n';
  }
  return help;
}

}  // namespace gas::loaders
