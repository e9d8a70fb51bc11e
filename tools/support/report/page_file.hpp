#pragma once

#include <optional>
#include <string>

namespace gas::tools::report {

/// The file that a page is to be in. Of one rank.
class PageFile {
 public:
  /// UsageError for one in a folder that is not there, unless it is the one that `will_be`, and for
  /// what is no file; RunError for one that may not be written. Nothing is written yet.
  explicit PageFile(std::string path, const std::string& will_be = "");

  /// Puts the page there, instead of what is there, when it is whole. What is no regular file takes
  /// the first page alone. Returns why it could not be written; nothing if it was.
  std::optional<std::string> write(const std::string& page);

 private:
  std::string path_;
  bool regular_ = true, written_ = false;
};

}  // namespace gas::tools::report
