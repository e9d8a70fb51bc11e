#pragma once

#include <string>

namespace CLI {
class App;
}

namespace gas::tools {

/// What --help prints: 80 columns, the options in groups, with their defaults. An empty `usage`
/// stands for "TOOL [arguments] [options]".
std::string help_text(const CLI::App& app, const std::string& usage, const std::string& example);

}  // namespace gas::tools
