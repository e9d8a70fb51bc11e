#pragma once

#include <string>

#include "gas/exchange/mailbox.hpp"

namespace gas {

/// Does `work`, of which a rank may fail alone, in a hook for one: then all throw its message as
/// FailedTogether. Until all have met at the end, ranks wait for each other in the mailbox only,
/// where they hear of it: collectives are called before. Collective.
template <class Work>
void failing_together(Mailbox& mailbox, Work work) {
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
    tell("an unknown error");
  }
}

}  // namespace gas
