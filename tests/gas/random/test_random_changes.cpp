#include "tests/support/check_random_program.hpp"

TEST_CASE("random programs of differences and rewritten edges rest at their one solution",
          "[random_programs][ranks]") {
  for (const auto& program : gas_test::all_programs_of<gas_test::ChangingPrograms>())
    gas_test::check_random_program(program);
}
