#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tools/logreg/multiclass/apply.hpp"
#include "tools/support/report/section.hpp"

namespace gas::tools {

/// Five sentences on a model that was trained on so many examples of each class: how far it came,
/// what the labels alone would tell, how good it is on these examples and on `test`, if there is
/// one, and what speaks for each class. Local.
std::vector<std::string> told_of(const ClassesModel& model, const MulticlassFit& fit,
                                 const std::vector<std::uint64_t>& examples,
                                 const AppliedClasses* test, const std::string& test_file);

/// Five sentences on examples that a model was applied to. Local.
std::vector<std::string> told_of(const Run& run, const ClassesModel& model,
                                 const AppliedClasses& applied);

/// A line per class for people: its label, how many examples, its strongest feature.
std::string classes_table(const ClassesModel& model, const std::vector<std::uint64_t>& examples,
                          const std::string& header);

/// What a report says: the strongest features of each class, and what classes were taken for.
/// Local.
std::vector<report::Section> classes_sections(const ClassesModel& model,
                                              const AppliedClasses* applied);

}  // namespace gas::tools
