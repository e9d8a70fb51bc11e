#include <algorithm>
#include <catch2/catch.hpp>
#include <chrono>
#include <functional>

#include "gas/base/error.hpp"
#include "partition/folder/manifest_json.hpp"
#include "partition/folder/part_file.hpp"
#include "tests/partition/folders.hpp"
#include "tests/support/ranks.hpp"
#include "tests/support/thrown.hpp"

using gas_test::Graph;
using gas_test::read_text;
using gas_test::TemporaryFolder;
using gas_test::thrown;
using gas_test::write_text;

namespace {

/// What reading the folder says, or "nothing".
std::string complaint(gas::Communicator& comm, const std::string& dir) {
  try {
    gas::partition::read_folder(comm, dir);
  } catch (const gas::InputError& error) {
    return error.what();
  }
  return "nothing";
}

const std::vector<std::string> files{"manifest.json",  "part-00000.bin", "part-00001.bin",
                                     "part-00002.bin", "part-00003.bin", "ids.txt"};

void store_small(gas::Communicator& comm, const std::string& dir) {
  if (comm.rank() == 0) {
    std::filesystem::create_directory(dir);
    write_text(dir + "/ids.txt", "a\nb\n");
  }
  gas::all_sum(comm, 0);
  gas_test::store(comm, dir, gas_test::clustered(true, 4), {"metis", 4, 5, 1},
                  {.beside = {"ids.txt"}});
}

}  // namespace

TEST_CASE("any byte changed and any end cut off is found, and the file named", "[partition]") {
  gas::run_local_ranks(1, [&](gas::Transport& comm) {
    const TemporaryFolder folder(comm);
    store_small(comm, folder / "p");
    REQUIRE(complaint(comm, folder / "p") == "nothing");
    for (const std::string& file : files) {
      const std::string path = folder / "p/" + file;
      const std::string text = read_text(path);
      REQUIRE(text.size() > 1);
      std::size_t missed = 0;
      const auto damage = [&](const std::string& changed) {
        write_text(path, changed);
        missed += complaint(comm, folder / "p").find(file) == std::string::npos;
      };
      for (std::size_t at = 0; at < text.size(); ++at) {
        std::string changed = text;
        changed[at] = static_cast<char>(changed[at] ^ (at % 3 == 0 ? 0xff : 1 << at % 8));
        damage(changed);
      }
      for (std::size_t size = 0; size < text.size(); ++size) damage(text.substr(0, size));
      INFO(file);
      CHECK(missed == 0);
      write_text(path, text);
    }
    CHECK(complaint(comm, folder / "p") == "nothing");
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
             gas_test::run_ranks<std::string>(ranks, [&](gas::Transport& comm) {
               const TemporaryFolder folder(comm);
               store_small(comm, folder / "p");
               if (comm.rank() == 0) damage.apply(folder / "p/" + file);
               return complaint(comm, folder / "p");
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
         gas_test::run_ranks<std::vector<std::string>>(ranks, [&](gas::Transport& comm) {
           const TemporaryFolder folder(comm);
           store_small(comm, folder / "p");
           const std::string path = folder / "p/manifest.json";
           const std::string text = read_text(path);
           std::vector<std::string> messages{complaint(comm, folder / "none")};
           for (const std::string& other :
                {replaced(text, "\"schema\": 3", "\"schema\": 4"), std::string("{\"a\": 1}"),
                 std::string("[1, 2]"), replaced(text, "\"seed\": 1", "\"seed\": 2")}) {
             gas::all_sum(comm, 0);
             if (comm.rank() == 0) write_text(path, other);
             messages.push_back(complaint(comm, folder / "p"));
           }
           return messages;
         })) {
      REQUIRE(said.size() == 5);
      CHECK_THAT(said[0], Catch::Contains("found no such folder"));
      CHECK_THAT(said[1], Catch::Contains("found format 4") && Catch::Contains("newer"));
      CHECK_THAT(said[2], Catch::Contains("found a file of another program"));
      CHECK_THAT(said[3], Catch::Contains("found a file of another program"));
      CHECK_THAT(said[4], Catch::Contains("found an altered manifest"));
    }
}

TEST_CASE("numbers of a manifest that are not whole, or too large, are refused", "[partition]") {
  using gas::partition::Json;
  gas::partition::Manifest manifest;
  manifest.method = "hash";
  manifest.part_files = {{gas::partition::part_file_name(0), 10, "0123456789abcdef"}};
  Json whole = Json::parse(gas::partition::manifest_text(manifest));
  whole.erase("checksum");  // seal() has one of its own
  REQUIRE(gas::partition::parse_manifest(gas::partition::seal(whole), "m").parts == 1);
  for (const char* place : {"/files/0/bytes", "/partition/graph/edges", "/partition/graph/sources",
                            "/partition/how/parts", "/partition/how/seed", "/input/bytes"})
    for (const Json& number : {Json(4.5), Json(1e30), Json(-1), Json("1"), Json()}) {
      INFO(place << " " << number.dump());
      Json lie = whole;
      lie[Json::json_pointer(place)] = number;
      CHECK_THAT(thrown([&] { gas::partition::parse_manifest(gas::partition::seal(lie), "m"); }),
                 Catch::Contains("found an altered manifest"));
    }
  Json nameless = whole;
  nameless["partition"] = nullptr;
  nameless["tool"] = 2;
  CHECK_THAT(thrown([&] { gas::partition::parse_manifest(gas::partition::seal(nameless), "m"); }),
             Catch::Contains("found a folder of another tool, expected a partition folder"));
  Json lie = whole;
  lie["partition"]["how"]["parts"] = std::uint64_t{1} << 32U;  // 0 in 32 bits
  CHECK_THAT(thrown([&] { gas::partition::parse_manifest(gas::partition::seal(lie), "m"); }),
             Catch::Contains("found an altered manifest"));
}

TEST_CASE("a manifest that lies about sizes takes no memory", "[partition][ranks]") {
  for (const int ranks : gas_test::rank_counts())
    for (const std::string& said :
         gas_test::run_ranks<std::string>(ranks, [&](gas::Transport& comm) {
           const TemporaryFolder folder(comm);
           store_small(comm, folder / "p");
           gas::partition::Manifest lie = gas::partition::read_manifest(comm, folder / "p");
           lie.edges = std::uint64_t{1} << 50U;
           for (auto& file : lie.part_files) file.bytes = std::uint64_t{1} << 55U;
           if (comm.rank() == 0)
             write_text(folder / "p/manifest.json", gas::partition::manifest_text(lie));
           gas::all_sum(comm, 0);
           return complaint(comm, folder / "p");
         }))
      CHECK_THAT(said, Catch::Contains("part-00000.bin: found") &&
                           Catch::EndsWith("expected 36028797018963968, as in the manifest"));
}

TEST_CASE("fewer parts than ranks are refused", "[partition][ranks]") {
  for (const int ranks : gas_test::rank_counts()) {
    if (ranks == 1) continue;
    for (const std::string& said :
         gas_test::run_ranks<std::string>(ranks, [&](gas::Transport& comm) {
           const TemporaryFolder folder(comm);
           gas_test::store(comm, folder / "p", gas_test::clustered(true, 4), {"hash", 1, 5, 1});
           return complaint(comm, folder / "p");
         }))
      CHECK_THAT(said, Catch::Contains("found 1 parts, expected at least one for each of"));
  }
}

TEST_CASE("parts of two partitions do not mix", "[partition]") {
  gas::run_local_ranks(1, [&](gas::Transport& comm) {
    const TemporaryFolder folder(comm);
    store_small(comm, folder / "p");
    gas_test::store(comm, folder / "q", gas_test::clustered(true, 5), {"metis", 4, 5, 1});
    std::filesystem::copy_file(folder / "q/part-00001.bin", folder / "p/part-00001.bin",
                               std::filesystem::copy_options::overwrite_existing);
    CHECK_THAT(complaint(comm, folder / "p"), Catch::Contains("part-00001.bin"));
  });
}

TEST_CASE("an input is known by its bytes, whenever they were written", "[partition]") {
  namespace fs = std::filesystem;
  using gas::partition::local_is_input;
  gas::run_local_ranks(1, [&](gas::Transport& comm) {
    const TemporaryFolder folder(comm);
    const std::string path = folder / "in", copy = folder / "copy", other = folder / "other";
    const auto when = fs::file_time_type::clock::now() - std::chrono::hours(1);
    write_text(path, "0 1\n1 2\n");
    const auto fresh = gas::partition::local_identify(path);
    CHECK(fresh.modified == 0);
    fs::last_write_time(path, when);
    const auto known = gas::partition::local_identify(path);
    CHECK(known.modified != 0);
    CHECK(known.checksum == fresh.checksum);
    write_text(copy, "0 1\n1 2\n");
    write_text(other, "0 1\n2 1\n");
    for (const auto& input : {fresh, known}) {
      CHECK(local_is_input(input, path));
      CHECK(local_is_input(input, copy));
      CHECK(!local_is_input(input, other));
      CHECK(!local_is_input(input, "-"));
      CHECK_THROWS_AS(local_is_input(input, folder / "none"), gas::InputError);
    }
    fs::last_write_time(other, when);
    CHECK(!local_is_input(fresh, other));
    CHECK(local_is_input(known, other));  // of this size and time: it is not read again
    write_text(path, "0 1\n1 2\n3 4\n");
    fs::last_write_time(path, when);
    CHECK(!local_is_input(known, path));
    CHECK(local_is_input(gas::partition::local_identify("-"), "-"));
    CHECK(!local_is_input(gas::partition::local_identify("-"), path));
  });
}

TEST_CASE("no bytes make a part file crash its reader", "[partition]") {
  gas::partition::PartContent content;
  content.edges = {{1, 2, 5}, {3, 4, 6}, {0.5F, 1.5F, 2.5F}};
  content.sources.masters = {0, 1, 2};
  content.sources.names.numbers = {70, 80, 90};
  content.sources.labels = {-1, 1, 1};
  content.targets.masters = {2};
  content.targets.names.text = {'a', 'b', 'c', 'd', 'e', 'f', 'g', '\n'};
  const gas::Bytes bytes = gas::partition::encode_part(content, 1, 3);
  const auto back = gas::partition::view_part(bytes, 1, 3, "f");
  const auto same = [](const auto& seen, const auto& written) {
    return std::equal(seen.begin(), seen.end(), written.begin(), written.end());
  };
  CHECK(same(back.edges.source, content.edges.source));
  CHECK(same(back.edges.target, content.edges.target));
  CHECK(same(back.edges.value, content.edges.value));
  CHECK(same(back.sources.masters, content.sources.masters));
  CHECK(same(back.sources.names.numbers, content.sources.names.numbers));
  CHECK(same(back.sources.labels, content.sources.labels));
  CHECK(same(back.targets.masters, content.targets.masters));
  CHECK(same(back.targets.names.text, content.targets.names.text));
  gas::partition::PartContent wide = content;
  wide.edges.value.clear();
  wide.edges.wide_value = {0.1, 1e39, 16777217};
  const gas::Bytes wide_bytes = gas::partition::encode_part(wide, 1, 3);
  CHECK(same(gas::partition::view_part(wide_bytes, 1, 3, "f").edges.wide_value,
             wide.edges.wide_value));
  CHECK(wide_bytes.size() == bytes.size() + 8);  // 3 values: 24 bytes, or 12 and 4 that pad
  CHECK_THROWS_AS(gas::partition::view_part(bytes, 2, 3, "f"), gas::InputError);
  CHECK_THROWS_AS(gas::partition::view_part(bytes, 1, 4, "f"), gas::InputError);
  std::size_t accepted = 0;
  for (std::size_t at = 0; at < 128; ++at)  // every byte of the header
    for (const int flip : {1, 0x80, 0xff}) {
      gas::Bytes changed = bytes;
      changed[at] ^= static_cast<std::byte>(flip);
      try {
        gas::partition::view_part(changed, 1, 3, "f");
        ++accepted;
      } catch (const gas::InputError&) {
      }
    }
  CHECK(accepted == 0);
  for (std::size_t size = 0; size < bytes.size(); ++size)
    CHECK_THROWS_AS(gas::partition::view_part(std::span(bytes).first(size), 1, 3, "f"),
                    gas::InputError);
}
