#pragma once

#include <functional>
#include <string>

namespace gas::tools {

/// The main of a program that starts tools and is none of the ranks itself: what `work` returns, or
/// the exit code of what it throws, which is said on standard error behind the name.
int launcher_main(const std::string& name, const std::function<int()>& work);

}  // namespace gas::tools
