#include <catch2/catch.hpp>
#include <sstream>

#include "gas/engine/engine.hpp"
#include "gas/exchange/simulated_transport.hpp"
#include "programs/page_rank.hpp"
#include "tests/support/graphs.hpp"
#include "tests/support/ranks.hpp"

TEST_CASE("x"){
 CHECK_THROWS_WITH(gas::run_simulated_ranks(2,{},[](gas::SimulatedTransport& t){ if(t.rank()==0) t.local_wait(); else t.exchange(std::vector<gas::Bytes>(2)); }), "x");
}
