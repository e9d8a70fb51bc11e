#include "gas/engine/failing_together.hpp"

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
  } catch (const std::bad_alloc&) {
    tell(out_of_memory(mailbox.transport()).c_str());
  } catch (const std::exception& error) {
    tell(error.what());
  } catch (...) {
    tell("an exception that is not derived from std::exception");
  }
}

}  // namespace gas
