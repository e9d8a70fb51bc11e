#include <algorithm>
#include <catch2/catch.hpp>
#include <fstream>
#include <numeric>
#include <string>
#include <thread>

#include "gas/base/communicator.hpp"
#include "gas/base/error.hpp"
#include "gas/context.hpp"
#include "tests/support/ranks.hpp"

using gas_test::rank_counts;
using gas_test::run_ranks;

TEST_CASE("collectives agree with what each rank put in", "[comm][ranks]") {
  for (const int ranks : rank_counts()) {
    const auto results = run_ranks<std::vector<std::int64_t>>(ranks, [](gas::Transport& comm) {
      const auto me = static_cast<std::int64_t>(comm.rank());
      std::vector<std::int64_t> mine(static_cast<std::size_t>(me), me);  // rank r gives r times r
      std::vector<std::int64_t> all;
      for (const auto& block : gas::all_gather(comm, std::span<const std::int64_t>(mine)))
        all.insert(all.end(), block.begin(), block.end());
      all.push_back(gas::whole(comm, mine) == all ? 1 : 0);
      all.push_back(gas::all_sum(comm, me));
      all.push_back(gas::all_max(comm, me));
      const auto told = gas::broadcast(comm, std::span<const std::int64_t>(mine), comm.size() - 1);
      all.push_back(static_cast<std::int64_t>(told.size()));
      const std::string text(mine.size(), static_cast<char>('a' + me));
      const std::string of_last(told.size(), static_cast<char>('a' + comm.size() - 1));
      all.push_back(gas::broadcast_text(comm, text, comm.size() - 1) == of_last ? 1 : 0);
      return all;
    });
    std::vector<std::int64_t> expected;
    for (std::int64_t r = 0; r < ranks; ++r)
      expected.insert(expected.end(), static_cast<std::size_t>(r), r);
    expected.insert(expected.end(), {1, ranks * (ranks - 1) / 2, ranks - 1, ranks - 1, 1});
    for (const auto& result : results) CHECK(result == expected);
  }
}

TEST_CASE("sums of floats are folded in rank order on every rank", "[comm][ranks]") {
  for (const int ranks : rank_counts()) {
    const auto of_rank = [](int rank) { return rank % 2 == 0 ? 1e16 : 1.0; };
    const auto results = run_ranks<double>(
        ranks, [&](gas::Transport& comm) { return gas::all_sum(comm, of_rank(comm.rank())); });
    double sum = of_rank(0);
    for (int rank = 1; rank < ranks; ++rank) sum += of_rank(rank);
    for (const double result : results) CHECK(result == sum);
  }
}

namespace {

/// A communicator without a broadcast or gather of its own, which counts what a rank hands over at
/// a time.
class CountedCommunicator final : public gas::Communicator {
 public:
  explicit CountedCommunicator(gas::Communicator& inner) : inner_(inner) {}
  int rank() const override { return inner_.rank(); }
  int size() const override { return inner_.size(); }
  std::vector<gas::Bytes> exchange(std::vector<gas::Bytes> out) override {
    std::size_t bytes = 0;
    for (const gas::Bytes& block : out) bytes += block.size();
    most = std::max(most, bytes);
    return inner_.exchange(std::move(out));
  }

  std::size_t most = 0;

 private:
  gas::Communicator& inner_;
};

/// What /proc/self/status says of this process, in bytes.
std::size_t memory(const std::string& key) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with(key)) return std::stoull(line.substr(key.size() + 1)) << 10U;
  return 0;
}

/// By how many bytes the memory grew at most while `work` ran.
template <class Work>
std::size_t growth(Work work) {
  std::ofstream("/proc/self/clear_refs") << "5";  // the peak starts anew
  const std::size_t before = memory("VmRSS:");
  work();
  return memory("VmHWM:") - before;
}

}  // namespace

TEST_CASE("no rank holds a copy for each other one while it tells all", "[comm][ranks]") {
  constexpr std::size_t bytes = 48U << 20U;
  for (const int ranks : rank_counts()) {
    struct Result {
      std::size_t handed_over, of_broadcast, of_gather;
      bool right;
    };
    const auto results = run_ranks<Result>(ranks, [&](gas::Transport& transport) {
      CountedCommunicator counted(transport);
      gas::Communicator& comm =
          gas_test::mpi_world() ? static_cast<gas::Communicator&>(transport) : counted;
      const auto last = comm.size() - 1;
      Result result{0, 0, 0, true};
      const auto value = [](std::size_t i, int rank) {
        return static_cast<std::uint32_t>(i * 7 + static_cast<std::size_t>(rank));
      };
      const auto filled = [&](std::size_t count) {
        std::vector<std::uint32_t> values(count);
        for (std::size_t i = 0; i < count; ++i) values[i] = value(i, comm.rank());
        return values;
      };
      {
        const auto mine = filled(comm.rank() == last ? bytes / 4 : 0);
        result.of_broadcast = growth([&] {
          const auto told = gas::broadcast(comm, std::span<const std::uint32_t>(mine), last);
          result.right = told.size() == bytes / 4 && told.back() == value(bytes / 4 - 1, last);
        });
      }
      const auto count = [&](int rank) {  // none of the first rank's, most of the last one's
        return bytes / 4 / static_cast<std::size_t>(ranks) * static_cast<std::size_t>(rank);
      };
      const auto mine = filled(count(comm.rank()));
      result.of_gather = growth([&] {
        const auto all = gas::all_gather(comm, std::span<const std::uint32_t>(mine));
        for (int rank = 0; rank < ranks; ++rank) {
          const auto block = all[static_cast<std::size_t>(rank)];
          result.right = result.right && block.size() == count(rank);
          for (std::size_t i = 0; result.right && i < block.size(); i += 1001)
            result.right = block[i] == value(i, rank);
          if (!block.empty())
            result.right = result.right && block.back() == value(block.size() - 1, rank);
        }
      });
      result.handed_over = counted.most;
      return result;
    });
    const auto p = static_cast<std::size_t>(ranks);
    for (const Result& result : results) {
      INFO(ranks << " ranks");
      CHECK(result.right);
      CHECK(result.handed_over <= p << 22U);
      if (gas_test::mpi_world() == nullptr) continue;
      CHECK(result.of_broadcast < bytes * 3 / 2);
      CHECK(result.of_gather < bytes * (p - 1) / 2 * 3 / 2 + (8U << 20U));
    }
  }
}

TEST_CASE("blocks beyond what MPI can count arrive whole", "[.big]") {
  // 2 ranks and 7 GiB: mpirun -n 2 build/bin/test_gas [.big]
  for (const int ranks : rank_counts()) {
    if (ranks != 2) continue;
    const auto right = run_ranks<bool>(ranks, [](gas::Transport& comm) {
      const auto me = static_cast<std::uint64_t>(comm.rank());
      const std::uint64_t each = (std::uint64_t{1} << 28U) + 5;
      std::vector<std::uint32_t> mine(each - 3 * me);
      for (std::uint64_t i = 0; i < mine.size(); ++i)
        mine[i] = static_cast<std::uint32_t>(2 * i + me);
      const auto all = gas::all_gather(comm, std::span<const std::uint32_t>(mine));
      bool same = true;
      for (std::uint64_t r = 0; r < 2; ++r) {
        same = same && all[r].size() == each - 3 * r;
        for (std::uint64_t i = 0; i < all[r].size(); ++i)
          same = same && all[r][i] == static_cast<std::uint32_t>(2 * i + r);
      }
      const auto told = gas::broadcast(comm, std::span<const std::uint32_t>(mine), 1);
      return same && std::ranges::equal(told, all[1]);
    });
    for (const bool r : right) CHECK(r);
  }
}

TEST_CASE("an error on one rank is thrown on all, with its type", "[comm][ranks]") {
  for (const int ranks : rank_counts()) {
    const auto results = run_ranks<std::string>(ranks, [](gas::Transport& comm) -> std::string {
      try {
        gas::together(comm, [&] {
          if (comm.rank() == comm.size() - 1)
            throw gas::located_error("f", 3, 7, "'x'", "a number");
        });
      } catch (const gas::InputError& error) {
        return error.what();
      }
      return "nothing thrown";
    });
    for (const auto& result : results) CHECK(result == "f:3:7: found 'x', expected a number");
  }
}

TEST_CASE("blocks cover every row once", "[comm]") {
  for (const std::uint64_t rows : {0U, 1U, 3U, 4U, 5U, 1000U})
    for (const int ranks : {1, 2, 3, 4, 7}) {
      const gas::BlockDistribution blocks{rows, ranks};
      std::uint64_t next = 0;
      for (int rank = 0; rank < ranks; ++rank) {
        CHECK(blocks.first(rank) == next);
        for (std::uint64_t i = 0; i < blocks.count(rank); ++i)
          CHECK(blocks.owner(next + i) == rank);
        next += blocks.count(rank);
      }
      CHECK(next == rows);
    }
}

TEST_CASE("ranks that may use the same cores share them", "[comm][ranks]") {
  const std::uint64_t cores = std::max(1U, std::thread::hardware_concurrency());
  for (const int ranks : rank_counts()) {
    const auto results = run_ranks<std::uint64_t>(ranks, [](gas::Transport& transport) {
      return gas::all_sum(transport, std::uint64_t{gas::Context(transport).threads()});
    });
    const auto least = static_cast<std::uint64_t>(ranks);
    for (const std::uint64_t threads : results) {
      CHECK(threads >= least);
      CHECK(threads <= std::max(least, cores));
    }
  }
}
