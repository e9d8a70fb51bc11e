#include "tools/support/process/standard_error.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>

#include "gas/base/open_file.hpp"

namespace gas::tools {
namespace {

std::atomic<bool> lost{false};  // the watchdog speaks from a thread of its own

}  // namespace

void say(std::string_view text) {
  if (!write_all(STDERR_FILENO, text)) lost.store(true);
}

bool words_lost() { return lost.load(); }

void keep_standard_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (::fcntl(stream, F_GETFD) == -1 && errno == EBADF) ::open("/dev/null", O_RDONLY);
}

}  // namespace gas::tools
