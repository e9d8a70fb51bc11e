#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <cmath>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <stdexcept>
#include <string>
#include <vector>

#include "gas/base/whole_file.hpp"
#include "gas/checkpoint/folder.hpp"
#include "gas/checkpoint/manifest.hpp"
#include "gas/engine/engine.hpp"
#include "gas/exchange/local_transport.hpp"
#include "tests/support/diary.hpp"
#include "tests/support/executor.hpp"
#include "tests/support/graphs.hpp"
#include "tests/support/ranks.hpp"

using namespace gas_test;
namespace fs = std::filesystem;

namespace {

struct Folder {
  fs::path path = fs::temp_directory_path() /
                  ("gas-checkpoints-" + std::to_string(::getpid()) + "-" + std::to_string(next()));
  Folder() { fs::remove_all(path); }
  ~Folder() { fs::remove_all(path); }
  static int next() {
    static std::atomic<int> number{0};
    return ++number;
  }
  std::vector<fs::path> checkpoints() const {
    std::vector<fs::path> found;
    if (!fs::exists(path)) return found;
    for (const auto& entry : fs::directory_iterator(path))
      if (entry.is_directory()) found.push_back(entry.path());
    std::ranges::sort(found);
    return found;
  }
};

struct How {
  int ranks = 2;
  Cut cut = Cut::any_edge;
  std::uint64_t seed = 1;
  unsigned vertices = 40;
  gas::RunOptions run = {};
};

struct Came {
  std::vector<std::vector<std::uint64_t>> pages;  // by vertex
  std::uint64_t rounds = 0;
  std::uint64_t first_told = 0;
  std::string error, warning;
  bool left = false;
};

/// A run on ranks of its own.
template <class P = Diary>
Came run(const How& how) {
  const TestGraph graph = random_graph(how.vertices, how.vertices, 200, false, 5);
  Came came;
  came.pages.resize(how.vertices);
  std::mutex mutex;
  try {
    gas::run_local_ranks(how.ranks, [&](gas::Transport& transport) {
      const auto executor = make_executor(2);
      gas::Engine<P> engine(
          transport, *executor,
          build(transport, graph, how.cut, static_cast<gas::Part>(transport.size()), 3), {},
          how.seed);
      gas::RunOptions options = how.run;
      options.checkpoint.warn = [&](const std::string& text) { came.warning = text; };
      std::uint64_t first = 0;
      const gas::RunReport report = engine.run(options, [&](const auto& round) {
        if (first == 0) first = round.round;
      });
      const std::lock_guard lock(mutex);
      came.rounds = report.rounds;
      came.first_told = first;
      if constexpr (requires(typename P::Vertex vertex) { vertex.pages; })
        engine.template local_for_each<typename P::Vertex>(
            [&](gas::VertexId id, const auto& vertex) { came.pages[id] = vertex.pages; });
    });
  } catch (const gas::LeftAtCheckpoint&) {
    came.left = true;
  } catch (const std::exception& error) {
    came.error = error.what();
  }
  return came;
}

How checkpointed(const Folder& folder, std::uint64_t every, std::uint64_t iterations) {
  How how;
  how.run.iterations = iterations;
  how.run.checkpoint.folder = folder.path;
  how.run.checkpoint.every_rounds = every;
  return how;
}

struct Alien {
  struct Vertex {
    std::vector<int> numbers;
    static constexpr auto activity = gas::Active::every_round;
    using Published = int;
    using Accumulator = gas::Sum<int>;
  };
  int init(Vertex&, const auto&) const { return 0; }
  void gather(gas::Sum<int>& sum, int x) const { sum += x; }
  int apply(Vertex&, const gas::Sum<int>& sum, const auto&) const { return sum.value; }
};

/// Its vertices hold what they save nothing of.
struct Caching {
  struct Cache {
    int x = 0;
    template <class Archive>
    void serialize(Archive&, unsigned) {}
  };
  struct Vertex {
    std::vector<Cache> caches = std::vector<Cache>(500);
    std::vector<std::uint64_t> pages;
    static constexpr auto activity = gas::Active::every_round;
    using Published = int;
    using Accumulator = gas::Sum<int>;
    template <class Archive>
    void serialize(Archive& archive, unsigned) {
      archive& caches& pages;
    }
  };
  int init(Vertex&, const auto&) const { return 1; }
  void gather(gas::Sum<int>& sum, int x) const { sum += x; }
  int apply(Vertex& vertex, const gas::Sum<int>& sum, const auto&) const {
    vertex.pages.push_back(vertex.caches.size());
    return sum.value % 7;
  }
};

/// Its next version keeps less: of a vertex, or of itself.
struct Shrinking {
  static inline bool keeps_more = true, is_larger = true;
  std::uint64_t best = 0, rest = 0;
  struct Vertex {
    std::uint64_t kept = 0, more = 0;
    static constexpr auto activity = gas::Active::every_round;
    using Published = int;
    using Accumulator = gas::Sum<int>;
    template <class Archive>
    void serialize(Archive& archive, unsigned) {
      archive& kept;
      if (keeps_more) archive& more;
    }
  };
  int init(Vertex&, const auto&) const { return 1; }
  void gather(gas::Sum<int>& sum, int x) const { sum += x; }
  int apply(Vertex&, const gas::Sum<int>& sum, const auto&) const { return sum.value % 7; }
  template <class Archive>
  void serialize(Archive& archive, unsigned) {
    archive& best;
    if (is_larger) archive& rest;
  }
};

/// Nobody says how to save what its before_step changes.
struct Changing {
  struct Vertex {
    static constexpr auto activity = gas::Active::every_round;
    using Published = int;
    using Accumulator = gas::Sum<int>;
  };
  int rounds = 0;
  void before_step(gas::Step, const auto&) { ++rounds; }
  int init(Vertex&, const auto&) const { return 0; }
  void gather(gas::Sum<int>& sum, int x) const { sum += x; }
  int apply(Vertex&, const gas::Sum<int>& sum, const auto&) const { return sum.value + rounds; }
};

}  // namespace

TEST_CASE("a run goes on from a checkpoint on other ranks, under another partition") {
  How plain;
  plain.run.iterations = 11;
  const Came whole = run(plain);
  REQUIRE(whole.error == "");
  for (const int ranks : {1, 2, 3, 4})
    for (const bool gathers : {false, true}) {
      const Folder folder;
      How first = checkpointed(folder, 3, 7);
      first.run.checkpoint.gather = gathers;
      CHECK(run(first).error == "");
      How second = checkpointed(folder, 100, 11);
      second.run.checkpoint.gather = gathers;
      second.run.checkpoint.resume = true;
      second.ranks = ranks;
      second.cut = ranks % 2 == 0 ? Cut::any_edge : Cut::by_owner;
      const Came came = run(second);
      CHECK(came.error == "");
      CHECK(came.first_told == 7);  // the newest was written after round 6
      CHECK(came.rounds == 11);
      CHECK(came.pages == whole.pages);
    }
}

TEST_CASE("a run that is told to leave, or is interrupted, writes a checkpoint first") {
  How plain;
  plain.run.iterations = 9;
  const Came whole = run(plain);
  for (const auto& [leaves, once] : {std::pair(true, false), std::pair(false, false),
                                     std::pair(true, true), std::pair(false, true)}) {
    const Folder folder;
    How first = checkpointed(folder, 0, 9);
    const auto after = [](unsigned rounds) {
      return [left = rounds]() mutable { return left == 0 || --left == 0; };
    };
    // Said once is enough, and by every rank in one process, so within four rounds.
    (leaves ? first.run.checkpoint.leaves : first.run.interrupted) =
        once ? std::function<bool()>(
                   [asked = std::make_shared<std::atomic<int>>(0)] { return ++*asked == 4; })
             : std::function<bool()>(after(4));
    const Came left = run(first);
    CHECK(left.error == "");
    CHECK(left.left == leaves);
    CHECK(folder.checkpoints().size() == 1);
    How second = checkpointed(folder, 0, 9);
    second.run.checkpoint.resume = true;
    const Came came = run(second);
    CHECK(came.pages == whole.pages);
    CHECK(came.first_told > 1);
  }
}

TEST_CASE("checkpoints come by rounds at every staleness") {
  for (const std::uint64_t bound : {std::uint64_t{0}, std::uint64_t{2}, gas::Staleness::async})
    for (const std::uint64_t every : {1U, 4U}) {
      const Folder folder;
      How how = checkpointed(folder, every, 8);
      how.run.staleness.bound = bound;
      const Came came = run(how);
      CHECK(came.error == "");
      CHECK(came.rounds == 8);
      REQUIRE(folder.checkpoints().size() == 2);
      const std::uint64_t before = every == 1 ? 7 : 4;
      for (const fs::path& kept : folder.checkpoints()) {
        const std::uint64_t round = gas::read_manifest(kept).round;
        CHECK((round == before || round == 8));
      }
      How again = checkpointed(folder, every, 12);
      again.run.staleness.bound = bound;
      again.run.checkpoint.resume = true;
      const Came went_on = run(again);
      CHECK(went_on.error == "");
      CHECK(went_on.first_told == 9);
      CHECK(went_on.rounds == 12);
    }
}

TEST_CASE("two checkpoints are kept, and nothing that is not one is touched") {
  const Folder folder;
  fs::create_directories(folder.path);
  std::ofstream(folder.path / "round-notes.txt") << "mine";
  fs::create_directory(folder.path / "round-of-talks");
  std::ofstream(folder.path / "round-of-talks/rank-1") << "mine";
  fs::create_directory(folder.path / "round-0000000001-0123abcd");
  std::ofstream(folder.path / "round-0000000001-0123abcd/rank-0.partial") << "left by a killed run";
  fs::create_directory(folder.path / "round-0000000002-0123abcd");
  std::ofstream(folder.path / "round-0000000002-0123abcd/notes.txt") << "mine";
  CHECK(run(checkpointed(folder, 2, 10)).error == "");
  CHECK(fs::exists(folder.path / "round-notes.txt"));
  CHECK(fs::exists(folder.path / "round-of-talks/rank-1"));
  CHECK(!fs::exists(folder.path / "round-0000000001-0123abcd"));
  CHECK(fs::exists(folder.path / "round-0000000002-0123abcd/notes.txt"));
  CHECK(folder.checkpoints().size() == 4);  // two of which are the run's
  CHECK_THAT(run(checkpointed(folder, 2, 10)).error,
             Catch::Contains("found checkpoints of an earlier run"));
}

TEST_CASE("the newest checkpoint is that in a copy, too, whose files have other times") {
  const Folder folder;
  REQUIRE(run(checkpointed(folder, 2, 10)).error == "");
  const std::vector<fs::path> kept = folder.checkpoints();  // ascending
  REQUIRE(kept.size() == 2);
  const auto time = fs::last_write_time(kept[1] / "manifest.json");
  fs::last_write_time(kept[0] / "manifest.json", time + std::chrono::hours(1));
  How how = checkpointed(folder, 2, 12);
  how.run.checkpoint.resume = true;
  std::atomic<std::uint64_t> from{0};
  how.run.checkpoint.resumed = [&](std::uint64_t round) { from = round; };
  CHECK(run(how).error == "");
  CHECK(from == 10);
}

TEST_CASE("a checkpoint of another run is refused, with the difference") {
  const Folder folder;
  How first = checkpointed(folder, 2, 4);
  first.run.checkpoint.settings = {{"damping", "0.85"}};
  CHECK(run(first).error == "");
  How same = first;
  same.run.checkpoint.resume = true;
  CHECK(run(same).error == "");
  How other = same;
  other.seed = 2;
  CHECK_THAT(run(other).error, Catch::Contains("found a checkpoint with seed 1, expected 2"));
  other = same;
  other.vertices = 41;
  CHECK_THAT(run(other).error, Catch::Contains("with vertices 40, expected 41"));
  other = same;
  other.run.checkpoint.settings = {{"damping", "0.9"}};
  CHECK_THAT(run(other).error, Catch::Contains("with damping 0.85, expected 0.9"));
  other.run.checkpoint.settings = {};
  CHECK_THAT(run(other).error, Catch::Contains("with damping 0.85, expected none"));
  {
    const Folder named;  // a setting that is called as one of the engine's
    How own = checkpointed(named, 2, 4);
    own.run.checkpoint.settings = {{"seed", "7"}};
    CHECK(run(own).error == "");
    own.run.checkpoint.resume = true;
    CHECK(run(own).error == "");
    own.run.checkpoint.settings = {{"seed", "8"}};
    CHECK_THAT(run(own).error, Catch::Contains("with the setting seed 7, expected 8"));
  }
  CHECK_THAT(run<Alien>(same).error,
             Catch::Contains("the state of vertices must be trivially copyable"));

  const Folder empty;
  How nothing = checkpointed(empty, 2, 4);
  nothing.run.checkpoint.resume = true;
  CHECK_THAT(run(nothing).error, Catch::Contains("found no complete checkpoint"));
}

TEST_CASE("a checkpoint names the types of what vertices publish and gather") {
  const Folder folder;
  REQUIRE(run(checkpointed(folder, 2, 4)).error == "");
  const auto bytes = gas::local_read(folder.checkpoints().back() / "manifest.json", 1 << 20);
  const std::string text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  CHECK_THAT(text, Catch::Contains("\"values\": \"unsigned long; gas::Sum<unsigned long>; "));
}

TEST_CASE("elements that save nothing are as many as they were") {
  const Folder folder;
  run<Caching>(checkpointed(folder, 1, 3));
  How again = checkpointed(folder, 1, 5);
  again.run.checkpoint.resume = true;
  const Came came = run<Caching>(again);
  CHECK(came.error.empty());
  CHECK(came.rounds == 5);
  for (const auto& pages : came.pages) CHECK(pages == std::vector<std::uint64_t>(5, 500));
}

TEST_CASE("a checkpoint of a version that kept more is refused") {
  const Folder folder;
  Shrinking::keeps_more = Shrinking::is_larger = true;
  CHECK(run<Shrinking>(checkpointed(folder, 1, 3)).error.empty());
  How again = checkpointed(folder, 1, 5);
  again.run.checkpoint.resume = true;
  CHECK(run<Shrinking>(again).error.empty());
  SECTION("of a vertex") {
    Shrinking::keeps_more = false;
    CHECK_THAT(run<Shrinking>(again).error,
               Catch::Contains("found 21 bytes of vertex") && Catch::Contains("expected the 13"));
  }
  SECTION("of the program") {
    Shrinking::is_larger = false;
    CHECK_THAT(run<Shrinking>(again).error,
               Catch::Contains("of the program in the checkpoint, expected the"));
  }
  SECTION("beside the state") {
    std::uint64_t more = 0;
    again.run.checkpoint.beside = std::as_writable_bytes(std::span(&more, 1));
    CHECK_THAT(run<Shrinking>(again).error,
               Catch::Contains("found 0 bytes of what is beside the state in the checkpoint, "
                               "expected the 8 that this program keeps"));
  }
}

TEST_CASE("settings that make no sense, or lack what they need, are refused") {
  const auto said = [](auto change) {
    How how;
    how.run.iterations = 2;
    change(how.run);
    return run(how).error;
  };
  const std::string folder = "expected checkpoint.folder, too";
  CHECK_THAT(said([](auto& o) { o.checkpoint.resume = true; }), Catch::Contains(folder));
  CHECK_THAT(said([](auto& o) { o.checkpoint.every_rounds = 2; }), Catch::Contains(folder));
  CHECK_THAT(said([](auto& o) { o.checkpoint.every_seconds = 2; }), Catch::Contains(folder));
  CHECK_THAT(said([](auto& o) { o.watchdog.seconds = 1; }), Catch::Contains("watchdog.tell"));
  for (const double seconds : {-1.0, std::nan("")}) {
    CHECK_THAT(said([&](auto& o) { o.watchdog.seconds = seconds; }),
               Catch::StartsWith("watchdog.seconds: expected at least 0"));
    CHECK_THAT(said([&](auto& o) { o.checkpoint.every_seconds = seconds; }),
               Catch::StartsWith("checkpoint.every_seconds: expected at least 0"));
  }
  const std::string nameless = "that has no name, expected ";
  CHECK_THAT(said([](auto& o) { o.order = gas::Order(9); }), Catch::Contains(nameless + "sweep"));
  CHECK_THAT(said([](auto& o) { o.consistency = gas::Consistency(9); }),
             Catch::Contains(nameless + "by_staleness"));
  CHECK_THAT(said([](auto& o) { o.topology = gas::Topology(9); }),
             Catch::Contains(nameless + "automatic"));
  CHECK(said([](auto& o) { o.delay = [](std::uint64_t) { return std::nan(""); }; }).empty());
}

TEST_CASE("an engine that has run goes on from no checkpoint") {
  const Folder folder;
  How again = checkpointed(folder, 2, 4);
  REQUIRE(run(again).error == "");
  again.run.checkpoint.resume = true;
  const TestGraph graph = random_graph(40, 40, 200, false, 5);
  for (const bool at_rest : {false, true}) {
    const auto run_and_resume = [&](gas::Transport& transport) {
      const auto executor = make_executor(1);
      gas::Engine<Diary> engine(transport, *executor, build(transport, graph, again.cut, 2, 3), {});
      at_rest ? engine.run_at_rest() : void(engine.run({.iterations = 1}));
      engine.run(again.run);
    };
    CHECK_THROWS_WITH(gas::run_local_ranks(2, run_and_resume),
                      Catch::StartsWith("this engine has run rounds"));
  }
}

TEST_CASE("an engine that could not go on from a checkpoint does not begin anew") {
  const Folder folder;
  How again = checkpointed(folder, 2, 4);
  REQUIRE(run(again).error == "");
  again.run.checkpoint.resume = true;
  const TestGraph graph = random_graph(40, 40, 200, false, 5);
  std::atomic<int> refusals{0}, rounds{0};
  gas::run_local_ranks(2, [&](gas::Transport& transport) {
    const auto executor = make_executor(1);
    gas::Engine<Diary> other(transport, *executor, build(transport, graph, again.cut, 2, 3), {},
                             77);
    for (int tries = 0; tries < 2; ++tries) {
      try {
        other.run(again.run, [&](const auto&) { ++rounds; });
      } catch (const gas::InputError&) {
        ++refusals;
      }
    }
  });
  CHECK(refusals == 4);
  CHECK(rounds == 0);
}

TEST_CASE("each run of an engine ends when its last checkpoint is written, or is told lost") {
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  rlimit usual{};
  REQUIRE(getrlimit(RLIMIT_FSIZE, &usual) == 0);
  const Folder folder, other;
  How how = checkpointed(folder, 2, 2);
  std::atomic<int> told{0};
  std::atomic<int> told_to_first{0};  // each run has its own
  how.run.checkpoint.lost = [&](const std::string&) { ++told_to_first; };
  const TestGraph graph = random_graph(40, 40, 200, false, 5);
  std::uint64_t rounds = 0;
  std::string refused;
  gas::run_local_ranks(1, [&](gas::Transport& transport) {
    const auto executor = make_executor(1);
    gas::Engine<Diary> engine(transport, *executor, build(transport, graph, how.cut, 1, 3), {});
    engine.run(how.run);
    how.run.checkpoint.lost = [&](const std::string&) { ++told; };
    rlimit small = usual;
    small.rlim_cur = 200;
    setrlimit(RLIMIT_FSIZE, &small);
    rounds = engine.run(how.run).rounds;
    setrlimit(RLIMIT_FSIZE, &usual);
    how.run.checkpoint.folder = other.path;
    try {
      engine.run(how.run);
    } catch (const gas::UsageError& error) {
      refused = error.what();
    }
  });
  std::signal(SIGXFSZ, handler);
  CHECK(told_to_first == 0);
  CHECK(rounds == 2);
  CHECK(told == 1);
  CHECK(folder.checkpoints().size() == 1);  // the first run's
  CHECK_THAT(refused, Catch::StartsWith("checkpoint.folder: found "));
}

TEST_CASE("what changes in a program and is not saved is refused") {
  const Folder folder;
  CHECK_THAT(run<Changing>(checkpointed(folder, 2, 4)).error,
             Catch::Contains("a program with before_step needs"));
}

TEST_CASE("any damage to a checkpoint is seen, and the one before is taken") {
  const Folder folder;
  How first = checkpointed(folder, 2, 4);
  first.vertices = 6;
  CHECK(run(first).error == "");
  const auto checkpoints = folder.checkpoints();
  REQUIRE(checkpoints.size() == 2);
  How again = first;
  again.run.iterations = 5;
  again.run.checkpoint.every_rounds = 0;
  again.run.checkpoint.resume = true;
  const Came right = run(again);
  CHECK(right.first_told == 5);
  CHECK(right.warning == "");
  std::size_t tried = 0;
  const auto damaged = [&](const fs::path& file, const gas::Bytes& bytes) {
    gas::local_write(file, std::span<const std::byte>(bytes));
    const Came came = run(again);
    ++tried;
    return came.error == "" && came.first_told == 3 && came.pages == right.pages &&
           came.warning.find("a damaged checkpoint is skipped") == 0;
  };
  std::size_t unseen = 0;
  for (const auto& entry : fs::directory_iterator(checkpoints[1])) {
    const gas::Bytes whole = gas::local_read(entry.path(), 1U << 20U);
    for (std::size_t at = 0; at < whole.size(); ++at) {
      gas::Bytes flipped = whole;
      flipped[at] ^= static_cast<std::byte>(1U << (at % 8));
      unseen += damaged(entry.path(), flipped) ? 0 : 1;
      if (at % 3 == 0)
        unseen += damaged(entry.path(), gas::Bytes(whole.begin(),
                                                   whole.begin() + static_cast<std::ptrdiff_t>(at)))
                      ? 0
                      : 1;
    }
    gas::local_write(entry.path(), std::span<const std::byte>(whole));
  }
  CHECK(tried > 1000);
  CHECK(unseen == 0);
  fs::remove(checkpoints[1] / "rank-1");
  CHECK(run(again).first_told == 3);
}

TEST_CASE("a second run is refused the folder of one under way") {
  const Folder folder;
  How first = checkpointed(folder, 1, 3);
  std::string refused;
  first.ranks = 1;
  first.run.interrupted = [&] {
    if (refused.empty()) refused = run(checkpointed(folder, 1, 3)).error;
    return false;
  };
  CHECK(run(first).error == "");
  CHECK_THAT(refused, Catch::Contains("another run is writing checkpoints to this folder"));
}

TEST_CASE("a folder that was refused is free") {
  const Folder folder;
  for (const char* name : {"0", "1"}) fs::create_directories(folder.path / name);
  gas::run_local_ranks(2, [&](gas::Transport& transport) {
    // Each rank, a thread, has a working directory of its own.
    const fs::path mine = folder.path / std::to_string(transport.rank());
    if (unshare(CLONE_FS) != 0 || chdir(mine.c_str()) != 0) throw std::logic_error("no folder");
    std::string said;
    try {
      const gas::CheckpointFolder kept(transport, "kept", false, false);
    } catch (const gas::RunError& error) {
      said = error.what();
    }
    const gas::CheckpointFolder gathered(transport, "kept", true, false);
    if (said.find("not all ranks see this folder") == said.npos) throw std::logic_error(said);
  });
}

TEST_CASE("a file that could not be written leaves nothing") {
  const Folder folder;
  fs::create_directories(folder.path);
  CHECK_THROWS_WITH(gas::local_write(folder.path / "file",
                                     [](std::ostream& out) {
                                       out << "half";
                                       throw std::runtime_error("no more");
                                     }),
                    "no more");
  CHECK(fs::is_empty(folder.path));
}

TEST_CASE("what is left of a checkpoint that could not be written is removed") {
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  rlimit usual{};
  REQUIRE(getrlimit(RLIMIT_FSIZE, &usual) == 0);
  for (const bool gathers : {false, true}) {
    const Folder folder;
    How how = checkpointed(folder, 2, 8);
    how.run.checkpoint.gather = gathers;
    std::atomic<int> told{0};
    how.run.checkpoint.lost = [&](const std::string&) { ++told; };
    rlimit small = usual;
    small.rlim_cur = 200;
    REQUIRE(setrlimit(RLIMIT_FSIZE, &small) == 0);
    const Came came = run(how);
    setrlimit(RLIMIT_FSIZE, &usual);
    CHECK(came.error == "");
    CHECK(came.rounds == 8);
    CHECK(told == 2);
    CHECK(folder.checkpoints().empty());
  }
  std::signal(SIGXFSZ, handler);
}

TEST_CASE("a resume from a folder that is not there makes none") {
  const Folder folder;
  How how = checkpointed(folder, 2, 6);
  how.run.checkpoint.resume = true;
  CHECK_THAT(run(how).error, Catch::Contains("found no complete checkpoint"));
  CHECK(!fs::exists(folder.path));
}

TEST_CASE("a run goes on where its checkpoints cannot be written") {
  const Folder folder;
  How how = checkpointed(folder, 2, 6);
  std::atomic<int> told{0};
  how.run.checkpoint.lost = [&](const std::string&) { ++told; };
  how.run.interrupted = [&] {  // a file takes the folder's place
    std::error_code ignored;
    fs::remove_all(folder.path, ignored);
    std::ofstream(folder.path) << "no folder";
    return false;
  };
  Came came = run(how);
  CHECK(came.error == "");
  CHECK(came.rounds == 6);
  CHECK(told == 2);  // once on each rank

  fs::remove_all(folder.path);
  how.run.checkpoint.leaves = [rounds = 0]() mutable { return ++rounds > 3; };
  came = run(how);
  CHECK(!came.left);  // there is nothing to go on from
  CHECK(came.error == "");
  CHECK(came.rounds == 6);
}
