#include "tools/support/process/tool_command.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "gas/base/error.hpp"
#include "gas/checkpoint/folder.hpp"
#include "tools/support/process/unfinished.hpp"

namespace gas::tools {
namespace {

namespace fs = std::filesystem;

bool can_be_run(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored) && access(path.c_str(), X_OK) == 0;
}

fs::path program_of(const std::string& name) {
  std::vector<fs::path> places;
  if (name.find('/') != std::string::npos) {
    places.emplace_back(name);
  } else {
    const char* const path = std::getenv("PATH");
    std::istringstream folders(path ? path : "");
    for (std::string folder; std::getline(folders, folder, ':');)
      places.push_back(fs::path(folder.empty() ? "." : folder) / name);
    places.push_back(fs::read_symlink("/proc/self/exe").parent_path() / name);
  }
  const auto found = std::ranges::find_if(places, can_be_run);
  if (found == places.end()) throw UsageError(name + ": there is no such program");
  return fs::absolute(*found);
}

std::string value_of(const std::vector<std::string>& words, const std::string& name) {
  for (std::size_t i = 1; i < words.size(); ++i) {
    if (words[i] == name && i + 1 < words.size()) return words[i + 1];
    if (words[i].starts_with(name + "=")) return words[i].substr(name.size() + 1);
    const bool is_short = name.size() == 2;
    if (is_short && words[i].size() > 2 && words[i].starts_with(name)) return words[i].substr(2);
  }
  return {};
}

/// Beside what a killed run left to be removed.
bool holds_something(const std::string& folder) {
  std::error_code error;
  if (folder.empty()) return false;
  return std::ranges::any_of(fs::directory_iterator(folder, error), [](const auto& entry) {
    return entry.path().filename() != unfinished_name;
  });
}

}  // namespace

ToolCommand::ToolCommand(std::vector<std::string> words, const std::string& usage)
    : words_(std::move(words)) {
  if (words_.empty()) throw UsageError("the tool is missing: " + usage);
  const fs::path program = program_of(words_.front());
  name_ = program.filename();
  words_.front() = program;
  checkpoints_ = value_of(words_, "--checkpoint");
  output_ = value_of(words_, "--output");
  if (output_.empty()) output_ = value_of(words_, "-o");
  output_was_taken_ = holds_something(output_);
  reads_standard_input_ = has("-");
}

std::string ToolCommand::value(const std::string& option) const { return value_of(words_, option); }

std::vector<std::string> ToolCommand::words_without(const std::vector<std::string>& with_value,
                                                    const std::vector<std::string>& flags) const {
  std::vector<std::string> left;
  for (std::size_t i = 0; i < words_.size(); ++i) {
    if (std::ranges::find(with_value, words_[i]) != with_value.end()) {
      ++i;  // its value
      continue;
    }
    const bool drop = std::ranges::find(flags, words_[i]) != flags.end() ||
                      std::ranges::any_of(with_value, [&](const std::string& option) {
                        return words_[i].starts_with(option.size() == 2 ? option : option + "=");
                      });
    if (!drop) left.push_back(words_[i]);
  }
  return left;
}

bool ToolCommand::has(const std::string& word) const {
  return std::ranges::find(words_, word) != words_.end();
}

bool ToolCommand::can_resume() const {
  return !checkpoints_.empty() && !local_checkpoints(checkpoints_).empty();
}

bool ToolCommand::resumes() const { return has("--resume"); }

std::vector<std::string> ToolCommand::words_to_go_on() const {
  std::vector<std::string> words = words_;
  if (can_resume() && !resumes()) words.emplace_back("--resume");
  if (!output_was_taken_ && holds_something(output_) && !has("--force"))
    words.emplace_back("--force");
  return words;
}

}  // namespace gas::tools
