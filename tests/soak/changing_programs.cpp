#include "tests/soak/seeds.hpp"

std::vector<gas_test::Right> gas_test::changing_programs() {
  return rights(static_cast<ChangingPrograms*>(nullptr));
}
