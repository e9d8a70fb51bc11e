#pragma once

#include <cstddef>
#include <cstdint>

namespace gas {

/// What a message is about: the clock it is stamped with, the step, and the channel.
enum class Channel : std::uint8_t {
  values,
  totals,
  complete_totals,
  summary,
  senders,  // of messages about vertices named by id (ById, Owners)
  whose,
  owners,
  senders_again,
  named,
  answers,
  changes,  // after a checkpoint: who published a change before it, who has pushed
  pushed,
  rest,  // at the end of a run above staleness 0: whether a vertex is active
};
constexpr std::uint64_t channels = 16;  // at most

constexpr const char* name_of(Channel channel) {
  constexpr const char* names[] = {
      "values", "totals",        "complete totals",      "record",  "senders", "rows",
      "owners", "senders again", "offers and questions", "answers", "changes", "pushed",
      "rest"};
  return names[static_cast<std::size_t>(channel)];
}

constexpr std::uint64_t message_tag_of(std::uint64_t round, std::uint32_t step, Channel channel) {
  return (round * 2 + step) * channels + static_cast<std::uint64_t>(channel);
}

/// Tags from here on are not those of rounds (Quiescence, Mailbox::meet).
constexpr std::uint64_t first_other_tag = std::uint64_t{1} << 62U;

/// Bits that are alike in every tag, 0 in those of rounds (below 2^41) and 1 in the last ones:
/// under way they are changed by the number of the run, modulo 2^16, so that what comes again in a
/// later run is known.
constexpr std::uint64_t run_bits = std::uint64_t{0xffff} << 46U;
constexpr std::uint64_t bits_of_run(std::uint64_t run) { return run << 46U & run_bits; }
constexpr bool is_tag(std::uint64_t tag) {
  return (tag & run_bits) == (tag >> 63U != 0 ? run_bits : 0);
}

constexpr std::uint64_t round_of(std::uint64_t tag) { return tag / (2 * channels); }
constexpr std::uint64_t step_of(std::uint64_t tag) { return tag / channels % 2; }
constexpr Channel channel_of(std::uint64_t tag) { return static_cast<Channel>(tag % channels); }

}  // namespace gas
