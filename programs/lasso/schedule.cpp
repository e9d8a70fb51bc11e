#include "programs/lasso/schedule.hpp"

#include <algorithm>
#include <utility>

namespace gas {
namespace {

constexpr double step = 0.25;     // by which the level falls, and priority by being visited
constexpr std::size_t few = 32;   // it does where fewer than a share of so many are above it
constexpr double least = 1e-300;  // of a level

}  // namespace

void ColumnQueue::begin(std::span<const double> changes) {
  const auto count = static_cast<std::uint32_t>(changes.size());
  if (by_priority()) {
    waiting_.clear();
    level_ = 0;
    for (std::uint32_t j = 0; j < count; ++j)
      if (changes[j] > 0) {
        waiting_.push_back({j, static_cast<std::uint32_t>(waiting_.size()), changes[j]});
        level_ = std::max(level_, step * changes[j]);
      }
    next_ = found_ = 0;
  } else if (all_.empty()) {  // else it goes on where the last pass ended
    for (std::uint32_t j = 0; j < count; ++j)
      if (changes[j] >= 0) all_.push_back(j);
  }
}

void ColumnQueue::propose_large(std::size_t count, std::vector<Candidate>& out) {
  if (waiting_.empty()) level_ = 0;
  while (count > 0 && level_ > least) {
    if (next_ == waiting_.size()) {
      if (found_ <= waiting_.size() / few) level_ *= step;
      next_ = found_ = 0;
      if (!out.empty()) return;  // none twice in a round
    }
    Candidate& candidate = waiting_[next_++];
    if (candidate.priority < level_) continue;
    out.push_back(candidate);
    ++found_, --count;
  }
}

void ColumnQueue::refill() {
  sequence_ = all_;
  next_ = 0;
  if (schedule_ == LassoSchedule::cyclic) return;
  for (std::size_t left = sequence_.size(); left > 1; --left)
    std::swap(sequence_[left - 1], sequence_[random_.below(left, drawn_++)]);
}

void ColumnQueue::propose(std::size_t count, std::vector<Candidate>& out) {
  if (by_priority()) return propose_large(count, out);
  if (next_ == sequence_.size()) refill();
  for (; count > 0 && next_ < sequence_.size(); --count) out.push_back({sequence_[next_++]});
}

void ColumnQueue::put_back(const Candidate& candidate) {
  if (!by_priority()) sequence_.push_back(candidate.column);
}

void ColumnQueue::updated(const Candidate& candidate, double change) {
  if (by_priority())
    waiting_[candidate.place].priority = std::max(change, step * candidate.priority);
}

}  // namespace gas
