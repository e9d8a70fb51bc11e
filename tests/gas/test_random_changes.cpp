#include "tests/support/check_random_program.hpp"

TEMPLATE_LIST_TEST_CASE(
    "random programs of differences and rewritten edges rest at their one solution",
    "[random_programs][ranks]", gas_test::ChangingPrograms) {
  gas_test::check_random_program<TestType>();
}
