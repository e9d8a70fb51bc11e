#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace gas::tools {

/// What --help-all prints: 80 columns, the options in groups, with their defaults.
std::string help_text(const CLI::App& app, const std::string& usage,
                      const std::vector<std::string>& examples);

/// What --help prints: the same, but of the options the tool's own ones and those that most runs
/// need, each in few words.
std::string short_help_text(const CLI::App& app, const std::string& usage,
                            const std::vector<std::string>& examples);

}  // namespace gas::tools
