#include "gas/exchange/owners.hpp"

#include <map>

namespace gas {

void Owners::resize(Communicator& comm, const VertexLayout& layout) {
  ranks_ = comm.size();
  self_ = comm.rank();
  masters_ = layout.masters();
  const auto masters = std::span(layout.rows).first(masters_);
  identity_ = alone();
  for (LocalId v = 0; v < masters_ && identity_; ++v) identity_ = masters[v] == v;
  if (identity_) return;

  if (layout.count <= 4 * std::uint64_t{masters_} + (1U << 20U)) {
    table_.assign(layout.count, unknown);
    for (LocalId v = 0; v < masters_; ++v) table_[masters[v]] = v;
  } else {
    for (LocalId v = 0; v < masters_; ++v) sorted_.push_back({masters[v], v});
    std::ranges::sort(sorted_, {}, &Known::row);
  }

  blocks_ = {layout.count, ranks_};
  first_ = blocks_.first(self_);
  owner_.assign(blocks_.count(self_), 0);
  std::vector<std::vector<VertexId>> mine(static_cast<std::size_t>(ranks_));
  for (const VertexId row : masters)
    mine[static_cast<std::size_t>(blocks_.owner(row))].push_back(row);
  const auto theirs = all_to_all(comm, std::move(mine));
  for (std::size_t rank = 0; rank < theirs.size(); ++rank)
    for (const VertexId row : theirs[rank]) owner_[row - first_] = static_cast<int>(rank);
}

LocalId Owners::meet(VertexId row) {
  if (const LocalId id = find(row); id != unknown) return id - masters_;
  const auto number = static_cast<LocalId>(rows_.size());
  if (!table_.empty())
    table_[row] = masters_ + number;
  else
    others_.emplace(row, masters_ + number);
  rows_.push_back(row);
  ranks_of_.push_back(blocks_.owner(row) == self_ ? owner_[row - first_] : nobody);
  return number;
}

void Owners::count_asked(std::span<std::uint32_t> ranks) const {
  for (std::size_t i = looked_up_; i < rows_.size(); ++i)
    if (ranks_of_[i] == nobody) ranks[static_cast<std::size_t>(blocks_.owner(rows_[i]))] = 1;
}

void Owners::look_up(Mailbox& mailbox, std::uint64_t question_tag, std::uint64_t answer_tag,
                     std::uint32_t asked) {
  std::map<int, std::vector<VertexId>> questions;
  for (std::size_t i = looked_up_; i < rows_.size(); ++i)
    if (ranks_of_[i] == nobody) questions[blocks_.owner(rows_[i])].push_back(rows_[i]);
  for (const auto& [rank, rows] : questions)
    mailbox.async_send(rank, Purpose::control, question_tag, to_bytes(std::span(rows)));
  for (const auto& [rank, bytes] : mailbox.take_any(question_tag, asked)) {
    std::vector<int> owners;
    for (const VertexId row : from_bytes<VertexId>(bytes)) owners.push_back(owner_[row - first_]);
    mailbox.async_send(rank, Purpose::control, answer_tag, to_bytes(std::span<const int>(owners)));
  }
  for (const auto& [rank, rows] : questions) {
    const std::vector<int> owners = from_bytes<int>(mailbox.take(rank, answer_tag));
    for (std::size_t i = 0; i < rows.size(); ++i) ranks_of_[find(rows[i]) - masters_] = owners[i];
  }
  looked_up_ = rows_.size();
}

}  // namespace gas
