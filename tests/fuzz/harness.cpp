#include "tests/fuzz/harness.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "gas/base/error.hpp"
#include "gas/exchange/local_transport.hpp"
#include "tests/loaders/files.hpp"

namespace gas_fuzz {
namespace {

namespace fs = std::filesystem;

struct Scratch {
  Scratch() {
    std::string name = fs::exists("/dev/shm") ? "/dev/shm/gas-fuzz-XXXXXX" : "/tmp/gas-fuzz-XXXXXX";
    expect(::mkdtemp(name.data()) != nullptr, "no scratch folder");
    path = name;
  }
  ~Scratch() {
    std::error_code ignored;
    fs::remove_all(path, ignored);
  }
  std::string path;
};

std::string without(std::string text, const std::string& path) {
  for (std::size_t at = text.find(path); at != std::string::npos; at = text.find(path, at))
    text.replace(at, path.size(), "FILE");
  return text;
}

std::string pack(std::string_view content, Way::Packed packed) {
  if (packed == Way::Packed::gzip) return gas_test::gzip(content);
  if (packed == Way::Packed::zstd) return gas_test::zstd(content);
  return std::string(content);
}

std::string read_in(std::string_view content, const Read& read, const Way& way) {
  const MemoryFile file(pack(content, way.packed));
  return without(
      on_ranks(way.ranks, [&](gas::Communicator& comm) { return read(comm, file.path(), way); }),
      file.path());
}

void compare(std::string_view content, const Read& read, std::span<const Way> ways, bool binary) {
  const std::string expected = read_in(content, read, {});
  const std::size_t chosen = std::hash<std::string_view>()(content) % ways.size();
  for (std::size_t i = 0; i < ways.size(); ++i) {
    if (!thorough && i != chosen) continue;
    const Way& way = ways[i];
    const std::string found = read_in(content, read, way);
    // Of two errors in a binary file, one that is packed shows the first, a plain one its size, and
    // of columns each rank its own rows.
    const bool both_refuse = found.starts_with("input: ") && expected.starts_with("input: ");
    if (found == expected || (binary && both_refuse)) continue;
    std::fprintf(stderr, "serially:\n%s\non %d ranks, packed %d, %u threads, blocks of %zu:\n%s\n",
                 expected.c_str(), way.ranks, static_cast<int>(way.packed), way.threads, way.block,
                 found.c_str());
    expect(false, "the same in all ways");
  }
}

using enum Way::Packed;
constexpr std::array<Way, 9> all_ways{{{2, no},
                                       {3, no},
                                       {1, gzip},
                                       {1, zstd},
                                       {2, gzip, 1, 40},
                                       {3, zstd, 2, 16},
                                       {1, no, 2, 24},
                                       {2, no, 2, 16},
                                       {3, no, 1, 64}}};
constexpr std::array<Way, 4> other_ranks{{{2, no}, {3, no}, {2, no, 1, 16}, {1, no, 2, 40}}};

}  // namespace

bool thorough = false;

void expect(bool holds, const std::string& what) {
  if (holds) return;
  std::fprintf(stderr, "finding: not %s\n", what.c_str());
  std::abort();
}

MemoryFile::MemoryFile(std::string_view content)
    : descriptor_(::memfd_create("input", MFD_CLOEXEC)),
      path_("/proc/self/fd/" + std::to_string(descriptor_)) {
  expect(descriptor_ >= 0, "a file in memory");
  expect(
      ::write(descriptor_, content.data(), content.size()) == static_cast<ssize_t>(content.size()),
      "written to memory");
}

MemoryFile::~MemoryFile() { ::close(descriptor_); }

const std::string& scratch() {
  static const Scratch folder;
  return folder.path;
}

void write_file(const std::string& path, std::string_view content) {
  std::ofstream(path, std::ios::binary) << content;
}

std::string on_ranks(int ranks, const std::function<std::string(gas::Communicator& comm)>& work) {
  std::vector<std::string> said(static_cast<std::size_t>(ranks));
  const auto rank_main = [&](gas::Communicator& comm) {
    std::string& mine = said[static_cast<std::size_t>(comm.rank())];
    const auto failed = [&](const char* kind, const std::exception& error) {
      expect(ranks == 1 || dynamic_cast<const gas::ThrownTogether*>(&error) != nullptr,
             std::string("thrown together: ") + error.what());
      mine = std::string(kind) + ": " + error.what();
    };
    try {
      mine = work(comm);
    } catch (const gas::InputError& error) {
      failed("input", error);
    } catch (const gas::UsageError& error) {
      failed("usage", error);
    } catch (const gas::RunError& error) {
      failed("run", error);
    }
  };
  if (ranks == 1)
    rank_main(*gas::make_lone_transport());
  else
    gas::run_local_ranks(ranks, rank_main);
  for (const std::string& other : said) expect(other == said[0], "alike on all ranks: " + other);
  return said[0];
}

void same_in_all_ways(std::string_view content, const Read& read, bool binary) {
  const bool packed = content.starts_with("\x1f\x8b") || content.starts_with("\x28\xb5\x2f\xfd");
  compare(content, read, packed ? std::span<const Way>(other_ranks) : all_ways, binary);
}

void same_on_all_ranks(std::string_view content, const Read& read) {
  compare(content, read, other_ranks, false);
}

std::string_view first_line(std::string_view& data) {
  const std::string_view line = data.substr(0, data.find('\n'));
  data.remove_prefix(std::min(data.size(), line.size() + 1));
  return line;
}

void take_letter(gas::loaders::TableOptions& table, char letter) {
  using Header = gas::loaders::TableOptions::Header;
  if (letter == 'y') table.header = Header::yes;
  if (letter == 'n') table.header = Header::no;
  if (letter == 't') table.delimiter.assign(1, '\t');
  if (letter == ' ' || letter == ',' || letter == ';' || letter == '|')
    table.delimiter.assign(1, letter);
  if (letter == ':') table.delimiter.assign(2, ':');
  if (letter >= '1' && letter <= '4') table.columns.emplace_back(1, letter);
  if (letter == '-') table.columns.emplace_back("2-");
  if (letter == 'X') table.columns.emplace_back("x");
}

void tell(std::string& text, gas::Communicator& comm, const gas::loaders::RowIds& ids) {
  text += std::to_string(ids.rows()) + " " + std::to_string(static_cast<int>(ids.kind())) + " " +
          std::to_string(ids.first()) + " " + std::to_string(ids.base()) + " " +
          std::to_string(ids.missing()) + "\n";
  if (ids.kind() == gas::IdKind::consecutive) return;
  std::vector<char> all;  // on rank 0
  ids.for_each(comm, [&](std::string_view id) {
    all.insert(all.end(), id.begin(), id.end());
    all.push_back('\n');
  });
  tell(text, comm, all);
}

void tell(std::string& text, gas::Communicator& comm, const gas::loaders::Names& mine) {
  std::vector<char> all;
  for (std::size_t i = 0; i < mine.size(); ++i) {
    all.insert(all.end(), mine[i].begin(), mine[i].end());
    all.push_back('\n');
  }
  tell(text, comm, all);
}

}  // namespace gas_fuzz
