#include <catch2/catch.hpp>
#include <functional>

#include "gas/graph/error.hpp"
#include "partition/part_file.hpp"
#include "tests/partition/folders.hpp"
#include "tests/support/ranks.hpp"

using gas_test::Graph;
using gas_test::read_text;
using gas_test::TemporaryFolder;
using gas_test::write_text;

namespace {

/// What reading the folder says, or "nothing".
std::string complaint(gas::Team& team, const std::string& dir) {
  try {
    gas::partition::read_folder(team, dir);
  } catch (const gas::InputError& error) {
    return error.what();
  }
  return "nothing";
}

const std::vector<std::string> files{"manifest.json", "part-00000.bin", "part-00001.bin",
                                     "part-00002.bin", "ids.txt"};

void store_small(gas::Team& team, const std::string& dir) {
  if (team.rank() == 0) {
    std::filesystem::create_directory(dir);
    write_text(dir + "/ids.txt", "a\nb\n");
  }
  gas::all_sum(team, 0);
  gas_test::store(team, dir, gas_test::clustered(true, 4), {"metis", 3, 5, 1},
                  {1, 5, false, {"ids.txt"}});
}

}  // namespace

TEST_CASE("any byte changed anywhere is found, and the file named", "[partition]") {
  gas::run_local_ranks(1, [&](gas::Transport& team) {
    const TemporaryFolder folder(team);
    store_small(team, folder / "p");
    REQUIRE(complaint(team, folder / "p") == "nothing");
    for (const std::string& file : files) {
      const std::string path = folder / "p/" + file;
      const std::string text = read_text(path);
      REQUIRE(text.size() > 1);
      std::size_t missed = 0;
      const std::size_t step = text.size() / 100 + 1;
      for (std::size_t at = 0; at < text.size(); at += step) {
        std::string changed = text;
        changed[at] = static_cast<char>(changed[at] ^ (1 << (at % 7)));
        write_text(path, changed);
        missed += complaint(team, folder / "p").find(file) == std::string::npos;
      }
      INFO(file);
      CHECK(missed == 0);
      write_text(path, text);
    }
    CHECK(complaint(team, folder / "p") == "nothing");
  });
}

TEST_CASE("damage is an error on all ranks", "[partition][ranks]") {
  struct Damage {
    std::string name;
    std::function<void(const std::string& path)> apply;
    std::string expected;
  };
  const std::vector<Damage> damages{
      {"deleted", [](const auto& path) { std::filesystem::remove(path); }, "no such file"},
      {"truncated", [](const auto& path) { write_text(path, read_text(path).substr(0, 3)); },
       "found"},
      {"longer", [](const auto& path) { write_text(path, read_text(path) + " "); }, "found"},
      {"empty", [](const auto& path) { write_text(path, ""); }, "found"},
      {"a folder",
       [](const auto& path) {
         std::filesystem::remove(path);
         std::filesystem::create_directory(path);
       },
       "expected a regular file"},
  };
  for (const int ranks : gas_test::rank_counts())
    for (const Damage& damage : damages)
      for (const std::string& file : files) {
        INFO(ranks << " ranks: " << file << " " << damage.name);
        for (const std::string& said :
             gas_test::run_ranks<std::string>(ranks, [&](gas::Transport& team) {
               const TemporaryFolder folder(team);
               store_small(team, folder / "p");
               if (team.rank() == 0) damage.apply(folder / "p/" + file);
               return complaint(team, folder / "p");
             })) {
          CHECK_THAT(said, Catch::Contains(file) && Catch::Contains(damage.expected));
        }
      }
}

TEST_CASE("folders that are none, foreign or newer are told apart", "[partition][ranks]") {
  const auto replaced = [](std::string text, const std::string& from, const std::string& to) {
    return text.replace(text.find(from), from.size(), to);
  };
  for (const int ranks : gas_test::rank_counts())
    for (const auto& said :
         gas_test::run_ranks<std::vector<std::string>>(ranks, [&](gas::Transport& team) {
           const TemporaryFolder folder(team);
           store_small(team, folder / "p");
           const std::string path = folder / "p/manifest.json";
           const std::string text = read_text(path);
           std::vector<std::string> messages{complaint(team, folder / "none")};
           for (const std::string& other :
                {replaced(text, "\"schema\": 1", "\"schema\": 2"), std::string("{\"a\": 1}"),
                 std::string("[1, 2]"), replaced(text, "\"seed\": 1", "\"seed\": 2")}) {
             gas::all_sum(team, 0);
             if (team.rank() == 0) write_text(path, other);
             messages.push_back(complaint(team, folder / "p"));
           }
           return messages;
         })) {
      REQUIRE(said.size() == 5);
      CHECK_THAT(said[0], Catch::Contains("found no such folder"));
      CHECK_THAT(said[1], Catch::Contains("found format 2") && Catch::Contains("newer"));
      CHECK_THAT(said[2], Catch::Contains("found a foreign file"));
      CHECK_THAT(said[3], Catch::Contains("found a foreign file"));
      CHECK_THAT(said[4], Catch::Contains("found an altered manifest"));
    }
}

TEST_CASE("parts of two partitions do not mix", "[partition]") {
  gas::run_local_ranks(1, [&](gas::Transport& team) {
    const TemporaryFolder folder(team);
    store_small(team, folder / "p");
    gas_test::store(team, folder / "q", gas_test::clustered(true, 5), {"metis", 3, 5, 1});
    std::filesystem::copy_file(folder / "q/part-00001.bin", folder / "p/part-00001.bin",
                               std::filesystem::copy_options::overwrite_existing);
    CHECK_THAT(complaint(team, folder / "p"), Catch::Contains("part-00001.bin"));
  });
}

TEST_CASE("a partition of another input is refused", "[partition][ranks]") {
  const Graph graph = gas_test::clustered(true, 4);
  Graph value = graph;
  value.edges.value[5] += 1;
  Graph order = graph;
  std::swap(order.edges.source[3], order.edges.source[40]);
  std::swap(order.edges.target[3], order.edges.target[40]);
  std::swap(order.edges.value[3], order.edges.value[40]);
  Graph shape = graph;
  ++shape.shape.targets;
  Graph plain = graph;
  plain.shape.bipartite = false;
  Graph empty = graph;
  empty.edges = {};
  for (const int ranks : gas_test::rank_counts())
    for (const Graph& other : {value, order, shape, plain, empty})
      for (const std::string& said :
           gas_test::run_ranks<std::string>(ranks, [&](gas::Transport& team) -> std::string {
             const TemporaryFolder folder(team);
             gas_test::store(team, folder / "p", graph, {"hash", 3, 5, 1});
             const auto mine = gas_test::share(other.edges, team.rank(), team.size());
             try {
               gas::partition::attach_folder(team, folder / "p", mine, other.shape);
             } catch (const gas::InputError& error) {
               return error.what();
             }
             return "nothing";
           }))
        CHECK_THAT(said, Catch::Contains("another input"));
}

TEST_CASE("no bytes make a part file crash its reader", "[partition]") {
  const gas::partition::PartContent content{{{1, 2}, {3, 4}, {0.5F, 1.5F}}, {0, 1}, {7, 8, 9}, {4}};
  const gas::Bytes bytes = gas::partition::encode_part(content, 1, 3);
  const auto back = gas::partition::decode_part(bytes, 1, 3, "f");
  CHECK(back.edges.source == content.edges.source);
  CHECK(back.edges.target == content.edges.target);
  CHECK(back.edges.value == content.edges.value);
  CHECK(back.position == content.position);
  CHECK(back.source_masters == content.source_masters);
  CHECK(back.target_masters == content.target_masters);
  CHECK_THROWS_AS(gas::partition::decode_part(bytes, 2, 3, "f"), gas::InputError);
  CHECK_THROWS_AS(gas::partition::decode_part(bytes, 1, 4, "f"), gas::InputError);
  std::size_t accepted = 0;
  for (std::size_t at = 0; at < 56; ++at)  // every byte of the header that means something
    for (const int flip : {1, 0x80, 0xff}) {
      gas::Bytes changed = bytes;
      changed[at] ^= static_cast<std::byte>(flip);
      try {
        gas::partition::decode_part(changed, 1, 3, "f");
        ++accepted;
      } catch (const gas::InputError&) {
      }
    }
  CHECK(accepted == 0);
  for (std::size_t size = 0; size < bytes.size(); ++size)
    CHECK_THROWS_AS(gas::partition::decode_part(std::span(bytes).first(size), 1, 3, "f"),
                    gas::InputError);
}
