#pragma once

#include <string>
#include <vector>

#include "tools/support/output/run_manifest.hpp"
#include "tools/support/report/rounds.hpp"
#include "tools/support/report/section.hpp"
#include "tools/support/show/summary.hpp"

namespace gas::tools::report {

// What every run has to tell.

/// What came of it, in the summary's words; warnings first. `objective`: what that is.
Section result_section(const RunSummary& summary, const std::string& objective);
/// The objective over rounds and seconds; of a run without one, the rounds over seconds.
Section rounds_section(const std::vector<Round>& all, const std::vector<Round>& measured,
                       const std::string& objective);
/// Where the time went, and memory.
Section time_section(const RunSummary& summary);
/// What each rank did, waited and sent; where an engine ran.
Section ranks_section(const RunSummary& summary);
/// What was run, on what, with which options.
Section run_section(const RunSummary& summary, const RunManifest& manifest);

}  // namespace gas::tools::report
