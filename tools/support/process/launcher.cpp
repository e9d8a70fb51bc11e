#include "tools/support/process/launcher.hpp"

#include <signal.h>

#include <exception>

#include "gas/base/error.hpp"
#include "tools/support/process/exit_code.hpp"
#include "tools/support/process/standard_error.hpp"

namespace gas::tools {

int launcher_main(const std::string& name, const std::function<int()>& work) {
  keep_standard_streams();
  signal(SIGCHLD, SIG_DFL);  // who started this may ignore it: then no child could be waited for
  const auto fail = [&](ExitCode code, const std::string& text) {
    say(name + ": " + text + "\n");
    return static_cast<int>(code);
  };
  try {
    return work();
  } catch (const UsageError& error) {
    return fail(ExitCode::wrong_usage, error.what());
  } catch (const InputError& error) {
    return fail(ExitCode::bad_input, error.what());
  } catch (const std::exception& error) {
    return fail(ExitCode::failed, error.what());
  }
}

}  // namespace gas::tools
