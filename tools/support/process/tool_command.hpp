#pragma once

#include <string>
#include <vector>

namespace gas::tools {

/// The command line of a tool that gas-run or gas-plan starts, and what these have to know of it.
class ToolCommand {
 public:
  /// Throws UsageError, with `usage`, if there are no words or no such program. A name without '/'
  /// is looked for in PATH, then beside the program that asks.
  ToolCommand(std::vector<std::string> words, const std::string& usage);

  /// As it was given, the program by its path.
  const std::vector<std::string>& words() const { return words_; }
  const std::string& name() const { return name_; }
  const std::string& checkpoints() const { return checkpoints_; }  // --checkpoint, or empty
  bool reads_standard_input() const { return reads_standard_input_; }

  /// Whether a word is this.
  bool has(const std::string& word) const;
  /// The value of an option that is written "--name VALUE" or "--name=VALUE"; else empty.
  std::string value(const std::string& option) const;
  /// The words but for these options: those that take a value, with it, and flags.
  std::vector<std::string> words_without(const std::vector<std::string>& with_value,
                                         const std::vector<std::string>& flags) const;

  /// To go on after an earlier start: with --resume if that left a checkpoint, and with --force if
  /// it wrote into the folder of --output, which held nothing when this object was made.
  std::vector<std::string> words_to_go_on() const;
  /// Whether there is a checkpoint to resume from.
  bool can_resume() const;
  /// Whether the tool is told to from the beginning.
  bool resumes() const;

 private:
  std::vector<std::string> words_;
  std::string name_, checkpoints_, output_;
  bool reads_standard_input_ = false, output_was_taken_ = false;
};

}  // namespace gas::tools
