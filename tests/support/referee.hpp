#pragma once

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "gas/engine/visit.hpp"
#include "gas/exchange/mailbox.hpp"
#include "gas/exchange/transport.hpp"

namespace gas_test {

/// Holds the ranks of one simulated engine against what docs/semantics.md promises: it sees what
/// they send, receive, read and begin, and knows nothing of how the engine does it. The simulation
/// runs one rank at a time, so nothing is locked.
class Referee {
 public:
  static constexpr std::size_t most_ranks = 4;
  /// Edges counted by each forming rank, then the sum of the rounds in which it counted them.
  using Formed = std::array<std::int64_t, 2 * most_ranks>;
  /// Members that one rank gave to a parameter: how many, and the sum of their names.
  struct Given {
    std::int64_t members = 0, names = 0;
    bool operator==(const Given&) const = default;
  };

  Referee(int ranks, std::uint64_t bound, bool two_kinds)
      : ranks_(static_cast<std::size_t>(ranks)), bound_(bound), two_(two_kinds), at_(ranks_) {
    for (At& at : at_) at.pairs.resize(ranks_);
  }

  /// What did not hold, the first few.
  const std::vector<std::string>& broken() const { return broken_; }
  /// Values and totals looked at.
  std::uint64_t looks() const { return looks_; }
  /// Rounds that `rank` has told all others it has run.
  std::uint64_t clock(int rank) const { return at(rank).clock; }

  /// All ranks will go on at another bound, after having taken in everything.
  void set_bound(std::uint64_t bound) { bound_ = bound; }

  /// `rank` begins a step.
  void begin(int rank, gas::Step step) {
    At& me = at(rank);
    end_step(rank);
    me.step = step;
    if (step.kind == 1 && !me.gives.empty()) {
      me.given.resize(step.round + 1, me.gives);
      me.given[step.round] = me.gives;
    }
    if (step.kind != 0) return;
    for (std::size_t other = 0; other < ranks_; ++other)
      if (step.round - 1 > at_[other].clock + bound_of(step.round))
        blame(rank, fmt::format("begins, rank {} has run {} rounds", other, at_[other].clock));
  }

  /// `rank` gathers a value of kind `kind` that `writer` published in `round`.
  void read(int rank, std::uint32_t kind, int writer, std::uint64_t round) {
    const std::uint64_t now = at(rank).step.round;
    look(rank, writer, round, now - (!two_ || kind == 1 ? 1 : 0),
         at(rank).values[kind * most_ranks + static_cast<std::size_t>(writer)], "a value");
  }

  /// `rank` applies a vertex of kind `kind` with this total; `edges` it has in all.
  void total(int rank, std::uint32_t kind, std::span<const std::int64_t> formed,
             std::uint64_t edges) {
    std::int64_t counted = 0;
    for (std::size_t from = 0; from < most_ranks; ++from) {
      const std::int64_t count = formed[from], rounds = formed[most_ranks + from];
      counted += count;
      if (count == 0) continue;
      if (rounds % count != 0) blame(rank, "applies a partial accumulator of several rounds");
      look(rank, static_cast<int>(from), static_cast<std::uint64_t>(rounds / count),
           at(rank).step.round, at(rank).totals[kind * most_ranks + from], "a partial accumulator");
    }
    if (static_cast<std::uint64_t>(counted) != edges)
      blame(rank, fmt::format("applies a total of {} edges, not {}", counted, edges));
  }

  /// Whether the ranks' parts of a total came in rank order.
  void in_order(int rank, bool holds) {
    if (!holds) blame(rank, "applies a total that was not added in rank order");
  }

  /// Running totals: `rank` gives a member to one of `parameters`, or takes it away.
  void give(int rank, std::size_t parameters, std::size_t parameter, std::int64_t members,
            std::int64_t names) {
    at(rank).gives.resize(parameters);
    at(rank).gives[parameter].members += members;
    at(rank).gives[parameter].names += names;
  }
  /// `rank` applies a parameter with what the ranks are said to have given.
  void has(int rank, std::size_t parameter, std::span<const Given> by_rank) {
    at(rank).has[parameter].assign(by_rank.begin(), by_rank.end());
  }

  void sent(int from, int to, std::uint64_t tag) { passed(from, to, tag, true); }
  void received(int from, int to, std::uint64_t tag) { passed(from, to, tag, false); }

  /// `rank` has ended its run.
  void end_step(int rank) {
    At& me = at(rank);
    if (me.step.kind == 1) compare_gifts(rank);
    me.has.clear();
    for (auto& seen : me.values) seen.in_step = false;
    for (auto& seen : me.totals) seen.in_step = false;
  }

 private:
  struct Look {
    std::uint64_t round = 0;
    bool in_step = false;
  };
  struct Pair {                      // this rank and another one
    std::uint64_t told[2] = {0, 0};  // 2 × round + kind of the last record: sent, received
    std::uint64_t last[2] = {0, 0};  // of the last message
    std::set<std::uint64_t> tags;    // sent
  };
  struct At {
    gas::Step step;
    std::uint64_t clock = 0;
    std::array<Look, 2 * most_ranks> values, totals;  // by kind and rank
    std::vector<Given> gives;                         // so far, by parameter
    std::vector<std::vector<Given>> given;            // by round
    std::map<std::size_t, std::vector<Given>> has;    // in this step, by parameter
    std::array<std::uint64_t, most_ranks> matched{};  // the round up to which it has others' gifts
    std::vector<Pair> pairs;
  };

  At& at(int rank) { return at_[static_cast<std::size_t>(rank)]; }
  const At& at(int rank) const { return at_[static_cast<std::size_t>(rank)]; }
  std::uint64_t bound_of(std::uint64_t round) const { return round <= 1 ? 0 : bound_; }

  void blame(int rank, const std::string& what) {
    const gas::Step step = at(rank).step;
    if (broken_.size() < 5)
      broken_.push_back(
          fmt::format("rank {} round {} kind {}: {}", rank, step.round, step.kind, what));
  }

  /// A look at what `writer` made in `made`; `newest`: what it would be at staleness 0, or is the
  /// rank's own.
  void look(int rank, int writer, std::uint64_t made, std::uint64_t newest, Look& before,
            const char* what) {
    ++looks_;
    const std::uint64_t now = at(rank).step.round, bound = bound_of(now);
    const auto of = [&] { return fmt::format("{} of rank {} of round {}", what, writer, made); };
    if ((writer == rank || bound == 0) && made != newest) blame(rank, "sees " + of());
    if (made + bound + 1 < now) blame(rank, "sees too old " + of());
    if (made > now + bound) blame(rank, "sees impossibly new " + of());
    if (made < before.round) blame(rank, fmt::format("sees {} after {}", of(), before.round));
    if (before.in_step && made != before.round)
      blame(rank, fmt::format("sees {} beside {}", of(), before.round));
    before = {made, true};
  }

  /// One round of each rank explains all that this rank has of it.
  void compare_gifts(int rank) {
    At& me = at(rank);
    if (me.has.empty()) return;
    const std::uint64_t now = me.step.round, bound = bound_of(now);
    for (std::size_t from = 0; from < ranks_; ++from) {
      const auto& given = at_[from].given;
      const bool exact = bound == 0 || from == static_cast<std::size_t>(rank);
      std::uint64_t first = exact ? now : now - std::min(now, bound + 1);
      first = std::max(first, me.matched[from]);
      bool found = false;
      for (std::uint64_t round = first; !found && round <= now + bound; ++round) {
        ++looks_;
        found = true;
        for (const auto& [parameter, by_rank] : me.has) {
          const bool none = round >= given.size() || given[round].empty();
          found = found && by_rank[from] == (none ? Given{} : given[round][parameter]);
        }
        if (found) me.matched[from] = round;
        if (exact) break;
      }
      if (!found)
        blame(rank, fmt::format("has what rank {} gave in no round from {}", from, first));
    }
  }

  void passed(int from, int to, std::uint64_t tag, bool sends) {
    if (tag >= std::uint64_t{1} << 62U) return;              // of no round
    if (gas::channel_of(tag) == gas::Channel::rest) return;  // after the last one
    const std::uint64_t step = tag / gas::channels, round = step / 2;
    const bool record = gas::channel_of(tag) == gas::Channel::summary;
    Pair& pair = at(sends ? from : to).pairs[static_cast<std::size_t>(sends ? to : from)];
    const int me = sends ? from : to;
    if (step <= pair.told[sends ? 0 : 1] && round > 0)
      blame(me, fmt::format("{} tag {} of a step already told", sends ? "sends" : "gets", tag));
    if (step < pair.last[sends ? 0 : 1])
      blame(me, fmt::format("{} tag {} out of order", sends ? "sends" : "gets", tag));
    pair.last[sends ? 0 : 1] = step;
    if (record) pair.told[sends ? 0 : 1] = step;
    if (!sends) return;
    if (!pair.tags.insert(tag).second) blame(me, fmt::format("sends tag {} twice", tag));
    if (record && step % 2 == (two_ ? 1 : 0)) at(from).clock = round;
  }

  std::size_t ranks_;
  std::uint64_t bound_;
  bool two_;
  std::vector<At> at_;
  std::vector<std::string> broken_;
  std::uint64_t looks_ = 0;
};

/// A transport whose messages a referee sees.
class WatchedTransport final : public gas::Transport {
 public:
  WatchedTransport(gas::Transport& transport, Referee& referee)
      : transport_(transport), referee_(referee) {}

  int rank() const override { return transport_.rank(); }
  int size() const override { return transport_.size(); }
  unsigned local_cores() const override { return transport_.local_cores(); }
  std::vector<gas::Bytes> exchange(std::vector<gas::Bytes> out) override {
    return transport_.exchange(std::move(out));
  }
  bool local_receive(gas::Message& message) override {
    if (!transport_.local_receive(message)) return false;
    referee_.received(message.from, rank(), message.tag);
    return true;
  }
  void local_wait() override {
    if (awaited())
      transport_.local_wait_for(awaited()->from, awaited()->tag);
    else
      transport_.local_wait();
  }

 protected:
  void post(int to, gas::Message message) override {
    referee_.sent(rank(), to, message.tag);
    transport_.async_send(to, message.purpose, message.tag, std::move(message.bytes));
  }

 private:
  gas::Transport& transport_;
  Referee& referee_;
};

}  // namespace gas_test
