#pragma once

#include <string_view>

namespace gas::tools {

/// Writes to standard error. What cannot be written there is lost, and the run goes on: the stream
/// may be closed, its disk full, its terminal gone.
void say(std::string_view text);

/// Whether anything that was said on this rank was lost.
bool words_lost();

/// Puts something that cannot be written to in place of a standard stream that is closed, so that
/// no file of the run gets its number, and what is printed then ends up in that file.
void keep_standard_streams();

}  // namespace gas::tools
