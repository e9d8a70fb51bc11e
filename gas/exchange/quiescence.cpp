#include "gas/exchange/quiescence.hpp"

namespace gas {
namespace {

enum class Word : std::uint64_t { question, answer, end, stop };

/// Apart from the tags of rounds, which are below 2^62.
std::uint64_t tag_of(Word word, std::uint64_t number) {
  return first_other_tag + number * 4 + static_cast<std::uint64_t>(word);
}

}  // namespace

bool Quiescence::local_is_quiet(Counts mine) {
  mailbox_.local_progress();
  const Transport& transport = mailbox_.transport();
  const bool quiet =
      transport.size() == 1 || (transport.rank() == 0 ? local_ask(mine) : local_answer(mine));
  if (quiet) {
    ++quiets_;
    stop_ = false;
  }
  return quiet;
}

void Quiescence::local_ask_to_stop() {
  if (stop_) return;
  stop_ = true;
  Transport& transport = mailbox_.transport();
  for (int to = 0; to < transport.size(); ++to)
    if (to != transport.rank())
      mailbox_.async_send(to, Purpose::control, tag_of(Word::stop, quiets_), {});
}

bool Quiescence::local_stop_was_asked() {
  mailbox_.local_progress();
  Bytes bytes;
  for (int from = 0; from < mailbox_.transport().size(); ++from)
    if (mailbox_.local_try_take(from, tag_of(Word::stop, quiets_), bytes)) stop_ = true;
  return stop_;
}

bool Quiescence::local_ask(Counts mine) {
  Transport& transport = mailbox_.transport();
  const auto tell = [&](Word word) {
    for (int to = 1; to < transport.size(); ++to)
      mailbox_.async_send(to, Purpose::control, tag_of(word, wave_), {});
  };
  if (!asked_) {
    tell(Word::question);
    asked_ = true;
    answers_ = 1;
    sums_ = mine;
  }
  Bytes bytes;
  while (answers_ < transport.size() &&
         mailbox_.local_try_take(answers_, tag_of(Word::answer, wave_), bytes)) {
    const Counts theirs = from_bytes<Counts>(bytes)[0];
    sums_.sent += theirs.sent;
    sums_.taken += theirs.taken;
    ++answers_;
  }
  if (answers_ < transport.size()) return false;
  const bool quiet = sums_ == before_ && sums_.sent == sums_.taken;
  if (quiet) tell(Word::end);
  before_ = quiet ? Counts{1, 0} : sums_;
  asked_ = false;
  ++wave_;
  return quiet || local_ask(mine);
}

bool Quiescence::local_answer(Counts mine) {
  Bytes bytes;
  if (wave_ > 0 && mailbox_.local_try_take(0, tag_of(Word::end, wave_ - 1), bytes)) return true;
  while (mailbox_.local_try_take(0, tag_of(Word::question, wave_), bytes)) {
    mailbox_.async_send(0, Purpose::control, tag_of(Word::answer, wave_),
                        to_bytes(std::span<const Counts>(&mine, 1)));
    ++wave_;
  }
  return false;
}

}  // namespace gas
