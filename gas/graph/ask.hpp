#pragma once

#include <cstddef>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "gas/base/communicator.hpp"

namespace gas {

/// What the rank `rank_of(item)` says of each of this rank's items, in their order: `answer(item)`,
/// a plain value, runs there. Takes O(items asked here and answered here). Collective.
template <Plain Item, class RankOf, class Answer>
auto ask(Communicator& comm, std::span<const Item> items, RankOf rank_of, Answer answer) {
  using T = std::decay_t<std::invoke_result_t<Answer, Item>>;
  const auto rank = [&](const Item& item) { return static_cast<std::size_t>(rank_of(item)); };
  std::vector<std::vector<Item>> asked(static_cast<std::size_t>(comm.size()));
  for (const Item& item : items) asked[rank(item)].push_back(item);
  const auto questions = all_to_all(comm, std::move(asked));
  std::vector<std::vector<T>> answers(questions.size());
  for (std::size_t from = 0; from < questions.size(); ++from) {
    answers[from].reserve(questions[from].size());
    for (const Item& item : questions[from]) answers[from].push_back(answer(item));
  }
  const auto told = all_to_all(comm, std::move(answers));
  std::vector<std::size_t> next(told.size(), 0);
  std::vector<T> found;
  found.reserve(items.size());
  for (const Item& item : items) found.push_back(told[rank(item)][next[rank(item)]++]);
  return found;
}

}  // namespace gas
