#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gas/base/communicator.hpp"
#include "loaders/ids/row_ids.hpp"
#include "loaders/text/table.hpp"

namespace gas_fuzz {

/// Ends the process with a message unless `holds`: a finding.
void expect(bool holds, const std::string& what);

/// A file of this process that has a path and lies in memory.
class MemoryFile {
 public:
  explicit MemoryFile(std::string_view content);
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  ~MemoryFile();
  const std::string& path() const { return path_; }

 private:
  int descriptor_;
  std::string path_;
};

/// A folder of this process in memory, made at the first call and removed at the end.
const std::string& scratch();
void write_file(const std::string& path, std::string_view content);

/// How a file is read.
struct Way {
  int ranks = 1;
  enum class Packed { no, gzip, zstd } packed = Packed::no;
  unsigned threads = 1;
  std::size_t block = std::size_t{8} << 20;  // bytes
};

/// What a reader says of a file: all that it read, of all ranks, the same on every rank.
/// Collective.
using Read =
    std::function<std::string(gas::Communicator& comm, const std::string& path, const Way& way)>;

/// What `work` says on so many ranks of this process; of an error its message. A finding: ranks
/// that disagree, one that fails alone, any exception but those of gas/base/error.hpp.
std::string on_ranks(int ranks, const std::function<std::string(gas::Communicator& comm)>& work);

/// Reads the content serially and in one other way, which a hash of it chooses (in all ways if
/// `thorough`). A finding: what they say differs.
void same_in_all_ways(std::string_view content, const Read& read, bool binary = false);
/// The same for content that is to be left as it is: more ranks, threads and smaller blocks alone.
void same_on_all_ranks(std::string_view content, const Read& read);
extern bool thorough;

/// Cuts off and returns the first line.
std::string_view first_line(std::string_view& data);

/// Sets what the letter stands for, if anything: how a table is read.
void take_letter(gas::loaders::TableOptions& table, char letter);

/// Adds the values of all ranks, by rank, and how many they are. Collective.
template <gas::Plain T>
void tell(std::string& text, gas::Communicator& comm, const std::vector<T>& mine) {
  const auto all = gas::all_gather(comm, std::span<const T>(mine));
  std::size_t count = 0;
  for (const auto& block : all) count += block.size();
  text += std::to_string(count) + ":";
  for (const auto& block : all)
    text.append(reinterpret_cast<const char*>(block.data()), block.size_bytes());
  text += '\n';
}
void tell(std::string& text, gas::Communicator& comm, const gas::loaders::RowIds& ids);
void tell(std::string& text, gas::Communicator& comm, const gas::loaders::Names& mine);

}  // namespace gas_fuzz
