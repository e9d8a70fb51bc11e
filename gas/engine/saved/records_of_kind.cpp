#include "gas/engine/saved/records_of_kind.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>

#include "gas/base/error.hpp"

namespace gas {

void append_kind(Sections& sections, const VertexLayout& layout, std::vector<std::uint32_t> sizes,
                 Bytes records, const std::vector<std::uint8_t>& flags) {
  sections.push_back(
      to_bytes(std::span<const VertexId>(layout.rows.data(), std::size_t{layout.masters()})));
  if (std::ranges::adjacent_find(sizes, std::not_equal_to<>()) == sizes.end())
    sizes.erase(sizes.begin() + (sizes.empty() ? 0 : 1), sizes.end());  // they are all alike
  sections.push_back(to_bytes(std::span<const std::uint32_t>(sizes)));
  sections.push_back(std::move(records));
  std::vector<VertexId> ids;
  std::vector<std::uint8_t> set;
  for (std::size_t mirror = 0; mirror < flags.size(); ++mirror)
    if (flags[mirror] != 0) {
      ids.push_back(layout.rows[layout.masters() + mirror]);
      set.push_back(flags[mirror]);
    }
  sections.push_back(archived([&](auto& archive) { archive& ids& set; }));
}

const Bytes& section_at(const std::vector<Sections>& files, std::size_t file, std::size_t section) {
  static const Bytes nothing;
  if (file >= files.size()) return nothing;
  if (section >= files[file].size())
    throw InputError(
        "found a checkpoint file with too few sections, expected those of this program");
  return files[file][section];
}

void require_kept(const std::string& what, std::size_t found, std::size_t kept) {
  if (found != kept)
    throw InputError(fmt::format(
        "found {} bytes of {} in the checkpoint, expected the {} that this program keeps: another "
        "version of it wrote the checkpoint",
        found, what, kept));
}

RecordsOfKind::RecordsOfKind(Communicator& comm, const std::vector<Sections>& files,
                             std::size_t first, const VertexLayout& layout)
    : layout_(layout), sorted_(layout.masters()) {
  together(comm, [&] {
    for (std::size_t f = 0; f < files.size(); ++f) {
      const auto ids = from_bytes<VertexId>(section_at(files, f, first));
      auto sizes = from_bytes<std::uint32_t>(section_at(files, f, first + 1));
      const Bytes& bytes = section_at(files, f, first + 2);
      if (sizes.size() == 1) sizes = std::vector<std::uint32_t>(ids.size(), sizes.front());
      std::vector<VertexId> more;
      std::vector<std::uint8_t> flags;
      ReadingArchive archive(section_at(files, f, first + 3));
      archive& more& flags;
      const auto stranger = [&](VertexId id) { return id >= layout.count; };
      if (sizes.size() != ids.size() || more.size() != flags.size() ||
          std::accumulate(sizes.begin(), sizes.end(), std::uint64_t{0}) != bytes.size() ||
          std::ranges::any_of(ids, stranger) || std::ranges::any_of(more, stranger))
        throw InputError(
            "found a checkpoint file whose sections contradict each other, expected an undamaged "
            "one");
      records_.ids.insert(records_.ids.end(), ids.begin(), ids.end());
      records_.sizes.insert(records_.sizes.end(), sizes.begin(), sizes.end());
      records_.bytes.insert(records_.bytes.end(), bytes.begin(), bytes.end());
      of_mirrors_.ids.insert(of_mirrors_.ids.end(), more.begin(), more.end());
      for (const std::uint8_t flag : flags) of_mirrors_.bytes.push_back(std::byte{flag});
    }
  });
  const std::span<const VertexId> masters(layout.rows.data(), layout.masters());
  records_ = deliver(comm, layout.count, masters, std::move(records_));
  of_mirrors_.sizes.assign(of_mirrors_.ids.size(), 1);
  of_mirrors_ = deliver(comm, layout.count, masters, std::move(of_mirrors_));
  std::iota(sorted_.begin(), sorted_.end(), LocalId{0});
  std::ranges::sort(sorted_, {}, [&](LocalId v) { return layout.rows[v]; });
}

void RecordsOfKind::local_take(FunctionRef<void(LocalId, ReadingArchive&)> take) const {
  if (records_.ids.size() != layout_.masters())
    throw InputError(fmt::format("found {} vertices of this rank in the checkpoint, expected {}",
                                 records_.ids.size(), layout_.masters()));
  std::span<const std::byte> left(records_.bytes);
  for (std::size_t i = 0; i < records_.ids.size(); ++i) {
    const std::uint32_t size = records_.sizes[i];
    ReadingArchive archive(left.first(size));
    take(find(records_.ids[i]), archive);
    if (archive.left() > 0)
      require_kept(fmt::format("vertex {}", records_.ids[i]), size, size - archive.left());
    left = left.subspan(size);
  }
}

void RecordsOfKind::local_take_flags(FunctionRef<void(LocalId, std::uint8_t)> add) const {
  for (std::size_t i = 0; i < of_mirrors_.ids.size(); ++i)
    add(find(of_mirrors_.ids[i]), static_cast<std::uint8_t>(of_mirrors_.bytes[i]));
}

LocalId RecordsOfKind::find(VertexId id) const {
  const auto at =
      std::ranges::lower_bound(sorted_, id, {}, [&](LocalId v) { return layout_.rows[v]; });
  if (at == sorted_.end() || layout_.rows[*at] != id)
    throw InputError(
        fmt::format("found vertex {} in the checkpoint, expected vertices of this rank", id));
  return *at;
}

}  // namespace gas
