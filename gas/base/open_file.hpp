#pragma once

#include <cstdio>
#include <string>

namespace gas {

/// Opens a file for writing: empty, but for one that a descriptor of this process writes to already
/// (/dev/stdout, /dev/fd/7, or what standard output was redirected to). That is written on from
/// where the descriptor stands, so that nothing in it is lost. Null with errno where it cannot be
/// opened. The caller closes it.
std::FILE* open_to_write(const std::string& path);

}  // namespace gas
