#include "partition/streaming.hpp"

namespace gas::partition {

Members StreamState::members() const {
  Members members;
  const std::size_t vertices = words_ == 0 ? 0 : copies_.size() / words_;
  for (Part part = 0; part < load_.size(); ++part) {
    for (std::size_t v = 0; v < vertices; ++v)
      if ((copies_[v * words_ + part / 64] >> part % 64 & 1U) != 0)
        members.vertex.push_back(static_cast<std::uint32_t>(v));
    members.begin.push_back(members.vertex.size());
  }
  return members;
}

}  // namespace gas::partition
