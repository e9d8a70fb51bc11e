#include "tests/tools/run/supervised.hpp"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <sstream>
#include <thread>

namespace gas_test {

Arguments supervised(const Arguments& options, const std::string& tool,
                     const Arguments& arguments) {
  Arguments all = {GAS_BIN "/gas-run", "--oversubscribe"};
  all.insert(all.end(), options.begin(), options.end());
  all.insert(all.end(), {"--", tool});
  all.insert(all.end(), arguments.begin(), arguments.end());
  return all;
}

Arguments supervised(int ranks, const Arguments& options, const std::string& tool,
                     const Arguments& arguments) {
  Arguments all = {"-n", std::to_string(ranks)};
  all.insert(all.end(), options.begin(), options.end());
  return supervised(all, tool, arguments);
}

Timed run_supervised(int ranks, const Arguments& options, const std::string& tool,
                     const Arguments& arguments) {
  const auto begin = std::chrono::steady_clock::now();
  Finished finished = Process(supervised(ranks, options, tool, arguments)).wait();
  return {std::move(finished),
          std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count()};
}

void pause(double seconds) { std::this_thread::sleep_for(std::chrono::duration<double>(seconds)); }

bool comes_true(const std::function<bool()>& condition) {
  for (int i = 0; i < 2000; ++i, pause(0.005))
    if (condition()) return true;
  return false;
}

namespace {

/// What /proc has of a process; nothing if that has ended meanwhile.
std::string told_of(const std::filesystem::path& process, const std::string& file) {
  try {
    return read_text(process / file);
  } catch (const std::ios_base::failure&) {
    return "";
  }
}

}  // namespace

std::vector<int> ranks_of(const std::string& tool, const std::string& word) {
  std::vector<std::pair<int, int>> found;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const std::string name = entry.path().filename();
    if (!std::ranges::all_of(name, [](char c) { return c >= '0' && c <= '9'; })) continue;
    const std::string line = told_of(entry.path(), "cmdline");
    if (!std::string(line.c_str()).ends_with("/" + tool) || line.find(word) == std::string::npos)
      continue;
    const std::string environment = told_of(entry.path(), "environ");
    const std::string variable = "OMPI_COMM_WORLD_RANK=";
    const std::size_t at = environment.find(variable);
    if (at == std::string::npos) continue;
    found.emplace_back(std::stoi(environment.substr(at + variable.size())), std::stoi(name));
  }
  std::ranges::sort(found);
  std::vector<int> processes;
  for (const auto& [rank, process] : found) processes.push_back(process);
  return processes;
}

int parent_of(int process) {
  std::istringstream status(told_of("/proc/" + std::to_string(process), "status"));
  for (std::string word; status >> word;)
    if (word == "PPid:" && status >> word) return std::stoi(word);
  return 0;
}

}  // namespace gas_test
