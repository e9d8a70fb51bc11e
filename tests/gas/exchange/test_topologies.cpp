#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "gas/exchange/topology.hpp"

using gas::Topology;

namespace {

/// What went wrong, and the most messages of a rank, sent or received, until results are known.
struct Played {
  std::string wrong;
  std::size_t most_sent = 0, most_received = 0, stages = 0;
};

/// Plays an exchange in which rank r has the part {r} of every owner's sum: a sum is the list of
/// the parts in it.
Played play(Topology topology, int ranks) {
  Played played;
  const auto count = static_cast<std::size_t>(ranks);
  std::vector<std::vector<gas::ExchangeStage>> stages;
  for (int rank = 0; rank < ranks; ++rank) stages.push_back(exchange_stages(topology, rank, ranks));
  for (const auto& of_rank : stages) played.stages = std::max(played.stages, of_rank.size());
  std::vector<std::vector<std::vector<int>>> parts(count);  // by rank and owner
  for (int rank = 0; rank < ranks; ++rank)
    parts[static_cast<std::size_t>(rank)].assign(count, {rank});
  std::vector<std::size_t> sent(count), received(count);
  std::vector<std::set<int>> met(count);
  for (std::size_t s = 0; s < played.stages; ++s) {
    std::map<std::pair<int, int>, std::vector<std::vector<int>>> messages;
    for (std::size_t r = 0; r < count; ++r) {
      if (s >= stages[r].size()) continue;
      const gas::ExchangeStage& stage = stages[r][s];
      if (static_cast<int>(r) < stage.own.first || static_cast<int>(r) >= stage.own.last)
        played.wrong = "a rank is not in its group";
      for (const auto& other : stage.others) {
        if (other.partner < other.ranks.first || other.partner >= other.ranks.last)
          played.wrong = "a partner is not in its group";
        if (!met[r].insert(other.partner).second) played.wrong = "two ranks meet twice";
        messages[{static_cast<int>(r), other.partner}] = {parts[r].begin() + other.ranks.first,
                                                          parts[r].begin() + other.ranks.last};
        ++sent[r];
      }
    }
    for (std::size_t r = 0; r < count; ++r) {
      if (s >= stages[r].size()) continue;
      for (const int from : stages[r][s].senders) {
        const auto found = messages.find({from, static_cast<int>(r)});
        if (found == messages.end()) return {"what is waited for is not sent"};
        for (std::size_t i = 0; i < found->second.size(); ++i) {
          auto& into = parts[r][static_cast<std::size_t>(stages[r][s].own.first) + i];
          into.insert(into.end(), found->second[i].begin(), found->second[i].end());
        }
        messages.erase(found);
        ++received[r];
      }
    }
    if (!messages.empty()) played.wrong = "what is sent is not waited for";
  }
  std::vector<int> all(count);
  std::iota(all.begin(), all.end(), 0);
  for (std::size_t r = 0; r < count; ++r) {
    std::ranges::sort(parts[r][r]);
    if (parts[r][r] != all) played.wrong = "an owner has not every part once";
  }
  // Results travel back: whoever was sent to has those of its own group.
  std::vector<std::vector<char>> known(count, std::vector<char>(count));
  for (std::size_t r = 0; r < count; ++r) known[r][r] = 1;
  for (std::size_t s = played.stages; s-- > 0;) {
    const auto before = known;
    for (std::size_t r = 0; r < count; ++r)
      if (s < stages[r].size())
        for (const auto& other : stages[r][s].others)
          for (int id = other.ranks.first; id < other.ranks.last; ++id)
            known[r][static_cast<std::size_t>(id)] =
                before[static_cast<std::size_t>(other.partner)][static_cast<std::size_t>(id)];
  }
  for (const auto& of_rank : known)
    if (std::ranges::find(of_rank, 0) != of_rank.end()) played.wrong = "a result is not told";
  for (std::size_t r = 0; r < count; ++r) {
    played.most_sent = std::max(played.most_sent, sent[r]);
    played.most_received = std::max(played.most_received, received[r]);
  }
  return played;
}

}  // namespace

TEST_CASE("every part reaches its owner once, and every result every rank, for any number of ranks",
          "[topologies]") {
  for (int ranks = 1; ranks <= 130; ++ranks)
    for (const Topology topology : {Topology::flat, Topology::groups, Topology::tree}) {
      INFO("ranks " << ranks << " topology " << static_cast<int>(topology));
      const Played played = play(topology, ranks);
      CHECK(played.wrong == "");
      const auto log = static_cast<std::size_t>(std::ceil(std::log2(ranks)));
      const auto root = static_cast<std::size_t>(std::ceil(std::sqrt(ranks)));
      const auto others = static_cast<std::size_t>(ranks - 1);
      if (topology == Topology::flat) {
        CHECK(played.stages == std::min<std::size_t>(1, others));
        CHECK(played.most_sent == others);
        CHECK(played.most_received == others);
      } else if (topology == Topology::groups) {
        CHECK(played.stages <= 2);
        CHECK(played.most_sent <= 2 * (root - 1));
        CHECK(played.most_received <= 3 * root);
      } else {
        CHECK(played.stages == log);
        CHECK(played.most_sent == log);
        CHECK(played.most_received <= 2 * log);
      }
    }
}
