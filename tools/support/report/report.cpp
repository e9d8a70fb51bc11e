#include "tools/support/report/report.hpp"

#include <fmt/format.h>

#include "tools/support/report/page.hpp"
#include "tools/support/report/run_sections.hpp"

namespace gas::tools::report {

void Report::round(const Round& round) {
  all_.add(round);
  if (round.objective) measured_.add(round);
}

void Report::add(std::vector<Section> sections) {
  for (Section& section : sections) own_.push_back(std::move(section));
}

std::string Report::text(const RunSummary& summary, const RunManifest& manifest) const {
  const std::string heading =
      summary.tool + (summary.input ? ": " + *summary.input : std::string());
  const std::string lead =
      fmt::format("{} ran for {:.3g} s on {} with {} each{}.", summary.tool, summary.total_seconds,
                  summary.ranks == 1 ? "one rank" : fmt::format("{} ranks", summary.ranks),
                  summary.threads == 1 ? "one thread" : fmt::format("{} threads", summary.threads),
                  summary.interrupted ? ", and was interrupted" : "");
  std::vector<Section> sections{result_section(summary, objective_)};
  sections.insert(sections.end(), own_.begin(), own_.end());
  if (summary.iterations)
    sections.push_back(rounds_section(all_.kept(), measured_.kept(), objective_));
  sections.push_back(time_section(summary));
  if (!summary.per_rank.empty()) sections.push_back(ranks_section(summary));
  sections.push_back(run_section(summary, manifest));
  return page(heading, lead, sections);
}

std::optional<std::string> Report::write(const RunSummary& summary, const RunManifest& manifest) {
  return file_.write(text(summary, manifest));
}

}  // namespace gas::tools::report
