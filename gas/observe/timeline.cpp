#include "gas/observe/timeline.hpp"

namespace gas {

Timeline::Span::~Span() {
  const std::int64_t ended = timeline_.turn_to(before_);
  if (named_ && timeline_.trace_) timeline_.trace_->add({began_, ended, tag_, 0, peer_, 0, what_});
}

}  // namespace gas
