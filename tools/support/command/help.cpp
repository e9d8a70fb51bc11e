#include "tools/support/command/help.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
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
      {"Input", {"INPUT",         "SPEC",         "--format",     "--header",   "--delimiter",
                 "--columns",     "--ids",        "--index-base", "--vertices", "--unweighted",
                 "--allow-empty", "--undirected", "--bipartite",  "--simplify", "--labels",
                 "--vocabulary",  "--generate",   "--model",      "--apply",    "--without-input"}},
      {"Algorithm", {}},
      {"By method",
       {"--metis-scheme", "--memory", "--objective", "--budget", "--from", "--from-edges",
        "--solver", "--rate", "--heldout", "--passes", "--full-rounds"}},
      {"Prediction", {"--published", "--total"}},
      {"Run",
       {"--iterations", "--tolerance", "--require-convergence", "--seed", "--threads",
        "--dry-run"}},
      {"Ranks and staleness",
       {"--partition", "--staleness", "--eager", "--order", "--consistency", "--topology",
        "--filters"}},
      {"Checkpoints", {"--checkpoint", "--checkpoint-every", "--resume", "--checkpoint-gather"}},
      {"Output",
       {"--output", "--force", "--text", "--top", "--summary", "--report", "--log", "--quiet",
        "--methods", "--help", "--help-all", "--version"}},
      {"Watching and experiments",
       {"--trace", "--watchdog", "--straggler", "--straggler-round", "--sample"}},
  };
  return groups;
}

/// Those of the groups that --help lists, with a tool's own; and --partition, where it has no
/// default.
constexpr std::array<std::string_view, 11> main_options{
    "INPUT",        "SPEC",      "--labels", "--vocabulary", "--model",   "--apply",
    "--iterations", "--threads", "--output", "--top",        "--help-all"};

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

std::string entry(const CLI::Option& option, const std::string& description) {
  std::string left = "  " + option.get_name(true, true);
  if (option.get_type_size() != 0 && !option.get_type_name().empty())
    left += " " + option.get_type_name();
  if (!option.get_default_str().empty()) left += "=" + option.get_default_str();
  const std::size_t used = display_width(left);
  left += used + 2 > left_column ? "\n" + std::string(left_column, ' ')
                                 : std::string(left_column - used, ' ');
  return left + folded(description, left_column, left_column);
}

/// What stands before the first "; ", and the values to choose from.
std::string in_few_words(const std::string& description) {
  const std::size_t end = description.find("; "), values = description.rfind(" [");
  if (end == std::string::npos) return description;
  return description.substr(0, end) +
         (values != std::string::npos && values > end ? description.substr(values) : "");
}

std::string name_of(const CLI::Option& option) {
  const auto& names = option.get_lnames();
  return names.empty() ? option.get_name(true, true) : "--" + names.front();
}

using OptionList = std::vector<const CLI::Option*>;

/// By group, in its order.
std::vector<OptionList> grouped(const CLI::App& app) {
  OptionList left = app.get_options();
  std::vector<OptionList> by_group(groups().size());
  for (std::size_t i = 0; i < groups().size(); ++i)
    for (const std::string_view name : groups()[i].names) {
      const auto at = std::ranges::find_if(
          left, [&](const CLI::Option* option) { return name_of(*option) == name; });
      if (at == left.end()) continue;
      by_group[i].push_back(*at);
      left.erase(at);
    }
  for (std::size_t i = 0; i < groups().size(); ++i)
    if (groups()[i].names.empty()) by_group[i] = left;
  return by_group;
}

std::string head(const CLI::App& app, const std::string& usage,
                 const std::vector<std::string>& examples) {
  std::string text;
  std::istringstream paragraphs(app.get_description());
  for (std::string line; std::getline(paragraphs, line);) text += folded(line, 0, 0);
  text += "\nUsage: " + usage + "\n\nExamples:\n";
  for (const std::string& example : examples) text += "  " + example + "\n";
  return text;
}

}  // namespace

std::string help_text(const CLI::App& app, const std::string& usage,
                      const std::vector<std::string>& examples) {
  std::string text = head(app, usage, examples);
  const std::vector<OptionList> by_group = grouped(app);
  for (std::size_t i = 0; i < by_group.size(); ++i) {
    if (by_group[i].empty()) continue;
    text += "\n" + std::string(groups()[i].title) + ":\n";
    for (const CLI::Option* option : by_group[i]) text += entry(*option, option->get_description());
  }
  return text;
}

std::string short_help_text(const CLI::App& app, const std::string& usage,
                            const std::vector<std::string>& examples) {
  std::string text = head(app, usage, examples) + "\n";
  const std::vector<OptionList> by_group = grouped(app);
  for (std::size_t i = 0; i < by_group.size(); ++i)
    for (const CLI::Option* option : by_group[i])
      if (groups()[i].names.empty() ||
          std::ranges::find(main_options, name_of(*option)) != main_options.end() ||
          (name_of(*option) == "--partition" && option->get_default_str().empty()))
        text += entry(*option, in_few_words(option->get_description()));
  return text;
}

}  // namespace gas::tools
