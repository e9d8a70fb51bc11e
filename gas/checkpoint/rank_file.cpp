#include "gas/checkpoint/rank_file.hpp"

#include <xxhash.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <fstream>

#include "gas/base/error.hpp"
#include "gas/base/whole_file.hpp"

namespace gas {
namespace {

namespace fs = std::filesystem;

constexpr std::array<char, 8> magic{'g', 'a', 's', 'c', 'k', 'p', 't', '1'};

struct Entry {
  std::uint64_t bytes = 0, sum = 0;
};
struct End {
  std::uint64_t sections = 0;
  std::uint64_t sum = 0;  // of the entries
  std::array<char, 8> magic{};
};

std::uint64_t sum_of(std::span<const std::byte> bytes) {
  return XXH64(bytes.data(), bytes.size(), 0);
}

std::vector<Entry> table_of(const Sections& sections) {
  std::vector<Entry> table;
  for (const Bytes& section : sections) table.push_back({section.size(), sum_of(section)});
  return table;
}

constexpr const char* expected = "a complete checkpoint file";

/// The sizes and checksums of a file's sections.
std::vector<Entry> read_table(const fs::path& path, std::span<const std::byte> file,
                              std::uint64_t sum) {
  const auto damaged = [&](const char* found) {
    return located_error(path, 0, 0, found, expected);
  };
  End end;
  if (file.size() < sizeof end) throw damaged("too few bytes");
  std::memcpy(&end, file.data() + file.size() - sizeof end, sizeof end);
  if (end.magic != magic) throw damaged("a file without the end mark of checkpoints");
  std::uint64_t left = file.size() - sizeof end;
  if (end.sections > left / sizeof(Entry)) throw damaged("a damaged table of sections");
  left -= end.sections * sizeof(Entry);
  const auto entries = file.subspan(left, end.sections * sizeof(Entry));
  if (sum_of(entries) != end.sum) throw damaged("a damaged table of sections");
  if (end.sum != sum) throw damaged("a file of another checkpoint");
  std::vector<Entry> table = from_bytes<Entry>(entries);
  for (const Entry& entry : table) {
    if (entry.bytes > left) throw damaged("fewer bytes than its sections have");
    left -= entry.bytes;
  }
  if (left != 0) throw damaged("more bytes than its sections have");
  return table;
}

}  // namespace

void write_sections(const fs::path& path, const Sections& sections) {
  const std::vector<Entry> table = table_of(sections);
  const auto entries = std::as_bytes(std::span(table));
  const End end{table.size(), sum_of(entries), magic};
  local_write(path, [&](std::ostream& file) {
    const auto write = [&](std::span<const std::byte> bytes) {
      file.write(reinterpret_cast<const char*>(bytes.data()),
                 static_cast<std::streamsize>(bytes.size()));
    };
    for (const Bytes& section : sections) write(section);
    write(entries);
    write(std::as_bytes(std::span(&end, 1)));
  });
}

std::uint64_t table_sum(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  End end;
  file.seekg(-static_cast<std::streamoff>(sizeof end), std::ios::end);
  file.read(reinterpret_cast<char*>(&end), sizeof end);
  if (!file || end.magic != magic)
    throw located_error(path, 0, 0, "a file without the end mark of checkpoints", expected);
  return end.sum;
}

Sections read_sections(const fs::path& path, std::uint64_t sum) {
  const MappedFile file(path);
  Sections sections;
  std::size_t at = 0;
  for (const Entry& entry : read_table(path, file.bytes(), sum)) {
    const auto bytes = file.bytes().subspan(at, entry.bytes);
    if (sum_of(bytes) != entry.sum) throw located_error(path, 0, 0, "a damaged section", expected);
    sections.emplace_back(bytes.begin(), bytes.end());
    at += entry.bytes;
  }
  return sections;
}

}  // namespace gas
