#include "gas/engine/run/failing_together.hpp"

#include <new>

#include "gas/base/communicator.hpp"

namespace gas {

void failing_together(Mailbox& mailbox, FunctionRef<void()> work) {
  const auto tell = [&](const char* text) {
    mailbox.tell_failure(text);
    throw FailedTogether(text);
  };
  try {
    work();
    mailbox.meet();
  } catch (const ThrownTogether&) {
    throw;
  } catch (const Abandoned&) {
    throw;
  } catch (const FailedAlone&) {
    throw;
  } catch (const std::bad_alloc&) {
    tell(out_of_memory(mailbox.transport()).c_str());
  } catch (const std::exception& error) {
    tell(error.what());
  } catch (...) {
    tell("an exception that is not derived from std::exception");
  }
}

OneRun::OneRun(Transport& transport) : running_(transport.running()) {
  if (running_.exchange(true))
    throw UsageError(
        "a run was begun within another run of these ranks: end the first one, and begin the next "
        "after it");
}

}  // namespace gas
