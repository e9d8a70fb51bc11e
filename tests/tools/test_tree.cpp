// The source tree keeps its own rules: who includes whom, who may touch the terminal, what a vertex
// program may not do itself.
#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <map>
#include <regex>
#include <set>

#include "tests/tools/support/process.hpp"

namespace fs = std::filesystem;

namespace {

const fs::path root = GAS_SOURCE;

struct Source {
  std::string path;  // from the root
  std::string text;
};

std::vector<Source> sources_below(const std::string& folder) {
  std::vector<Source> found;
  for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
    const auto extension = entry.path().extension();
    if (extension == ".hpp" || extension == ".cpp")
      found.push_back({fs::relative(entry.path(), root), gas_test::read_text(entry.path())});
  }
  return found;
}

std::vector<std::string> matches(const std::string& text, const std::regex& pattern) {
  std::vector<std::string> found;
  for (std::sregex_iterator i(text.begin(), text.end(), pattern), end; i != end; ++i)
    found.push_back((*i)[1]);
  return found;
}

/// What a folder of tools may include: these of tools/support, `more`, and the libraries.
std::vector<std::string> within_support(const std::vector<std::string>& folders,
                                        std::vector<std::string> more = {}) {
  for (const std::string& folder : folders) more.push_back("tools/support/" + folder + "/");
  more.insert(more.end(), {"programs/calls/", "loaders/", "partition/", "gas/"});
  return more;
}

}  // namespace

TEST_CASE("folders include only what lies below them", "[tree]") {
  const std::map<std::string, std::vector<std::string>> allowed = {
      {"gas/base", {"gas/base/"}},
      {"gas/graph", {"gas/graph/", "gas/base/"}},
      {"gas", {"gas/"}},
      {"partition", {"partition/", "gas/graph/", "gas/base/"}},
      {"loaders", {"loaders/", "gas/graph/", "gas/base/"}},
      {"programs", {"programs/", "loaders/", "partition/", "gas/"}},
      {"tools", {"tools/", "programs/", "loaders/", "partition/", "gas/"}},
      {"tools/support/process", within_support({"process"})},
      {"tools/support/show", within_support({"show", "process"})},
      {"tools/support/output", within_support({"output", "show", "process"})},
      {"tools/support/command", within_support({"command", "show", "process"})},
      {"tools/support/report", within_support({"report", "output", "show", "process"})},
      {"tools/support/run",
       within_support({"run", "report", "command", "output", "show", "process"})},
      {"tools/support/sample", within_support({"sample"})},
      {"tools/support/points",
       within_support({"points", "sample", "run", "command", "output", "show"})},
      {"tools/support/ids", within_support({"ids", "report", "run", "command", "output", "show"})},
      {"tools/support/graph",
       within_support({"graph", "sample", "ids", "run", "command", "output", "show"})},
      {"tools/support/linear",
       within_support({"linear", "graph", "ids", "report", "run", "command", "output", "show"})},
      {"tools/support/partition",
       within_support({"partition", "report", "run", "command", "output", "show"})},
      {"tools/support/memory",
       within_support({"memory", "points", "graph", "ids", "run", "command", "output", "show"})},
      {"tools/support/search",
       within_support({"search", "memory", "graph", "ids", "run", "command", "output", "show"})},
      {"tools/als", within_support({}, {"tools/als/", "tools/support/", "programs/"})},
      {"tools/kmeans", within_support({}, {"tools/kmeans/", "tools/support/", "programs/"})},
      {"tools/pagerank", within_support({}, {"tools/pagerank/", "tools/support/", "programs/"})},
      {"tools/partition", within_support({}, {"tools/partition/", "tools/support/"})},
      {"tools/lasso", within_support({}, {"tools/lasso/", "tools/support/", "programs/"})},
      {"tools/lda", within_support({}, {"tools/lda/", "tools/support/", "programs/"})},
      {"tools/report",
       within_support({"report", "run", "command", "output", "show"}, {"tools/report/"})},
      {"tools/plan", within_support({"process", "command", "show"}, {"tools/plan/"})},
      {"tools/run", within_support({"process", "command"}, {"tools/run/"})},
      {"tools/logreg", within_support({}, {"tools/logreg/", "tools/support/", "programs/"})},
  };
  const std::regex include(R"(#include "([^"]*)\")");
  std::size_t seen = 0;
  for (const auto& [folder, below] : allowed)
    for (const Source& source : sources_below(folder))
      for (const std::string& included : matches(source.text, include)) {
        ++seen;
        INFO(source.path << " includes " << included);
        CHECK(std::ranges::any_of(below, [&](auto& start) { return included.starts_with(start); }));
        CHECK(fs::exists(root / included));  // by its path from the root
      }
  CHECK(seen > 50);
}

TEST_CASE("sub-folders include each other in no circle", "[tree]") {
  const std::regex include(R"(#include "([^"]*)\")");
  for (const char* library : {"gas", "partition", "loaders", "programs"}) {
    std::vector<Source> sources = sources_below(library);
    std::set<std::string> folders, parents;
    for (const Source& source : sources) folders.insert(fs::path(source.path).parent_path());
    for (const std::string& folder : folders)
      for (fs::path up = folder; up.has_parent_path();) parents.insert(up = up.parent_path());
    // Files beside sub-folders count one by one.
    const auto node = [&](const std::string& path) {
      const std::string folder = fs::path(path).parent_path();
      return parents.contains(folder) ? path : folder;
    };
    std::map<std::string, std::set<std::string>> includes;
    for (const Source& source : sources)
      for (const std::string& included : matches(source.text, include))
        if (included.starts_with(library + std::string("/")) && node(included) != node(source.path))
          includes[node(source.path)].insert(node(included));
    // What includes nothing that is left is taken away; what stays is a circle or leads into one.
    for (bool fewer = true; fewer;) {
      fewer = false;
      for (auto i = includes.begin(); i != includes.end();) {
        std::erase_if(i->second, [&](auto& other) { return !includes.contains(other); });
        fewer = fewer || i->second.empty();
        i = i->second.empty() ? includes.erase(i) : std::next(i);
      }
    }
    for (const auto& [from, to] : includes) {
      INFO(from << " includes " << *to.begin());
      CHECK(to.empty());
    }
  }
}

TEST_CASE("only tools touch the terminal, the environment and exit codes", "[tree]") {
  const std::regex touch(R"(\b(getenv|setenv|isatty|argv|exit|_exit|cout|cerr|stdout|stderr)\b)");
  for (const char* folder : {"gas", "partition", "loaders", "programs"})
    for (const Source& source : sources_below(folder)) {
      if (source.path == "partition/metis/call.cpp") continue;  // METIS must not write on stdout
      INFO(source.path);
      CHECK(matches(std::regex_replace(source.text, std::regex("//.*"), ""), touch) ==
            std::vector<std::string>{});
    }
}

TEST_CASE("only gas-run and gas-plan start programs, and nothing opens a port", "[tree]") {
  const std::regex start(R"(\b(system|popen|exec[lv]p?e?|posix_spawnp?|dlopen|fork)\s*\()");
  const std::regex port(R"((\bsocket|::bind|\blisten|::accept4?)\s*\()");
  for (const char* folder : {"gas", "partition", "loaders", "programs", "tools"})
    for (const Source& source : sources_below(folder)) {
      INFO(source.path);
      const std::string code = std::regex_replace(source.text, std::regex("//.*"), "");
      CHECK(matches(code, port) == std::vector<std::string>{});
      if (!source.path.starts_with("tools/run/") && source.path != "tools/plan/command.cpp")
        CHECK(matches(code, start) == std::vector<std::string>{});
    }
}

TEST_CASE("vertex programs leave threads, messages and the graph to the engine", "[tree]") {
  const std::regex own(
      R"((std::j?thread|std::mutex|tbb::|MPI_|async_send|local_receive|Adjacency))");
  for (const Source& source : sources_below("programs")) {
    if (source.path.ends_with("/local_components.hpp")) continue;  // a kernel of a rank's piece
    if (source.path.ends_with("/calls/graph.cpp")) continue;       // callers' threads share a graph
    INFO(source.path);
    CHECK(matches(source.text, own) == std::vector<std::string>{});
  }
}

TEST_CASE("headers are guarded, and nothing is left for later", "[tree]") {
  const std::regex later(R"(\b(TODO|FIXME|XXX)\b)");
  for (const char* folder : {"gas", "partition", "loaders", "programs", "tools", "tests"})
    for (const Source& source : sources_below(folder)) {
      if (source.path == "tests/tools/test_tree.cpp") continue;
      INFO(source.path);
      CHECK(matches(source.text, later) == std::vector<std::string>{});
      if (source.path.ends_with(".hpp")) CHECK(source.text.starts_with("#pragma once\n"));
    }
}

TEST_CASE("folders and files stay small", "[tree]") {
  std::map<std::string, std::size_t> files;  // of a folder
  for (const char* folder : {"gas", "partition", "loaders", "programs", "tools"})
    for (const Source& source : sources_below(folder)) {
      ++files[fs::path(source.path).parent_path()];
      INFO(source.path);
      const auto lines = std::ranges::count(source.text, '\n');
      if (source.path.starts_with("gas/engine/")) CHECK(lines <= 300);
      if (fs::path(source.path).filename().string().starts_with("gas_")) CHECK(lines <= 120);
      if (source.path.ends_with("program.hpp")) {
        const std::regex code(R"((?:^|\n)[ \t]*(?!//)([^ \t\n]))");
        CHECK(matches(source.text, code).size() <= 150);
      }
    }
  for (const auto& [folder, count] : files) {
    INFO(folder);
    CHECK(count <= 20);
  }
}
