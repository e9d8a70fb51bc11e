#include "tools/support/command/help.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <sstream>
#include <string_view>
#include <vector>

#include "tools/support/show/table.hpp"

namespace gas::tools {
namespace {

constexpr std::size_t columns = 80, left_column = 26;

struct Group {
  std::string_view title;
  std::vector<std::string_view> names;
};

/// Where the options stand that mean the same in every tool; a tool's own are the algorithm's.
const std::vector<Group>& groups() {
  static const std::vector<Group> groups = {
      {"Input",
       {"INPUT", "SPEC", "--format", "--header", "--delimiter", "--columns", "--index-base",
        "--vertices", "--unweighted", "--allow-empty", "--undirected", "--bipartite", "--simplify",
        "--labels", "--vocabulary", "--generate", "--model", "--apply", "--without-input"}},
      {"Algorithm", {}},
      {"Run", {"--iterations", "--tolerance", "--require-convergence", "--seed", "--threads"}},
      {"Ranks and staleness",
       {"--partition", "--staleness", "--eager", "--order", "--consistency"}},
      {"Output",
       {"--output", "--force", "--text", "--top", "--summary", "--log", "--quiet", "--methods",
        "--help", "--version"}},
      {"Watching and experiments", {"--trace", "--watchdog", "--straggler", "--straggler-round"}},
  };
  return groups;
}

/// `text`, word by word, behind a line of `used` columns; further lines begin at `indent`.
std::string folded(const std::string& text, std::size_t used, std::size_t indent) {
  std::string out;
  bool first = true;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    const std::size_t width = display_width(word);
    if (!first && used + 1 + width > columns) {
      out += "\n" + std::string(indent, ' ');
      used = indent;
      first = true;
    }
    if (!first) out += ' ';
    out += word;
    used += width + (first ? 0 : 1);
    first = false;
  }
  return out + "\n";
}

std::string entry(const CLI::Option& option) {
  std::string left = "  " + option.get_name(true, true);
  if (option.get_type_size() != 0 && !option.get_type_name().empty())
    left += " " + option.get_type_name();
  if (!option.get_default_str().empty()) left += "=" + option.get_default_str();
  const std::size_t used = display_width(left);
  left += used + 2 > left_column ? "\n" + std::string(left_column, ' ')
                                 : std::string(left_column - used, ' ');
  return left + folded(option.get_description(), left_column, left_column);
}

std::string_view name_of(const CLI::Option& option, std::string& name) {
  const auto& names = option.get_lnames();
  name = names.empty() ? option.get_name(true, true) : "--" + names.front();
  return name;
}

}  // namespace

std::string help_text(const CLI::App& app, const std::string& usage, const std::string& example) {
  std::string text, argument;
  const std::vector<const CLI::Option*> all = app.get_options();
  for (const CLI::Option* option : all)
    if (option->get_positional()) argument = " " + option->get_name(true);
  std::istringstream paragraphs(app.get_description());
  for (std::string line; std::getline(paragraphs, line);) text += folded(line, 0, 4);
  text += "\nUsage: " + (usage.empty() ? app.get_name() + argument + " [options]" : usage) +
          "\nExample: " + example + "\n";

  std::vector<const CLI::Option*> left = all;
  const auto take = [&](std::string_view name) -> const CLI::Option* {
    std::string found;
    const auto at = std::ranges::find_if(
        left, [&](const CLI::Option* option) { return name_of(*option, found) == name; });
    if (at == left.end()) return nullptr;
    const CLI::Option* option = *at;
    left.erase(at);
    return option;
  };
  std::vector<std::string> bodies;
  for (const Group& group : groups()) {
    bodies.emplace_back();
    for (const std::string_view name : group.names)
      if (const CLI::Option* option = take(name)) bodies.back() += entry(*option);
  }
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    if (groups()[i].names.empty())
      for (const CLI::Option* option : left) bodies[i] += entry(*option);
    if (!bodies[i].empty()) text += "\n" + std::string(groups()[i].title) + ":\n" + bodies[i];
  }
  return text;
}

}  // namespace gas::tools
