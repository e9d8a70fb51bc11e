#include "gas/engine/store/id_list.hpp"

#include <algorithm>

namespace gas {

void IdList::make_room_for(std::size_t more) {
  const std::size_t room = std::max(size_ + more, 2 * memory_.size());
  memory_.resize(size_);  // what is copied was set
  memory_.resize(room);
}

}  // namespace gas
