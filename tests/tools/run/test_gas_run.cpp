// gas-run: what becomes of a job of which a rank dies, stops or hangs, or that is interrupted.
#include <signal.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <thread>

#include "tests/tools/run/supervised.hpp"
#include "tests/tools/support/arguments.hpp"

using namespace gas_test;

namespace {

Arguments sick(const std::string& how, int rank, Arguments more = {}) {
  Arguments all = {"in", "--quiet", "--how", how, "--rank", std::to_string(rank), "--round", "7"};
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

/// gas-run of two ranks on two hosts that are one. Each has a folder of its own for what daemons of
/// Open MPI keep, its $TMPDIR: in a common one, which mpirun would name to both if it was given
/// one, one daemon removes what another needs, and mpirun waits for ever. `first` is the first line
/// of the script that stands for ssh.
Arguments on_two_hosts(const TemporaryFolder& folder, const std::string& first,
                       const Arguments& options, const Arguments& tool) {
  const std::string own = folder.path() + "/$1";
  write_text(folder / "rsh", "#!/bin/sh\n" + first + "\nmkdir -p " + own +
                                 "\nexport TMPDIR=" + own + "\nshift\nexec sh -c \"$*\"\n");
  std::filesystem::permissions(folder / "rsh", std::filesystem::perms::owner_all);
  Arguments all = {
      "env",
      "-u",
      "OMPI_MCA_orte_tmpdir_base",
      "TMPDIR=" + folder.path(),
      GAS_BIN "/gas-run",
      "-n",
      "2",
      "--mpirun",
      "--host one:1,two:1 --mca plm_rsh_no_tree_spawn 1 --mca plm_rsh_agent " + (folder / "rsh")};
  all.insert(all.end(), options.begin(), options.end());
  all.insert(all.end(), {"--", "gas-sick"});
  all.insert(all.end(), tool.begin(), tool.end());
  return all;
}

const std::string result = "1580\n";  // whatever the ranks: 0 + … + 39 + 20 × 40

}  // namespace

TEST_CASE("a rank that dies ends the job with one line that names it and the cause", "[run]") {
  struct Case {
    std::string how;
    int ranks, rank, code;
    std::string line;
  };
  const std::string in_round = " in round 8; process \\d+ on \\S+\n";
  for (const Case& c : {
           Case{"kill", 2, 1, 1, "gas-run: rank 1 of 2 was killed \\(SIGKILL\\)" + in_round},
           Case{"kill", 4, 0, 1, "gas-run: rank 0 of 4 was killed \\(SIGKILL\\)" + in_round},
           Case{"abort", 3, 2, 1,
                "gas-run: rank 2 of 3 aborted \\(SIGABRT(, core dumped)?\\)" + in_round},
           Case{"segv", 2, 0, 1,
                "gas-run: rank 0 of 2 crashed \\(SIGSEGV(, core dumped)?\\)" + in_round},
           Case{"exit", 2, 1, 1,
                "gas-run: rank 1 of 2 ended by itself with exit code 1" + in_round},
           Case{"exit-0", 2, 1, 1,
                "gas-run: rank 1 of 2 ended by itself with exit code 0" + in_round},
           Case{"throw", 2, 1, 1, "gas-sick: rank 1: a thread fell\n"},
           Case{"memory", 3, 1, 1, "gas-sick: rank 1: out of memory while computing\n"},
           Case{"stop", 2, 1, 1,
                "gas-run: rank 1 of 2 was stopped \\(SIGSTOP\\) and did not go on" + in_round},
       }) {
    INFO(c.how << ", rank " << c.rank << " of " << c.ranks);
    const auto [finished, seconds] = run_supervised(c.ranks, {}, "gas-sick", sick(c.how, c.rank));
    CHECK(finished.code == c.code);
    CHECK(finished.out == "");
    INFO(finished.err);
    CHECK(std::regex_match(finished.err, std::regex(c.line)));
    CHECK(seconds < 10);
  }
}

TEST_CASE("under mpirun alone a rank says itself why it dies, if it can", "[run]") {
  for (const auto& [how, line] : {std::pair{"segv", "gas-sick: rank 1: crashed (SIGSEGV)"},
                                  std::pair{"abort", "gas-sick: rank 1: crashed (SIGABRT)"},
                                  std::pair{"throw", "gas-sick: rank 1: a thread fell"}}) {
    const Finished finished = run("gas-sick", 2, sick(how, 1));
    CHECK(finished.code > 128);
    CHECK(tool_lines(finished.err) == Arguments{line});
    CHECK_THAT(finished.err, !Catch::Contains("Process received signal"));
  }
}

TEST_CASE("a rank that hangs is found and named", "[run]") {
  for (const std::string staleness : {"0", "2"}) {
    const auto [finished, seconds] =
        run_supervised(3, {"--hang-after", "1"}, "gas-sick",
                       sick("loop", 1, {"--iterations", "100000", "--staleness", staleness}));
    CHECK(finished.code == 1);
    INFO(finished.err);
    CHECK(std::regex_match(finished.err,
                           std::regex("gas-run: rank 1 of 3 hangs: no end of round 8 for 1 s "
                                      "\\(--hang-after\\); process \\d+ on \\S+\n")));
    CHECK(seconds < 10);
  }
  // Rounds that take their time are none of it. (Two seconds are left for a machine that others
  // use.)
  const auto [slow, seconds] =
      run_supervised(2, {"--hang-after", "3"}, "gas-sick",
                     {"in", "--quiet", "--iterations", "4", "--pause", "1000"});
  CHECK(slow.code == 0);
  CHECK(slow.err == "");
  CHECK(seconds > 3);
}

TEST_CASE("a job that is suspended as a whole and goes on is not taken to hang", "[run]") {
  const TemporaryFolder folder;
  Process process(supervised(
      2, {"--hang-after", "4"}, "gas-sick",
      {"in", "--quiet", "--iterations", "3", "--pause", "700", "--log", folder / "log"}));
  REQUIRE(comes_true([&] { return !read_text(folder / "log").empty(); }));
  const std::vector<int> watchers = ranks_of("gas-run", folder.path());
  const std::vector<int> ranks = ranks_of("gas-sick", folder.path());
  REQUIRE(watchers.size() == 2);
  REQUIRE(ranks.size() == 2);
  std::vector<int> all = {process.id(), parent_of(watchers[0])};
  all.insert(all.end(), watchers.begin(), watchers.end());
  all.insert(all.end(), ranks.begin(), ranks.end());
  for (const int each : all) kill(each, SIGSTOP);
  pause(5.5);
  std::ranges::reverse(all);  // watchers find their ranks at work again, but in the same round
  for (const int each : all) kill(each, SIGCONT);
  const Finished finished = process.wait();
  CHECK(finished.code == 0);
  CHECK(finished.err == "");
}

TEST_CASE("the tool's output, messages and exit code are handed on", "[run]") {
  const TemporaryFolder folder;
  const Finished done =
      run_supervised(3, {}, "gas-sick", {"in", "-o", folder / "o", "--summary", "json"}).finished;
  CHECK(done.code == 0);
  CHECK(done.err == "");
  CHECK(occurrences(done.out, "\n") == 1);
  CHECK_THAT(done.out, Catch::Contains("\"ranks\":3"));
  CHECK(read_text(folder / "o/sum") == result);
  struct Case {
    Arguments arguments;
    int code;
    std::string err;
  };
  for (const Case& c : {
           Case{{"in", "--act", "input-together"}, 3, "in.txt:3:7: found 'x', expected a number"},
           Case{{"in", "--act", "run-together"}, 1, "all of us"},
           Case{{"in", "--act", "run-alone"}, 1, "rank 1: the last rank fell"},
           Case{{"in", "--alpha", "2"},
                2,
                "--alpha: found '2', expected a number greater than 0 and at most 1"},
           Case{{"in", "--tolerance", "0", "--require-convergence"}, 4, ""},
       }) {
    // Not even where restarts are allowed: trying again helps against none of 2, 3 and 4.
    const Arguments restarts = c.code == 1 ? Arguments{} : Arguments{"--restarts", "3"};
    const Finished finished = run_supervised(2, restarts, "gas-contract", c.arguments).finished;
    CHECK(finished.code == c.code);
    CHECK(finished.err == (c.err.empty() ? "" : "gas-contract: " + c.err + "\n"));
  }
}

TEST_CASE("gas-run notices the end where its parent ignores the ends of processes", "[run]") {
  const Finished finished =
      Process(with({"env", "--ignore-signal=CHLD"},
                   supervised(2, {}, "gas-contract", {"in", "--act", "run-together"})))
          .wait();
  CHECK(finished.code == 1);
  CHECK(finished.err == "gas-contract: all of us\n");
}

TEST_CASE("wrong usage of gas-run ends with 2 before anything is started", "[run]") {
  std::vector<std::pair<Arguments, std::string>> cases = {
      {{}, "-n is missing (or --ranks A..B)"},
      {{"-n", "2"}, "the tool is missing: gas-run -n P -- gas-TOOL ..."},
      {{"-n", "2", "--"}, "the tool is missing: gas-run -n P -- gas-TOOL ..."},
      {{"-n", "2", "gas-sick"}, "unexpected argument 'gas-sick'"},
      {{"-n", "0", "--", "gas-sick"}, "-n: found '0', expected a whole number from 1 to 1000000"},
      {{"-n", "2", "--summary", "json", "--", "gas-sick"}, "unknown option --summary"},
      {{"-n", "2", "--fewer", "--", "gas-sick"}, "--fewer needs --restarts"},
      {{"-n", "2", "--", "gas-nothing"}, "gas-nothing: there is no such program"},
      {{"--ranks", "4..2", "--", "gas-sick"},
       "--ranks: found '4..2', expected A..B, numbers of at least 1"},
      {{"-n", "9", "--ranks", "2..4", "--", "gas-sick"},
       "-n: found '9', expected a number within --ranks 2..4"},
      {{"-n", "2", "--", "gas-plan", "--", "gas-pagerank", "in"},
       "gas-plan runs on no ranks, but starts others on some: call it alone"},
      {{"--ranks", "2..4", "--", "gas-sick", "in"},
       "--ranks needs --checkpoint DIR among the options of gas-sick"},
      {{"-n", "2", "--restarts", "1", "--", "gas-sick", "-"},
       "standard input can be read only once: INPUT must be a file for --restarts"},
  };
  const TemporaryFolder earlier;
  std::filesystem::create_directories(earlier / "round-0000000003-0a0b0c0d");
  write_text(earlier / "round-0000000003-0a0b0c0d/manifest.json", "{}");
  cases.emplace_back(Arguments{"-n", "2", "--", "gas-sick", "--checkpoint=" + earlier.path()},
                     earlier.path() +
                         ": found checkpoints of an earlier run; gas-sick needs "
                         "--resume to go on from them, or another folder");
  cases.emplace_back(Arguments{"--ranks", "1..2", "--ranks-file", earlier.path(), "--", "gas-sick"},
                     "--ranks-file: found '" + earlier.path() + "', expected a regular file");
  for (const auto& [arguments, message] : cases) {
    Arguments all = {GAS_BIN "/gas-run"};
    all.insert(all.end(), arguments.begin(), arguments.end());
    const Finished finished = Process(all).wait();
    CHECK(finished.code == 2);
    CHECK(finished.out == "");
    CHECK(finished.err == "gas-run: " + message + "\n");
  }
}

TEST_CASE("what mpirun itself refuses is shown in its words", "[run]") {
  const Finished finished =
      Process({GAS_BIN "/gas-run", "-n", "2", "--mpirun", "--no-such-option", "--", "gas-sick"})
          .wait();
  CHECK(finished.code == 1);
  CHECK(finished.err.starts_with("gas-run: mpirun ended with "));
  CHECK_THAT(finished.err, Catch::Contains("no-such-option"));

  const Finished missing = Process({"env", "PATH=/nowhere", GAS_BIN "/gas-run", "-n", "2",
                                    "--restarts", "2", "--", "gas-sick", "in"})
                               .wait();
  CHECK(missing.code == 2);
  CHECK(missing.err ==
        "gas-run: mpirun ended with 2, and said:\nmpirun: No such file or directory\n");
}

TEST_CASE("Ctrl-C has the model written, however long a round takes", "[run]") {
  for (const int signal : {SIGINT, SIGTERM}) {
    const TemporaryFolder folder;
    Process process(supervised(3, {}, "gas-sick",
                               {"in", "--quiet", "--iterations", "9", "--pause", "1500", "--log",
                                folder / "log", "-o", folder / "o"}));
    REQUIRE(comes_true([&] { return !read_text(folder / "log").empty(); }));
    kill(process.id(), SIGHUP);  // goes on
    kill(process.id(), signal);
    const Finished finished = process.wait();
    CHECK(finished.code == 130);
    CHECK(std::filesystem::exists(folder / "o/sum"));
    CHECK(std::regex_match(finished.err,
                           std::regex("gas-run: interrupted: waiting for the ranks to write what "
                                      "they have; a second interrupt ends them at once\ngas-sick: "
                                      "interrupted after round [1-4]: the results are in .*\n")));
  }
}

TEST_CASE("Ctrl-C ends a job at once of which no rank has started", "[run]") {
  const TemporaryFolder folder;
  write_text(folder / "mpirun", "#!/bin/sh\ntouch " + (folder / "begun") + "\nexec sleep 300\n");
  std::filesystem::permissions(folder / "mpirun", std::filesystem::perms::owner_all);
  Process process({"env", "PATH=" + folder.path() + ":/usr/bin:/bin", GAS_BIN "/gas-run", "-n", "2",
                   "--restarts", "3", "--", "gas-sick", "in"});
  REQUIRE(comes_true([&] { return std::filesystem::exists(folder / "begun"); }));
  const auto begin = std::chrono::steady_clock::now();
  kill(process.id(), SIGINT);
  const Finished finished = process.wait();
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(10));
  CHECK(finished.code == 130);
}

TEST_CASE("an interrupted job ends with 0 if it ends well, and says if there are no results",
          "[run]") {
  for (const std::string code : {"0", "130"}) {
    const TemporaryFolder folder;
    Process process({GAS_BIN "/gas-run", "-n", "2", "--", "sh", "-c",
                     "trap 'exit " + code + "' USR1; touch " + (folder / "listens-") +
                         "$OMPI_COMM_WORLD_RANK; while true; do sleep 0.1; done"});
    REQUIRE(comes_true([&] {
      return std::filesystem::exists(folder / "listens-0") &&
             std::filesystem::exists(folder / "listens-1");
    }));
    kill(process.id(), SIGTERM);
    const Finished finished = process.wait();
    INFO(finished.err);
    CHECK(finished.code == std::stoi(code));
    CHECK(occurrences(finished.err, "interrupted: no results were written\n") ==
          (code == "0" ? 0 : 1));
    CHECK_THAT(finished.err, !Catch::Contains("ended by itself"));
  }
}

TEST_CASE("a second Ctrl-C ends the job at once", "[run]") {
  const TemporaryFolder folder;
  Process process(supervised(
      3, {"--restarts", "3"}, "gas-sick",
      {"in", "--quiet", "--pause", "30000", "--log", folder / "log", "-o", folder / "o"}));
  REQUIRE(comes_true([&] { return !read_text(folder / "log").empty(); }));
  const auto begin = std::chrono::steady_clock::now();
  kill(process.id(), SIGINT);
  pause(0.5);
  kill(process.id(), SIGINT);
  const Finished finished = process.wait();
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(5));
  CHECK(finished.code == 130);
  CHECK_THAT(finished.err, Catch::EndsWith("gas-run: interrupted: ended at once\n"));
  CHECK(!std::filesystem::exists(folder / "o"));
  CHECK(ranks_of("gas-sick", folder.path()).empty());
}

TEST_CASE("no rank outlives gas-run, mpirun or a watcher", "[run]") {
  for (const std::string killed : {"gas-run", "mpirun", "watcher"}) {
    INFO(killed);
    const TemporaryFolder folder;
    Process process(supervised(3, {}, "gas-sick",
                               {"in", "--quiet", "--pause", "30000", "--log", folder / "log"}));
    REQUIRE(comes_true([&] { return !read_text(folder / "log").empty(); }));
    REQUIRE(ranks_of("gas-sick", folder.path()).size() == 3);
    const int watcher = ranks_of("gas-run", folder.path()).at(1);
    if (killed == "gas-run") kill(process.id(), SIGKILL);
    if (killed == "mpirun") kill(parent_of(watcher), SIGKILL);
    if (killed == "watcher") kill(watcher, SIGKILL);
    const Finished finished = process.wait();
    if (killed == "mpirun") CHECK(finished.err == "gas-run: mpirun was killed (SIGKILL)\n");
    if (killed == "watcher") {
      CHECK(finished.err.starts_with("gas-run: mpirun ended with 137, and said:\n"));
      CHECK_THAT(finished.err, Catch::Contains("rank 1"));
    }
    CHECK(finished.code == (killed == "gas-run" ? 128 + SIGKILL : killed == "mpirun" ? 1 : 137));
    CHECK(comes_true([&] { return ranks_of("gas-sick", folder.path()).empty(); }));
  }
}

TEST_CASE("a killed rank is made up for by a restart", "[run]") {
  const TemporaryFolder folder;
  const auto from = [&](const std::string& how, const Arguments& more) {
    Arguments all = sick(how, 2, {"-o", folder / "o"});
    all.insert(all.end(), more.begin(), more.end());
    return all;
  };
  const std::string killed = "gas-run: rank 2 of 3 was killed \\(SIGKILL\\) in round 8; .*\n";

  const Finished once =
      run_supervised(3, {"--restarts", "2"}, "gas-sick", from("kill", {"--once", folder / "once"}))
          .finished;
  CHECK(once.code == 0);
  INFO(once.err);
  CHECK(std::regex_match(
      once.err, std::regex(killed + "gas-run: starting anew on 3 ranks, restart 1 of 2\n")));
  CHECK(read_text(folder / "o/sum") == result);
  std::filesystem::remove_all(folder / "o");

  const Finished always =
      run_supervised(3, {"--restarts", "2"}, "gas-sick", from("kill", {})).finished;
  CHECK(always.code == 1);
  INFO(always.err);
  CHECK(std::regex_match(always.err,
                         std::regex(killed + "gas-run: starting anew on 3 ranks, restart 1 of 2\n" +
                                    killed + "gas-run: starting anew on 3 ranks, restart 2 of 2\n" +
                                    killed + "gas-run: failed 3 times; no restart is left\n")));

  const Finished fewer =
      run_supervised(3, {"--restarts", "2", "--fewer"}, "gas-sick", from("kill", {})).finished;
  CHECK(fewer.code == 0);
  INFO(fewer.err);
  CHECK(std::regex_match(
      fewer.err, std::regex(killed + "gas-run: starting anew on 2 ranks, restart 1 of 2\n")));
  CHECK(read_text(folder / "o/sum") == result);
  std::filesystem::remove_all(folder / "o");

  write_text(folder / "mpirun",
             "#!/bin/sh\n[ \"$2\" = 2 ] && { echo no room >&2; exit 1; }\nexec /usr/bin/mpirun "
             "\"$@\"\n");
  std::filesystem::permissions(folder / "mpirun", std::filesystem::perms::owner_all);
  const Finished fewest =
      Process(with({"env", "PATH=" + folder.path() + ":" + std::getenv("PATH")},
                   supervised(3, {"--restarts", "3", "--fewer"}, "gas-sick", from("kill", {}))))
          .wait();
  CHECK(fewest.code == 0);
  INFO(fewest.err);
  CHECK(std::regex_match(
      fewest.err, std::regex(killed + "gas-run: starting anew on 2 ranks, restart 1 of 3\n"
                                      "gas-run: mpirun ended with 1, and said:\nno room\n"
                                      "gas-run: starting anew on 1 rank, restart 2 of 3\n")));
  CHECK(read_text(folder / "o/sum") == result);
}

TEST_CASE("a tool that wrote its result and failed then may write it again", "[run]") {
  const TemporaryFolder folder;
  const Finished finished =
      run_supervised(2, {"--restarts", "1"}, "gas-sick",
                     {"in", "--quiet", "-o", folder / "o", "--how", "kill", "--rank", "1",
                      "--in-the-end", "--once", folder / "once"})
          .finished;
  CHECK(finished.code == 0);
  CHECK(occurrences(finished.err, "restart 1 of 1") == 1);
  CHECK(read_text(folder / "o/sum") == result);
}

TEST_CASE("what many ranks write at once arrives in whole lines, and standard input at rank 0",
          "[run]") {
  const int ranks = 4, lines = 3000;
  const std::string loud =
      "i=0; while [ $i -lt 3000 ]; do i=$((i+1)); "
      "echo \"rank $OMPI_COMM_WORLD_RANK says line $i\"; done >&2";
  const Finished finished = run_supervised(ranks, {}, "sh", {"-c", loud}).finished;
  CHECK(finished.code == 0);
  std::set<std::string> seen;
  std::istringstream stream(finished.err);
  for (std::string line; std::getline(stream, line);) seen.insert(line);
  CHECK(occurrences(finished.err, "\n") == ranks * lines);
  CHECK(seen.size() == std::size_t{ranks} * lines);
  for (int rank = 0; rank < ranks; ++rank)
    CHECK(seen.contains("rank " + std::to_string(rank) + " says line " + std::to_string(lines)));

  const Finished fed =
      Process(supervised(2, {}, "sh", {"-c", "test $OMPI_COMM_WORLD_RANK = 1 || cat"}), "words\n")
          .wait();
  CHECK(fed.code == 0);
  CHECK(fed.out == "words\n");
}

TEST_CASE("Open MPI's files of a job have a folder of their own, and none is left", "[run]") {
  const TemporaryFolder folder;
  const auto finished = [&](const Arguments& chosen, const Arguments& command) {
    Arguments all = {"env", "-u", "OMPI_MCA_orte_tmpdir_base", "TMPDIR=" + folder.path()};
    all.insert(all.end(), chosen.begin(), chosen.end());
    all.insert(all.end(), command.begin(), command.end());
    return Process(all).wait();
  };
  const Arguments told =
      supervised(1, {}, "sh", {"-c", "echo \"$OMPI_MCA_orte_tmpdir_base\"; ls $TMPDIR"});
  const Finished one = finished({}, told);
  CHECK(one.code == 0);
  const std::string name = one.out.substr(one.out.find('\n') + 1);
  CHECK(name.starts_with("gas-run-"));
  CHECK(one.out == (folder / name).substr(0, (folder / name).size() - 1) + "\n" + name);
  CHECK(finished({}, supervised(2, {}, "gas-sick", {"in", "--quiet"})).code == 0);
  CHECK(finished({}, supervised(2, {}, "gas-sick", sick("kill", 1))).code == 1);
  CHECK(std::filesystem::is_empty(folder.path()));

  const std::string other = folder / "other";
  const Finished by_user = finished({"OMPI_MCA_orte_tmpdir_base=" + other}, told);
  CHECK(by_user.code == 0);
  CHECK(by_user.out == other + "\nother\n");
}

TEST_CASE("a host on which nothing starts ends the job, and another start may go well", "[run]") {
  const TemporaryFolder folder;
  const std::string tried = folder / "tried";
  // The first time the daemon of the second host is not started, and mpirun waits for ever.
  const Finished finished =
      Process(on_two_hosts(folder,
                           "if [ $1 = two ] && mkdir " + tried + " 2>/dev/null; then exit 0; fi",
                           {"--start-within", "4", "--restarts", "9"},
                           {"in", "--quiet", "--iterations", "3"}))
          .wait();
  CHECK(finished.code == 0);
  CHECK(finished.err.starts_with(
      "gas-run: mpirun has started 0 of 2 ranks within 4 s (--start-within)\n"
      "gas-run: starting anew on 2 ranks, restart 1 of 9\n"));
}

TEST_CASE("ranks on other hosts are watched, too", "[run]") {
  const TemporaryFolder folder;
  const Finished finished = Process(on_two_hosts(folder, "", {}, sick("kill", 1))).wait();
  CHECK(finished.code == 1);
  INFO(finished.err);
  CHECK(std::regex_match(finished.err, std::regex("gas-run: rank 1 of 2 was killed \\(SIGKILL\\) "
                                                  "in round 8; process \\d+ on \\S+\n")));
}

TEST_CASE("what Open MPI says of a broken connection is left out if a rank has died", "[run]") {
  const std::string line =
      "[host][[23708,1],0][../opal/mca/btl/tcp/btl_tcp_frag.c:135:mca_btl_tcp_frag_send] "
      "mca_btl_tcp_frag_send: writev failed: Connection reset by peer (104)\n";
  const std::string of_others = "[host][of the tool] writev failed\n";
  const auto words_of_rank_0 = [&](const std::string& rank_1) {
    const TemporaryFolder folder;
    const std::string said = folder / "said";
    const std::string script = "if [ $OMPI_COMM_WORLD_RANK = 1 ]; then until [ -e " + said +
                               " ]; do sleep 0.05; done; " + rank_1 + "; fi; printf '" + line +
                               of_others + "' >&2; touch " + said;
    return run_supervised(2, {}, "sh", {"-c", script}).finished;
  };
  const Finished died = words_of_rank_0("kill -KILL $$");
  CHECK(died.code == 1);
  INFO(died.err);
  CHECK(died.err.starts_with(of_others + "gas-run: rank 1 of 2 was killed (SIGKILL); process "));
  CHECK(occurrences(died.err, "\n") == 2);
  const Finished well = words_of_rank_0("exit 0");
  CHECK(well.code == 0);
  CHECK(well.err == of_others + line);
}
