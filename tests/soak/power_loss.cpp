// power_loss FIRST COUNT: for each seed a run with checkpoints whose machine loses power, once or
// twice, at an operation on files that is drawn: what was not synced is then kept, lost or torn.
// The run resumes on ranks, threads and a partition that are drawn again. It must go on from a
// checkpoint that is at least as new as the last one that was whole before, and end with the values
// of the same run undisturbed. Writes each seed that ends wrong on a line. Exit 1 if there is one.
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <map>
#include <mutex>
#include <random>

#include "gas/engine/engine.hpp"
#include "gas/exchange/local_transport.hpp"
#include "tests/soak/recorded_disk.hpp"
#include "tests/support/diary.hpp"
#include "tests/support/executor.hpp"
#include "tests/support/graphs.hpp"

using namespace gas_test;
namespace fs = std::filesystem;

namespace {

constexpr unsigned vertices = 24;
constexpr const char* none_found = "found no complete checkpoint";

using Pages = std::vector<std::vector<std::uint64_t>>;  // by vertex

struct Ended {
  Pages pages;
  std::uint64_t from = 0;  // the round it went on from
  std::string error;
};

struct Folder {
  fs::path path;
  explicit Folder(const fs::path& in) : path(in / ("gas-power-" + std::to_string(::getpid()))) {
    fs::create_directories(path);
  }
  ~Folder() { fs::remove_all(path); }
};

/// A run, on ranks and a partition that are drawn.
Ended run(gas::RunOptions options, std::mt19937_64& draw) {
  constexpr std::array rank_counts{1, 2, 3, 4, 8};
  const int ranks = rank_counts[draw() % rank_counts.size()];
  const Cut cut = draw() % 2 == 0 ? Cut::any_edge : Cut::by_owner;
  const auto threads = static_cast<unsigned>(1 + draw() % 2);
  const TestGraph graph = random_graph(vertices, vertices, 100, false, 5);
  Ended ended;
  ended.pages.resize(vertices);
  std::mutex mutex;
  options.checkpoint.resumed = [&](std::uint64_t round) { ended.from = round; };
  try {
    gas::run_local_ranks(ranks, [&](gas::Transport& transport) {
      const auto executor = make_executor(threads);
      gas::Engine<Diary> engine(
          transport, *executor,
          build(transport, graph, cut, static_cast<gas::Part>(transport.size()), 3), {});
      engine.run(options);
      const std::lock_guard lock(mutex);
      engine.template local_for_each<Diary::Vertex>(
          [&](gas::VertexId id, const auto& vertex) { ended.pages[id] = vertex.pages; });
    });
  } catch (const std::exception& error) {
    ended.error = error.what();
  }
  return ended;
}

/// The round of the newest checkpoint that the process knew to be whole, or `before`: it begins
/// none before the one before it is.
std::uint64_t known_whole(const std::vector<DiskOperation>& operations, bool ended,
                          std::uint64_t before) {
  std::vector<std::uint64_t> begun;
  for (const DiskOperation& operation : operations) {
    const std::string name = fs::path(operation.path).filename();
    if (operation.kind == DiskOperation::Kind::make_folder && name.starts_with("round-"))
      begun.push_back(std::stoull(name.substr(6)));
  }
  if (!ended && !begun.empty()) begun.pop_back();
  return begun.empty() ? before : begun.back();
}

std::string found_wrong(std::uint64_t seed, const fs::path& disk) {
  std::mt19937_64 draw(seed);
  gas::RunOptions options;
  options.iterations = 4 + draw() % 8;
  static std::map<std::uint64_t, Pages> undisturbed;  // by iterations
  if (!undisturbed.contains(options.iterations)) {
    std::mt19937_64 any(1);
    undisturbed[options.iterations] = run(options, any).pages;
  }
  options.checkpoint.folder = disk / "kept" / "here";
  options.checkpoint.every_rounds = 1 + draw() % 3;
  options.checkpoint.gather = draw() % 4 == 0;

  auto held = std::make_shared<DiskNode>(DiskNode{.is_folder = true});
  std::uint64_t whole = 0;
  const auto losses = 1 + draw() % 2;
  for (std::uint64_t loss = 0;; ++loss) {
    restore_disk(*held, disk);
    record_disk(disk);
    Ended ended = run(options, draw);
    std::vector<DiskOperation> operations = recorded_disk();
    if (whole == 0 && ended.error.find(none_found) != std::string::npos) {
      held = std::make_shared<DiskNode>(DiskNode{.is_folder = true});  // a user begins anew
      options.checkpoint.resume = false;
      --loss;
      continue;
    }
    if (!ended.error.empty()) return ended.error;
    if (ended.from < whole)
      return "went on from round " + std::to_string(ended.from) + ", though the checkpoint of " +
             std::to_string(whole) + " was whole";
    if (ended.pages != undisturbed[options.iterations]) return "other values";
    if (loss == losses) return "";
    const std::size_t done = draw() % (operations.size() + 1);
    const bool to_its_end = done == operations.size();
    operations.resize(done);
    whole = known_whole(operations, to_its_end, whole);
    held = after_power_loss(*held, operations, draw);
    options.checkpoint.resume = true;
  }
}

}  // namespace

int main(int argc, char* argv[]) {
  if (argc != 3) {
    std::fprintf(stderr, "power_loss FIRST COUNT\n");
    return 2;
  }
  const std::uint64_t first = std::strtoull(argv[1], nullptr, 10);
  const std::uint64_t count = std::strtoull(argv[2], nullptr, 10);
  const fs::path memory = "/dev/shm";  // where syncing takes no time
  const Folder folder(fs::is_directory(memory) ? memory : fs::temp_directory_path());
  bool all_right = true;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    const std::string wrong = found_wrong(seed, folder.path / "disk");
    if (wrong.empty()) continue;
    all_right = false;
    std::printf("%llu: %s\n", static_cast<unsigned long long>(seed), wrong.c_str());
    std::fflush(stdout);
  }
  return all_right ? 0 : 1;
}
