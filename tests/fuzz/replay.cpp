// Replays a corpus: `fuzz_replay FOLDER` gives every file of FOLDER/TARGET to that target, in all
// ways; `fuzz_replay FOLDER TARGET` those of one. A finding ends the process.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

#include "tests/fuzz/harness.hpp"
#include "tests/fuzz/targets.hpp"

namespace fs = std::filesystem;

namespace {

std::size_t replay(const fs::path& folder, const gas_fuzz::Target& target) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder / target.name))
    files.push_back(entry.path());
  std::ranges::sort(files);
  for (const fs::path& path : files) {
    std::printf("%s\n", path.c_str());
    std::fflush(stdout);
    std::ifstream file(path, std::ios::binary);
    const std::string content{std::istreambuf_iterator<char>(file), {}};
    target.run(content);
  }
  return files.size();
}

}  // namespace

int main(int argc, char* argv[]) {
  if (argc < 2) return 2;
  gas_fuzz::thorough = true;
  bool all_there = true;
  for (const gas_fuzz::Target& target : gas_fuzz::targets()) {
    if (argc > 2 && target.name != argv[2]) continue;
    const bool there = fs::is_directory(fs::path(argv[1]) / target.name);
    const std::size_t files = there ? replay(argv[1], target) : 0;
    if (files == 0) std::printf("%s: no files\n", target.name.data());
    all_there = all_there && files > 0;
  }
  return all_there ? 0 : 1;
}
