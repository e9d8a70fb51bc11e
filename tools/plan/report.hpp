#pragma once

#include <string>

#include "tools/plan/plan.hpp"

namespace gas::tools {

/// For people.
std::string plan_text(const Plan& plan);

/// One line of JSON.
std::string plan_json(const Plan& plan);

}  // namespace gas::tools
