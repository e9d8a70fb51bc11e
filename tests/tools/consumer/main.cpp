#include <cstdio>

#include "gas/exchange/local_transport.hpp"

int main() {
  int total = 0;
  gas::run_local_ranks(3, [&](gas::Transport& transport) {
    const int sum = gas::all_sum(transport, transport.rank() + 1);
    if (transport.rank() == 0) total = sum;
  });
  std::printf("%d\n", total);
  return total == 6 ? 0 : 1;
}
