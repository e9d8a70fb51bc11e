#pragma once

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
    tell("out of memory");
  } catch (const std::exception& error) {
    tell(error.what());
  } catch (...) {
    tell("an unknown error");
  }
}

}  // namespace gas
