#include "tools/plan/samples.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "gas/base/error.hpp"
#include "tools/plan/command.hpp"
#include "tools/support/process/exit_code.hpp"

namespace gas::tools {
namespace {

using Json = nlohmann::json;

/// The seconds of the later half of the rounds, ascending: many algorithms' first rounds take
/// longer than those to come.
std::vector<double> rounds_in(const std::string& log) {
  std::ifstream file(log);
  std::vector<double> ends, rounds;
  for (std::string line; std::getline(file, line);) {
    const Json told = Json::parse(line);
    if (told.contains("round")) ends.push_back(told.at("seconds"));
  }
  for (std::size_t i = 1; i < ends.size(); ++i) rounds.push_back(ends[i] - ends[i - 1]);
  rounds.erase(rounds.begin(), rounds.begin() + static_cast<std::ptrdiff_t>(rounds.size() / 2));
  std::ranges::sort(rounds);
  return rounds;
}

/// The first line that is no rule of dashes, which mpirun puts around its own messages.
std::string first_line(const std::string& text) {
  const std::size_t begin = std::min(text.find_first_not_of("-\n"), text.size());
  return text.substr(begin, text.find('\n', begin) - begin);
}

/// What a run of the tool says of itself. RunError if it fails.
Json summary_of(const SampleWish& wish, int ranks, std::vector<std::string> more) {
  std::vector<std::string> words;
  if (ranks > 1) {
    words = {
        "mpirun", "-n", std::to_string(ranks), "--oversubscribe", "--mca", "mpi_yield_when_idle",
        "1"};
    words.insert(words.end(), wish.mpirun.begin(), wish.mpirun.end());
  }
  words.insert(words.end(), wish.tool.begin(), wish.tool.end());
  more.insert(more.end(), {"--summary", "json", "--quiet"});
  words.insert(words.end(), more.begin(), more.end());
  const Said said = run_command(words);
  const Json told = Json::parse(said.out, nullptr, false);
  if (said.code != 0 || told.is_discarded()) {
    if (said.code == 0)
      throw UsageError(std::filesystem::path(wish.tool.front()).filename().string() +
                       " wrote no summary: found an option with which it runs nothing, such as "
                       "--help");
    const std::string text = fmt::format("a run on {} rank{} failed with exit code {}: {}", ranks,
                                         ranks == 1 ? "" : "s", said.code, first_line(said.error));
    if (said.code == static_cast<int>(ExitCode::wrong_usage)) throw UsageError(text);
    if (said.code == static_cast<int>(ExitCode::bad_input)) throw InputError(text);
    throw RunError(text);
  }
  return told;
}

/// An empty file with a name that nobody had; gone when this is.
class TemporaryFile {
 public:
  TemporaryFile() : path_(std::filesystem::temp_directory_path() / "gas-plan-XXXXXX") {
    const int file = mkstemp(path_.data());
    if (file < 0) throw RunError(path_ + ": no temporary file can be made");
    close(file);
  }
  ~TemporaryFile() { unlink(path_.c_str()); }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace

Sample run_sample(const SampleWish& wish, int ranks, double share, std::uint64_t rounds_wanted) {
  const TemporaryFile log;
  std::vector<std::string> more = {"--iterations", std::to_string(rounds_wanted), "--log",
                                   log.path()};
  if (share < 1) more.insert(more.end(), {"--sample", fmt::format("{}", share)});
  const Json told = summary_of(wish, ranks, more);
  const std::vector<double> rounds = rounds_in(log.path());
  const std::uint64_t run = told.at("iterations");
  const auto count = static_cast<double>(run);
  if (rounds_wanted > 0 && (rounds.empty() || told.at("per_rank").is_null()))
    throw RunError(fmt::format(
        "{} on a share of {} of INPUT ended after {} round{}, and it takes two to measure "
        "the time of one: give {}options with which it runs longer",
        told.at("tool").get<std::string>(), share, run, run == 1 ? "" : "s",
        share < 1 ? "a larger --share, or " : ""));
  Sample sample{.ranks = ranks, .rounds = run};
  const Json& whole = told.at("sampled_from");
  sample.share = whole.is_null() ? 1 : whole.at("share").get<double>();
  const Json& method = told.at("partition").at("method");
  if (method.is_string()) sample.method = method;
  sample.load = told.at("seconds").at("load");
  sample.partition = told.at("seconds").at("partition");
  if (!rounds.empty()) sample.round = rounds[rounds.size() / 2];
  const double computing = told.at("seconds").at("compute").get<double>() +
                           told.at("seconds").at("objective").get<double>();
  sample.beyond = std::max(computing - count * sample.round, 1e-9);
  for (const Json& rank : told.at("per_rank")) {
    sample.messages =
        std::max(sample.messages, rank.at("messages").get<double>() / std::max(count, 1.0));
    sample.bytes += rank.at("bytes").get<std::uint64_t>();
  }
  sample.memory = told.at("peak_memory_bytes");
  return sample;
}

double memory_of(const SampleWish& wish, int ranks) {
  const Json bytes = summary_of(wish, ranks, {"--dry-run"}).at("estimated_memory_bytes");
  if (bytes.is_null()) throw RunError("the tool printed no estimate of its memory");
  return bytes;
}

}  // namespace gas::tools
