#pragma once

namespace gas::tools {

/// What a run keeps in its output folder until everything is written: its lock, files on their way.
constexpr const char* unfinished_name = ".gas-unfinished";

}  // namespace gas::tools
