#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/support/output/run_manifest.hpp"
#include "tools/support/report/page_file.hpp"
#include "tools/support/report/rounds.hpp"
#include "tools/support/report/section.hpp"
#include "tools/support/show/summary.hpp"

namespace gas::tools::report {

/// The page of --report. Of rank 0.
class Report {
 public:
  /// Before anything is computed; UsageError as of PageFile.
  Report(std::string path, const std::string& will_be) : file_(std::move(path), will_be) {}

  /// What the objective is, in words that begin a sentence.
  void objective_is(std::string words) { objective_ = std::move(words); }
  void round(const Round& round);
  /// Sections of the tool's own, which follow the result.
  void add(std::vector<Section> sections);

  /// Writes the page as far as it is known (PageFile::write).
  std::optional<std::string> write(const RunSummary& summary, const RunManifest& manifest);

 private:
  std::string text(const RunSummary& summary, const RunManifest& manifest) const;

  PageFile file_;
  std::string objective_ = "Objective";
  Rounds all_, measured_;  // the rounds, and those with an objective
  std::vector<Section> own_;
};

}  // namespace gas::tools::report
