#pragma once

#include <string>

namespace gas::tools {

/// From now on a rank that a launcher started and that ends by an exception which nobody catches,
/// by abort() or by a fault such as SIGSEGV says so in one line, "NAME: rank R: …", and is ended by
/// that signal all the same. Under a watcher, which tells of signals, only the exception is said.
/// What a sanitizer catches is left to it.
void speak_before_death(const std::string& name);

}  // namespace gas::tools
