// Every truncation and every flipped byte of what runs wrote and later runs read: found, and the
// file named, or harmless, so that the very same comes out.
#include <catch2/catch.hpp>
#include <filesystem>
#include <functional>
#include <set>

#include "gas/base/error.hpp"
#include "gas/exchange/local_transport.hpp"
#include "loaders/load_points.hpp"
#include "loaders/read_small.hpp"
#include "tests/tools/support/process.hpp"
#include "tools/support/output/model_folder.hpp"

using namespace gas_test;
using Arguments = std::vector<std::string>;
namespace fs = std::filesystem;

namespace {

/// A model of each tool that has one, by tool: the command that makes it.
std::vector<std::pair<std::string, Arguments>> models(const TemporaryFolder& folder) {
  const auto file = [&](const std::string& name, const std::string& text) {
    write_text(folder / name, text);
    return folder / name;
  };
  const std::string ratings = file("ratings", "1 1 5\n1 2 3\n2 1 4\n2 7 1\n");
  const std::string points = file("points.csv", "1,2\n2,1\n8,9\n9,8\n");
  const std::string docs = file("docword.txt", "2\n3\n4\n1 1 2\n1 2 1\n2 2 2\n2 3 1\n");
  const std::string examples = file("e.svm", "1 1:1 2:1\n-1 2:1 3:2\n1 1:2\n-1 3:1\n");
  return {{"gas-als", {ratings, "--rank", "1", "--iterations", "2"}},
          {"gas-kmeans", {points, "-k", "2"}},
          {"gas-lda", {docs, "--topics", "2", "--iterations", "2"}},
          {"gas-logreg", {examples}}};
}

/// What becomes of `text` when it is damaged: cut at every length, every byte changed in one bit
/// and in all.
void each_damage(const std::string& text, const std::function<void(const std::string&)>& take) {
  for (std::size_t size = 0; size < text.size(); ++size) take(text.substr(0, size));
  for (std::size_t at = 0; at < text.size(); ++at)
    for (const int bits : {1 << at % 8, 0xff}) {
      std::string changed = text;
      changed[at] = static_cast<char>(changed[at] ^ bits);
      take(changed);
    }
}

/// What is said of it, or "nothing".
template <class Work>
std::string complaint(Work work) {
  try {
    work();
  } catch (const gas::InputError& error) {
    return error.what();
  }
  return "nothing";
}

}  // namespace

TEST_CASE("damage anywhere in a model is found, and the file named", "[output]") {
  const TemporaryFolder folder;
  const auto comm = gas::make_lone_transport();
  for (const auto& [tool, train] : models(folder)) {
    INFO(tool);
    const std::string model = folder / tool;
    Arguments arguments = train;
    arguments.insert(arguments.end(), {"-o", model, "--quiet"});
    REQUIRE(run(tool, 0, arguments).code == 0);
    const auto read = [&, &tool = tool] {
      return complaint([&] { gas::tools::ModelFolder(*comm, model, tool); });
    };
    REQUIRE(read() == "nothing");
    std::size_t files = 0;
    for (const auto& entry : fs::directory_iterator(model)) {
      const std::string path = entry.path(), text = read_text(path);
      INFO(path);
      std::size_t missed = 0;
      each_damage(text, [&](const std::string& damaged) {
        write_text(path, damaged);
        missed += read().find(path) == std::string::npos;
      });
      CHECK(missed == 0);

      // The tool itself.
      write_text(path, text.substr(0, text.size() - 1));
      const Finished finished = run(tool, 0, {train[0], "--model", model, "--apply"});
      CHECK(finished.code == 3);
      const Arguments said = tool_lines(finished.err);
      REQUIRE(said.size() == 1);
      CHECK_THAT(said[0], Catch::Contains(path));
      write_text(path, text);
      ++files;
    }
    CHECK(files >= 2);
    CHECK(run(tool, 0, {train[0], "--model", model, "--apply", "--quiet"}).code == 0);
  }
}

TEST_CASE("a damaged npy file is found, or read as it was", "[output]") {
  const TemporaryFolder folder;
  const std::vector<double> values = {0.5, 1, 2, 3, 4, 5};
  const auto comm = gas::make_lone_transport();
  std::string header("\x93NUMPY\x01\x00\x36\x00", 10);
  header += "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 2)}    \n";
  header[8] = static_cast<char>(header.size() - 10);
  const std::string whole = header + std::string(reinterpret_cast<const char*>(values.data()),
                                                 values.size() * sizeof(double));
  std::size_t found = 0, harmless = 0;
  // `data`: where bytes of numbers begin, which may be any in a file without checksum.
  const auto check = [&](const std::string& path, const std::string& text, std::size_t data) {
    each_damage(text, [&](const std::string& damaged) {
      if (damaged.size() == text.size() && damaged.substr(0, data) == text.substr(0, data)) return;
      write_text(path, damaged);
      gas::loaders::LoadedPoints points;
      gas::loaders::NpyArray array;
      const std::string as_points = complaint([&] {
        points = gas::loaders::load_points(*comm, path,
                                           {.format = gas::loaders::Format::npy, .wide = true});
      });
      const std::string as_array = complaint([&] { array = gas::loaders::read_npy(*comm, path); });
      CAPTURE(as_points, as_array);
      if (as_points == "nothing" || as_array == "nothing") {
        const std::vector<double> seen(points.values.begin(), points.values.end());
        REQUIRE(as_points == as_array);
        REQUIRE(seen == values);
        REQUIRE(array.values == values);
        REQUIRE(points.rows == 3);
        ++harmless;
      } else {
        REQUIRE(as_points.starts_with(path));
        REQUIRE(as_array.starts_with(path));
        ++found;
      }
    });
  };
  const std::string plain = folder / "p.npy";
  write_text(plain, whole);
  for (const Arguments& pack : {Arguments{"gzip", "-k", plain}, {"zstd", "-q", "-k", plain}})
    REQUIRE(Process(pack).wait().code == 0);
  check(plain, whole, header.size());
  for (const char* packed : {".gz", ".zst"}) {
    const std::string text = read_text(plain + packed);
    check(plain + packed, text, text.size());
  }
  CHECK(found > 700);
  CHECK(harmless > 10);  // blanks behind the dictionary, the time in gzip's header
}
