// The command-line contract, tried on every tool.
#include <signal.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>

#include "tests/tools/support/process.hpp"
#include "tests/tools/support/summary_keys.hpp"

using namespace gas_test;
using Arguments = std::vector<std::string>;
using Json = nlohmann::ordered_json;

namespace {

struct Tool {
  std::string name;
  Arguments generated;  // a run on generated data, without -o
  Arguments options;    // what a run on INPUT needs
  Arguments keys;       // of the summary, beside those of all tools
  std::set<std::string> files;
  Arguments strict;  // options under which the run cannot converge; none: it has no rounds
  std::string malformed;
  std::string found;           // where and what, in the message about it
  bool takes_nothing = false;  // an empty file is data, with --allow-empty
  bool rests = false;          // stops by itself, when nothing changes any more
  Arguments lagging = {};      // without these --staleness is refused, and they promise no bits
};

const std::vector<Tool> tools = {
    {"gas-kmeans",
     {"--generate", "blobs:n=200,d=3,k=3,spread=0.1", "-k", "3"},
     {"-k", "2"},
     {"k", "empty_reseeded", "starts", "silhouette", "elbow", "batches", "passes",
      "progressive_objective"},
     {"centroids.npy", "assignments.npy"},
     {"--iterations", "1", "--init", "random"},
     "1,2\n3,x\n",
     ":2:3: found",
     true,
     true},
    {"gas-lda",
     {"--generate", "lda:documents=50,words=40,topics=3,length=20,alpha=0.1,beta=0.1", "--topics",
      "3", "--iterations", "10"},
     {"--topics", "2", "--format", "docword"},
     {"topics", "tokens", "words", "heldout", "alpha", "beta", "gained", "moves", "joint", "npmi",
      "umass", "mimno", "cao_juan", "arun", "models"},
     {"topic_word.npy", "topic_counts.npy", "document_topic.npy", "document_counts.npy",
      "topics.txt"},
     {"--iterations", "1", "--tolerance", "1e-12"},
     "2\n2\n1\n1 3 1\n",
     ":4:3: found"},
    {"gas-logreg",
     {"--generate", "logistic:examples=200,features=20,nonzeros=5,informative=5,noise=0.1"},
     {},
     {"solver", "gap", "nonzeros", "accuracy", "test_accuracy", "test_logloss", "progressive_loss",
      "test_auc", "auc", "logloss", "cost", "heldout_logloss", "heldout_auc", "classes", "filters"},
     {"weights.npy"},
     {"--iterations", "1", "--tolerance", "1e-12"},
     "1 1:1\n-1 0:1\n",
     ":2:4: found",
     false,
     false,
     {"--solver", "dual"}},
    {"gas-lasso",
     {"--generate", "regression:examples=200,features=20,nonzeros=5,informative=5,noise=0.5"},
     {},
     {"lambda", "gap", "nonzeros", "blocks", "updates", "rejected", "rmse", "test_rmse"},
     {"weights.npy"},
     {"--iterations", "1", "--tolerance", "1e-14"},
     "1 1:1\n-1 0:1\n",
     ":2:4: found",
     true},
    {"gas-pagerank",
     {"--generate", "uniform:scale=6,degree=4"},
     {},
     {"delta", "applied", "precision", "weighted", "personalised"},
     {"ranks.npy", "top.tsv"},
     {"--iterations", "1", "--tolerance", "1e-12"},
     "0 1\n1 x\n",
     ":2:3: found",
     true},
    {"gas-harmonic",
     {"--generate", "uniform:scale=6,degree=4"},
     {},
     {"registers", "standard_error", "farthest"},
     {"centrality.npy", "reached_by.npy", "top.tsv"},
     {"--iterations", "1"},
     "0 1\n1 x\n",
     ":2:3: found",
     true,
     true},
    {"gas-components",
     {"--generate", "uniform:scale=6,degree=4"},
     {},
     {"components", "largest"},
     {"components.npy"},
     {"--iterations", "1"},
     "0 1\n1 x\n",
     ":2:3: found",
     true,
     true},
    {"gas-paths",
     {"--generate", "uniform:scale=6,degree=4", "--source", "0"},
     {"--source", "0"},
     {"applied", "reached", "farthest"},
     {"distances.npy"},
     {"--iterations", "1", "--order", "sweep"},
     "0 1 2\n1 0 -1\n",
     ":2:5: found",
     false,
     true},
    {"gas-bfs",
     {"--generate", "uniform:scale=6,degree=4", "--source", "0"},
     {"--source", "0"},
     {"reached", "farthest"},
     {"hops.npy", "parents.npy"},
     {"--iterations", "1", "--order", "sweep"},
     "0 1\n1 x\n",
     ":2:3: found",
     false,
     true},
    {"gas-kcore",
     {"--generate", "uniform:scale=6,degree=4"},
     {},
     {"degeneracy"},
     {"cores.npy"},
     {"--iterations", "1", "--order", "sweep"},
     "0 1\n1 x\n",
     ":2:3: found",
     true,
     true},
    {"gas-triangles",
     {"--generate", "uniform:scale=6,degree=4"},
     {},
     {"triangles", "transitivity", "clustering"},
     {"triangles.npy", "clustering.npy"},
     {"--iterations", "1"},
     "0 1\n1 x\n",
     ":2:3: found",
     true,
     true},
    {"gas-labels",
     {"--generate", "uniform:scale=6,degree=4"},
     {},
     {"communities", "largest"},
     {"labels.npy"},
     {"--iterations", "1"},
     "0 1\n1 x\n",
     ":2:3: found",
     true,
     true},
    {"gas-als",
     {"--generate", "ratings:users=60,items=40,rank=3,density=0.3", "--rank", "3"},
     {},
     {"rank", "rmse", "test_rmse"},
     {"users.npy", "items.npy"},
     {"--iterations", "1", "--tolerance", "1e-12"},
     "0 1 2\n1 0 x\n",
     ":2:5: found",
     true},
    {"gas-partition",
     {"--generate", "uniform:scale=6,degree=4", "--parts", "2", "--method", "metis"},
     {"--parts", "2", "--method", "range"},
     {"method", "parts", "replication_factor", "edge_cut", "edge_balance", "vertex_balance",
      "copy_balance", "mirrors_total", "mirrors_max", "bytes_per_round", "memory_per_rank"},
     {"manifest.json"},
     {},
     "0 1\n1\n",
     ":2:2: found",
     true},
};

std::vector<Tool> with_rounds() {
  std::vector<Tool> some;
  for (const Tool& tool : tools)
    if (!tool.strict.empty()) some.push_back(tool);
  return some;
}

/// Is its result exact at rest, whatever was read when?
bool exact(const Tool& tool) {
  return tool.rests && tool.name != "gas-kmeans" && tool.name != "gas-labels";
}

/// Do its ranks run apart where --staleness says so? Else that is refused.
bool lags(const Tool& tool) {
  return !tool.strict.empty() && tool.name != "gas-triangles" && tool.name != "gas-lasso" &&
         tool.name != "gas-harmonic";
}

Arguments joined(std::initializer_list<Arguments> lists) {
  Arguments all;
  for (const Arguments& list : lists) all.insert(all.end(), list.begin(), list.end());
  return all;
}

std::set<std::string> files_in(const std::string& folder) {
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    names.insert(entry.path().filename());
  return names;
}

void check_one_message(const Finished& finished, int code, const std::string& part) {
  CHECK(finished.code == code);
  CHECK(finished.out == "");
  const Arguments lines = tool_lines(finished.err);
  CAPTURE(finished.err);
  REQUIRE(lines.size() == 1);
  CHECK_THAT(lines[0], Catch::Contains(part));
}

}  // namespace

TEST_CASE("every tool writes its files and a whole summary", "[every]") {
  const Tool tool = GENERATE(from_range(tools));
  for (const int ranks : {0, 2, 4}) {
    INFO(tool.name << " on " << ranks);
    const TemporaryFolder folder;
    const Finished finished =
        run(tool.name, ranks,
            joined({tool.generated, {"-o", folder / "o", "--summary", "json", "--quiet"}}));
    CAPTURE(finished.err);
    REQUIRE(finished.code == 0);
    CHECK(finished.err == "");
    REQUIRE(occurrences(finished.out, "\n") == 1);
    const Json summary = Json::parse(finished.out);
    Arguments keys;
    for (const auto& [key, value] : summary.items()) keys.push_back(key);
    CHECK(keys == joined({common_keys, tool.keys}));
    CHECK(summary["tool"] == tool.name);
    CHECK(summary["version"] == GAS_VERSION);
    CHECK(summary["ranks"] == std::max(ranks, 1));
    CHECK(summary["vertices"]["data"].is_number_unsigned());
    CHECK(summary["edges"].is_number_unsigned());
    CHECK(summary["partition"]["parts"].get<int>() >= 1);
    if (!tool.strict.empty()) {
      CHECK(summary["iterations"].get<int>() > 0);
      CHECK(summary["converged"].is_boolean());
      CHECK(summary["reproducible"].is_boolean());
      if (tool.name == "gas-components")  // ranks join few components by collective exchanges
        CHECK(summary["bytes_sent"] == 0);
      else
        CHECK(summary["bytes_sent"].get<int>() >= (ranks > 1 ? 1 : 0));
      CHECK(summary["staleness"]["bound"] == 0);
    }
    const auto files = files_in(folder / "o");
    CHECK(!files.empty());
    CHECK(std::ranges::includes(files, tool.files));
  }
}

TEST_CASE("every tool refuses what it must, with one message", "[every]") {
  const Tool tool = GENERATE(from_range(tools));
  for (const int ranks : {0, 2}) {
    INFO(tool.name << " on " << ranks);
    const TemporaryFolder folder;
    const auto with = [&](const std::string& input) {
      return joined({{input}, tool.options, {"-o", folder / "o"}});
    };
    check_one_message(run(tool.name, ranks, with(folder / "none")), 3, folder / "none");
    check_one_message(run(tool.name, ranks, with(folder.path())), 3, folder.path());
    write_text(folder / "bad", tool.malformed);
    check_one_message(run(tool.name, ranks, with(folder / "bad")), 3, folder / "bad" + tool.found);
    write_text(folder / "empty", "");
    check_one_message(run(tool.name, ranks, with(folder / "empty")), 3, folder / "empty");
    CHECK(!std::filesystem::exists(folder / "o"));
    const Finished empty =
        run(tool.name, ranks, joined({with(folder / "empty"), {"--allow-empty"}}));
    if (tool.takes_nothing)
      CHECK(empty.code == 0);
    else
      check_one_message(empty, 3, folder / "empty");
    CHECK(std::filesystem::exists(folder / "o") == tool.takes_nothing);
  }
}

TEST_CASE("every tool knows the options of the contract and no others", "[every]") {
  const Tool tool = GENERATE(from_range(tools));
  INFO(tool.name);
  const TemporaryFolder folder;
  const std::string none = folder / "none";  // never looked for
  Arguments unknown = {"--nonsense"};
  if (tool.strict.empty())
    unknown = joined({unknown,
                      {"--staleness", "--eager", "--order", "--consistency", "--checkpoint",
                       "--checkpoint-every", "--resume"}});
  else
    check_one_message(run(tool.name, 0, joined({{none}, tool.options, {"--resume"}})), 2,
                      "--resume needs --checkpoint");
  for (const std::string& option : unknown)
    check_one_message(run(tool.name, 0, joined({{none}, tool.options, {option}})), 2,
                      "unknown option " + option);
  check_one_message(run(tool.name, 0, tool.options), 2, "INPUT");
  check_one_message(run(tool.name, 0, joined({{none}, tool.generated})), 2, "--generate");
  check_one_message(run(tool.name, 0, joined({{none}, {"--format", "auot"}})), 2, "'auto'");
  check_one_message(run(tool.name, 0, joined({{none}, tool.options, {"--threads", "0"}})), 2,
                    "--threads");
  check_one_message(run(tool.name, 0, {"--generate", "blob:n=3"}), 2, "blob");
  std::filesystem::create_directory(folder / "full");
  write_text(folder / "full/x", "");
  check_one_message(run(tool.name, 0, joined({tool.generated, {"-o", folder / "full"}})), 2,
                    folder / "full");
  if (tool.strict.empty()) return;
  for (const Arguments& wrong :
       {Arguments{"--iterations", "-1"}, {"--tolerance", "nan"}, {"--partition", "metsi"}})
    check_one_message(run(tool.name, 0, joined({{none}, tool.options, wrong})), 2, wrong[0]);
  check_one_message(run(tool.name, 0, joined({{none}, tool.options, {"--partition", none}})), 3,
                    none);
}

TEST_CASE("ranks run apart as --staleness says, and the summary tells by how much", "[every]") {
  const Tool tool = GENERATE(from_range(with_rounds()));
  if (!lags(tool)) return;
  for (const int ranks : {0, 2})
    for (const Arguments& eager : {Arguments{}, {"--eager"}}) {
      INFO(tool.name << " on " << ranks);
      const Finished finished = run(tool.name, ranks,
                                    joined({tool.generated,
                                            tool.lagging,
                                            eager,
                                            {"--staleness", "2", "--summary", "json", "--quiet"}}));
      CAPTURE(finished.err);
      REQUIRE(finished.code == 0);
      const Json summary = Json::parse(finished.out);
      CHECK(summary["staleness"]["bound"] == 2);
      CHECK(summary["staleness"]["max_seen"].get<int>() <= (ranks == 0 ? 0 : 2));
      CHECK(summary["staleness"]["mean_seen"].get<double>() <=
            summary["staleness"]["max_seen"].get<double>());
      CHECK(summary["reproducible"] == ((ranks == 0 && tool.lagging.empty()) || exact(tool)));
    }
  check_one_message(run(tool.name, 0, joined({{"none"}, tool.options, {"--staleness", "-1"}})), 2,
                    "--staleness");
  if (!tool.lagging.empty())
    check_one_message(
        run(tool.name, 0,
            joined({{"none"}, tool.options, {"--solver", "newton", "--staleness", "1"}})),
        2, tool.lagging[0] + " " + tool.lagging[1]);
}

TEST_CASE("asynchronous runs end, and settings that exclude each other are refused", "[every]") {
  const Tool tool = GENERATE(from_range(with_rounds()));
  if (!lags(tool)) return;
  const auto refused = [&](const Arguments& settings, const std::string& reason) {
    check_one_message(run(tool.name, 0, joined({{"none"}, tool.options, tool.lagging, settings})),
                      2, reason);
  };
  const bool by_buckets =
      tool.name == "gas-bfs" || tool.name == "gas-kcore" || tool.name == "gas-paths";
  if (!by_buckets) refused({"--order", "priority"}, "priority");
  refused({"--consistency", "vertex"}, "async");
  refused({"--consistency", "edge", "--staleness", "1"}, "staleness 0");
  for (const int ranks : {0, 2}) {
    INFO(tool.name << " on " << ranks);
    const Finished finished =
        run(tool.name, ranks,
            joined({tool.generated,
                    tool.lagging,
                    {"--staleness", "async", "--summary", "json", "--quiet"}}));
    CAPTURE(finished.err);
    REQUIRE(finished.code == 0);
    const Json summary = Json::parse(finished.out);
    CHECK(summary["staleness"]["bound"] == "async");
    CHECK(summary["staleness"]["max_seen"].is_number());
    CHECK(summary["reproducible"] == exact(tool));
    if (tool.rests) CHECK(summary["converged"] == true);
  }
  const Finished edge =
      run(tool.name, 2, joined({tool.generated, {"--consistency", "edge", "--quiet"}}));
  CAPTURE(edge.err);
  CHECK(edge.code == 0);
}

TEST_CASE("tools with rounds log each and end with 4 where they did not converge", "[every]") {
  const Tool tool = GENERATE(from_range(with_rounds()));
  for (const int ranks : {0, 2}) {
    const bool joins = tool.name == "gas-components";
    if (ranks == 0 && joins) continue;  // one round is all it needs
    INFO(tool.name << " on " << ranks);
    const TemporaryFolder folder;
    Arguments arguments = joined({tool.generated, {"--log", folder / "log", "--summary", "json"}});
    // The strict options take the place of the same ones in `generated`.
    const auto iterations = std::ranges::find(arguments, "--iterations");
    if (iterations != arguments.end()) arguments.erase(iterations, iterations + 2);
    if (joins) arguments = joined({arguments, {"--staleness", "1"}});  // else ranks join at once
    const Finished finished =
        run(tool.name, ranks, joined({arguments, tool.strict, {"--require-convergence"}}));
    CAPTURE(finished.err);
    CHECK(finished.code == 4);
    const Json summary = Json::parse(finished.out);
    CHECK(summary["converged"] == false);
    CHECK(summary["iterations"] == 1);
    CHECK(occurrences(read_text(folder / "log"), "\n") == 1);
    CHECK(Json::parse(read_text(folder / "log"))["round"] == 1);
  }
}

TEST_CASE("no rounds leave the start as the model", "[every]") {
  const Tool tool = GENERATE(from_range(with_rounds()));
  INFO(tool.name);
  Arguments arguments = tool.generated;
  const auto iterations = std::ranges::find(arguments, "--iterations");
  if (iterations != arguments.end()) arguments.erase(iterations, iterations + 2);
  const TemporaryFolder folder;
  const Finished finished =
      run(tool.name, 2,
          joined({arguments, {"--iterations", "0", "--summary", "json", "-o", folder / "o"}}));
  CAPTURE(finished.err);
  REQUIRE(finished.code == 0);
  CHECK(Json::parse(finished.out)["iterations"] == 0);
  CHECK(std::ranges::includes(files_in(folder / "o"), tool.files));
}

TEST_CASE("gas-generate writes the same bytes on any ranks, gas-evaluate agrees with gas-partition",
          "[every]") {
  const TemporaryFolder folder;
  const std::string spec = "uniform:scale=6,degree=4,seed=3";
  CHECK(run("gas-generate", 0, {spec, "-o", folder / "a", "--quiet"}).code == 0);
  CHECK(run("gas-generate", 4, {spec, "-o", folder / "b", "--quiet"}).code == 0);
  const std::string graph = folder / "a/graph.txt";
  CHECK(occurrences(read_text(graph), "\n") > 50);
  CHECK(read_text(graph) == read_text(folder / "b/graph.txt"));
  check_one_message(run("gas-generate", 0, {spec}), 2, "--output");
  check_one_message(run("gas-generate", 0, {"-o", folder / "c"}), 2, "SPEC");
  check_one_message(run("gas-generate", 0, {"uniform:scale=x", "-o", folder / "c"}), 2, "scale");

  const Finished cut = run("gas-partition", 0,
                           {graph, "--undirected", "--parts", "3", "--method", "hash", "-o",
                            folder / "parts", "--summary", "json", "--quiet"});
  REQUIRE(cut.code == 0);
  for (const int ranks : {0, 2}) {
    const Finished seen =
        run("gas-evaluate", ranks,
            {graph, "--partition", folder / "parts", "--summary", "json", "--quiet"});
    REQUIRE(seen.code == 0);
    const Json before = Json::parse(cut.out), after = Json::parse(seen.out);
    for (const char* key :
         {"method", "parts", "replication_factor", "edge_cut", "edge_balance", "vertex_balance",
          "mirrors_total", "bytes_per_round", "memory_per_rank"})
      CHECK(before[key] == after[key]);
    std::filesystem::rename(graph, folder / "away");
    const Arguments alone = {"--partition", folder / "parts", "--summary", "json", "--quiet"};
    check_one_message(run("gas-evaluate", ranks, alone), 2, "INPUT is missing");
    Arguments told = alone;
    told.emplace_back("--without-input");
    Json without = Json::parse(run("gas-evaluate", ranks, told).out);
    CHECK(without["input"] == nullptr);
    for (const char* key : {"input", "seconds", "peak_memory_bytes", "estimated_memory_bytes"})
      without[key] = after[key];
    CHECK(without == after);
    std::filesystem::rename(folder / "away", graph);
  }
  const Finished table = run("gas-evaluate", 0, {graph, "--partition", folder / "parts"});
  CHECK_THAT(table.out, Catch::Contains("hash"));
  check_one_message(run("gas-evaluate", 0, {graph}), 2, "--partition");
  write_text(folder / "other", "0 1\n");
  check_one_message(run("gas-evaluate", 0, {folder / "other", "--partition", folder / "parts"}), 3,
                    folder / "parts");
}

TEST_CASE("what mpirun interrupts writes its model before mpirun kills it", "[every]") {
  const std::vector<std::pair<std::string, Arguments>> runs = {
      {"gas-lda",
       {"--generate", "lda:documents=4000,words=5000,topics=20,length=100,alpha=0.1,beta=0.05",
        "--topics", "200"}},
      {"gas-pagerank", {"--generate", "kronecker:scale=14,degree=16", "--partition", "range"}},
      {"gas-kmeans", {"--generate", "blobs:n=300000,d=32,k=50,spread=2", "-k", "200"}},
      {"gas-logreg",
       {"--generate", "logistic:examples=20000,features=5000,nonzeros=50,informative=100,noise=0.5",
        "--solver", "dual"}}};
  int signal = SIGTERM;
  for (const auto& [tool, generated] : runs) {
    signal = signal == SIGTERM ? SIGINT : SIGTERM;  // in turn
    INFO(tool << " signal " << signal);
    const TemporaryFolder folder;
    Arguments arguments = generated;
    const Arguments rest = {"--tolerance", "0",     "--iterations", "1000000", "--threads",
                            "1",           "--log", folder / "log", "-o",      folder / "o"};
    arguments.insert(arguments.end(), rest.begin(), rest.end());
    Arguments words = command(tool, 2, arguments);
    // The grace that mpirun gives by default, which the tests otherwise do without.
    (std::ranges::find(words, "odls_base_sigkill_timeout") + 1)->front() = '1';
    Process process(words);
    for (int i = 0; i < 10000 && occurrences(read_text(folder / "log"), "\n") < 3; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    kill(process.id(), signal);
    CHECK(process.wait().code == 1);  // mpirun's own
    REQUIRE(std::filesystem::exists(folder / "o/manifest.json"));
    const Json manifest = Json::parse(read_text(folder / "o/manifest.json"));
    CHECK(manifest["state"]["ended"] == "interrupted");
    for (const Json& file : manifest["files"])
      CHECK(std::filesystem::file_size(folder / "o/" + file["name"].get<std::string>()) ==
            file["bytes"].get<std::size_t>());
  }
}

TEST_CASE("an interrupted tool writes the model of its last round", "[every]") {
  const Tool tool = GENERATE(from_range(with_rounds()));
  if (tool.rests) return;  // before it can be interrupted
  for (const int ranks : {0, 2}) {
    INFO(tool.name << " on " << ranks);
    const TemporaryFolder folder;
    Arguments arguments = tool.generated;
    const auto iterations = std::ranges::find(arguments, "--iterations");
    if (iterations != arguments.end()) arguments.erase(iterations, iterations + 2);
    Process process(command(
        tool.name, ranks,
        joined({arguments,
                {"--iterations", "1000000000", "--tolerance", "0", "--log", folder / "log", "-o",
                 folder / "o", "--summary", "json", "--quiet", "--require-convergence"}})));
    for (int i = 0; i < 5000 && read_text(folder / "log").empty(); ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    kill(process.id(), SIGUSR1);
    const Finished finished = process.wait();
    CAPTURE(finished.err);
    CHECK(finished.code == 130);
    REQUIRE(occurrences(finished.out, "\n") == 1);
    const Json summary = Json::parse(finished.out);
    CHECK(summary["iterations"] == occurrences(read_text(folder / "log"), "\n"));
    CHECK(summary["converged"] == false);
    CHECK(std::ranges::includes(files_in(folder / "o"), tool.files));
  }
}
