#include "tools/support/report/rounds.hpp"

namespace gas::tools::report {

void Rounds::add(const Round& round) {
  last_ = round;
  if (seen_++ % every_ != 0) return;
  kept_.push_back(round);
  if (kept_.size() < most) return;
  for (std::size_t i = 0; i < most / 2; ++i) kept_[i] = kept_[2 * i];
  kept_.resize(most / 2);
  every_ *= 2;
}

std::vector<Round> Rounds::kept() const {
  std::vector<Round> all = kept_;
  if (seen_ > 0 && all.back().number != last_.number) all.push_back(last_);
  return all;
}

}  // namespace gas::tools::report
