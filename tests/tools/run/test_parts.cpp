// The parts of gas-run that need no ranks.
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <sstream>

#include "gas/base/error.hpp"
#include "tests/tools/support/process.hpp"
#include "tools/run/child.hpp"
#include "tools/run/frame.hpp"
#include "tools/run/memory_killer.hpp"

using namespace gas::tools;

TEST_CASE("frames are found among other words, however the stream is cut", "[run]") {
  const auto bytes = [](const Frame& frame) {
    return std::string(reinterpret_cast<const char*>(&frame), sizeof frame);
  };
  Report report{};
  report.round = 17;
  const std::string stream = "mpirun \x01gas-" + bytes(text_frame(0, "first\n")) +
                             bytes(report_frame(2, Frame::Kind::ended, report)) + "and \x01" +
                             bytes(text_frame(1, "")) + bytes(text_frame(0, "second")) + "\x01gas";
  for (std::size_t piece = 1; piece <= stream.size(); piece += piece < 20 ? 1 : 97) {
    std::string texts, other;
    std::uint64_t round = 0;
    FrameReader reader(
        [&](const Frame& frame) {
          if (frame.kind == Frame::Kind::text)
            texts.append(std::to_string(frame.rank)).append(frame.bytes.data(), frame.length);
          else
            round = report_of(frame).round;
        },
        [&](std::string_view text) { other += text; });
    for (std::size_t at = 0; at < stream.size(); at += piece)
      reader.take(std::string_view(stream).substr(at, piece));
    reader.end();
    CHECK(texts == "0first\n10second");
    CHECK(other == "mpirun \x01gas-and \x01\x01gas");
    CHECK(round == 17);
  }
}

TEST_CASE("what the system killed for memory is counted by control groups of both kinds", "[run]") {
  const gas_test::TemporaryFolder mount;
  const std::string counters = "nr_free_pages 12\noom_kill 7\n";
  const auto killed = [&](const std::string& groups) {
    std::istringstream lines(groups), vmstat(counters);
    return killed_for_memory(lines, mount.path(), vmstat);
  };
  std::filesystem::create_directories(mount / "a/b");
  std::filesystem::create_directories(mount / "memory/c");
  CHECK(killed("0::/a/b\n") == 7);  // no such file: the machine's
  gas_test::write_text(mount / "a/b/memory.events", "low 0\nhigh 0\nmax 5\noom 4\noom_kill 3\n");
  gas_test::write_text(mount / "memory/c/memory.oom_control",
                       "oom_kill_disable 0\nunder_oom 0\noom_kill 2\n");
  CHECK(killed("0::/a/b\n") == 3);
  CHECK(killed("5:cpu,cpuacct:/c\n4:memory:/c\n0::/x\n") == 2);
  CHECK(killed("") == 7);
}

TEST_CASE("where no process can be started that is an error", "[run]") {
  const pid_t limited = fork();
  if (limited == 0) {
    const rlimit none{0, 0};
    setrlimit(RLIMIT_NPROC, &none);
    if (geteuid() == 0 && setuid(65534) != 0) _exit(3);  // no limit holds for root
    try {
      start_child({"true"}, SIGKILL);
    } catch (const gas::RunError&) {
      _exit(0);
    }
    _exit(1);
  }
  int status = -1;
  REQUIRE(waitpid(limited, &status, 0) == limited);
  CHECK(status == 0);
}
