#include "tests/soak/seeds.hpp"

std::vector<gas_test::Right> gas_test::gathering_programs() {
  return rights(static_cast<GatheringPrograms*>(nullptr));
}
