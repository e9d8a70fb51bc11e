#include "tools/support/command/options.hpp"

#include <algorithm>

#include "gas/base/error.hpp"
#include "partition/partition.hpp"
#include "tests/fuzz/harness.hpp"
#include "tests/fuzz/targets.hpp"

namespace gas_fuzz {
namespace {

using gas::tools::Options;

/// A tool that takes every option there is.
struct Tool {
  Tool() : options("gas-fuzz") {
    options.describe("Takes everything.", "gas-fuzz in");
    options.take_input({"edges", "libsvm", "dense", "npy"});
    options.take_vertices(Options::Kinds::by_option);
    options.take_rounds(10, 1e-4);
    options.take_staleness([](const gas::RunOptions& run) {
      if (run.order == gas::Order::priority) throw gas::UsageError("refused");
    });
    options.take_observing();
    options.take_seed();
    options.take_threads();
    options.take_partition({"metis", "hash", "range"}, "metis");
    options.take_without_input();
    options.take_model({"--alpha"});
    options.take_output({"a.npy", "b.txt"});
    options.take_text();
    options.take_top("pages");
    options.take_undirected();
    options.take_bipartite();
    options.count("-k,--clusters", clusters, 1, "Clusters");
    options.real("--alpha", alpha, {.least = 0, .most = 1, .without_least = true}, "Share");
    options.choice("--kind", kind, {"one", "two", "three"}, "Which");
    options.text("--labels", labels, "FILE", "Labels");
    options.needs("--labels", "--clusters");
    options.printing(
        "--kinds", [] { return "one\n"; }, "List the kinds");
  }

  Options options;
  unsigned clusters = 2;
  double alpha = 0.5;
  std::string kind = "one", labels;
};

struct Outcome {
  bool refused = false, go_on = false;
  std::string text;  // printed, or why it is refused
  std::vector<std::pair<std::string, std::string>> given;
  std::vector<std::string> inputs;

  bool operator==(const Outcome&) const = default;
};

Outcome parse(const std::vector<std::string>& words) {
  Tool tool;
  std::vector<const char*> arguments{"gas-fuzz"};
  for (const std::string& word : words) arguments.push_back(word.c_str());
  Outcome outcome;
  try {
    const Options::Parsed parsed =
        tool.options.parse(static_cast<int>(arguments.size()), arguments.data());
    outcome = {false, parsed.go_on, parsed.text, {}, tool.options.common.inputs};
    for (const auto& [name, value] : tool.options.values())
      if (tool.options.given(name)) outcome.given.emplace_back(name, value);
    tool.options.given_paths();
  } catch (const gas::UsageError& error) {
    outcome = {true, false, error.what(), {}, {}};
    expect(!outcome.text.empty(), "refused with a reason");
  }
  expect(outcome.refused || !outcome.go_on || tool.clusters >= 1, "clusters in range");
  expect(tool.alpha > 0 && tool.alpha <= 1, "alpha in range");
  return outcome;
}

}  // namespace

/// Lines are the words of a command line. What is accepted is accepted again when it is spelt out.
void options(std::string_view data) {
  std::vector<std::string> words;
  while (!data.empty()) words.emplace_back(first_line(data));
  for (std::string& word : words) word.erase(std::min(word.size(), word.find('\0')));
  const Outcome outcome = parse(words);
  expect(outcome == parse(words), "alike twice");
  if (outcome.refused || !outcome.go_on) return;
  std::vector<std::string> spelt;
  for (const auto& [name, value] : outcome.given) {
    if (name == "INPUT") continue;
    spelt.push_back(value == "true" ? name : name + "=" + value);
  }
  if (!outcome.inputs.empty()) spelt.emplace_back("--");
  for (const std::string& input : outcome.inputs) spelt.push_back(input);
  const Outcome again = parse(spelt);
  expect(!again.refused, "accepted again: " + again.text);
  expect(again.inputs == outcome.inputs, "the same inputs");
}

}  // namespace gas_fuzz
