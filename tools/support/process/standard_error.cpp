#include "tools/support/process/standard_error.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>

namespace gas::tools {
namespace {

std::atomic<bool> lost{false};  // the watchdog speaks from a thread of its own

}  // namespace

void say(std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(STDERR_FILENO, text.data(), text.size());
    if (written > 0) {
      text.remove_prefix(static_cast<std::size_t>(written));
    } else if (written == 0 || errno != EINTR) {
      lost.store(true);
      return;
    }
  }
}

bool words_lost() { return lost.load(); }

void keep_standard_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (::fcntl(stream, F_GETFD) == -1 && errno == EBADF) ::open("/dev/null", O_RDONLY);
}

}  // namespace gas::tools
