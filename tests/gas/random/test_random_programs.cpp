#include "tests/support/check_random_program.hpp"

TEST_CASE("random programs rest at their one solution", "[random_programs][ranks]") {
  for (const auto& program : gas_test::all_programs_of<gas_test::GatheringPrograms>())
    gas_test::check_random_program(program);
}
