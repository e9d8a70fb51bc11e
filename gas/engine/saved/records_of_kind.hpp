#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gas/base/function_ref.hpp"
#include "gas/checkpoint/archive.hpp"
#include "gas/checkpoint/delivery.hpp"
#include "gas/checkpoint/rank_file.hpp"
#include "gas/graph/local_graph.hpp"

namespace gas {

/// Of each kind of vertices a checkpoint file has so many sections: the ids of a rank's masters,
/// the sizes of their records, the records, and the ids and flags of its mirrors that have flags.
constexpr std::size_t sections_of_kind = 4;

/// Appends those; `flags` are those of all mirrors, in order of their local ids.
void append_kind(Sections& sections, const VertexLayout& layout, std::vector<std::uint32_t> sizes,
                 Bytes records, const std::vector<std::uint8_t>& flags);

/// Empty where there are fewer files. InputError where the file has too few sections.
const Bytes& section_at(const std::vector<Sections>& files, std::size_t file, std::size_t section);

/// InputError unless the program keeps as many bytes of `what` as were found.
void require_kept(const std::string& what, std::size_t found, std::size_t kept);

/// What was read of one kind, for the masters of this rank.
class RecordsOfKind {
 public:
  /// Takes them from the sections of `files` from `first` on: each rank's part, to the ranks that
  /// have the masters now. InputError on all ranks where they are not whole. Collective.
  RecordsOfKind(Communicator& comm, const std::vector<Sections>& files, std::size_t first,
                const VertexLayout& layout);

  /// take(v, archive) for each master. InputError where it leaves something of its record.
  void local_take(FunctionRef<void(LocalId, ReadingArchive&)> take) const;
  /// add(v, flags) for the flags of each mirror, v its master.
  void local_take_flags(FunctionRef<void(LocalId, std::uint8_t)> add) const;

 private:
  LocalId find(VertexId id) const;

  const VertexLayout& layout_;
  VertexRecords records_, of_mirrors_;
  std::vector<LocalId> sorted_;  // masters by ascending row
};

}  // namespace gas
