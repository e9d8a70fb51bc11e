#include "gas/engine/failing_together.hpp"

#include <new>
#include <string>

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
    const Transport& transport = mailbox.transport();
    const std::string rank = "rank " + std::to_string(transport.rank()) + ": ";
    tell(((transport.size() > 1 ? rank : "") + "out of memory").c_str());
  } catch (const std::exception& error) {
    tell(error.what());
  } catch (...) {
    tell("an exception that is not derived from std::exception");
  }
}

}  // namespace gas
