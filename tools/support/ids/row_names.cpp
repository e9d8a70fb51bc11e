#include "tools/support/ids/row_names.hpp"

#include <algorithm>
#include <string_view>
#include <unordered_map>

namespace gas::tools {

std::vector<std::string> all_ids(Communicator& comm, const loaders::RowIds& ids) {
  std::string text;
  ids.for_each(comm, [&](std::string_view id) { (text += id) += '\n'; });
  text = broadcast_text(comm, text);
  std::vector<std::string> lines;
  for (auto at = text.begin(); at != text.end();) {
    const auto end = std::find(at, text.end(), '\n');
    lines.emplace_back(at, end);
    at = end + 1;
  }
  return lines;
}

std::vector<std::string> texts_of(Communicator& comm, const loaders::RowIds& ids,
                                  std::span<const VertexId> rows) {
  const BlockDistribution blocks{ids.rows(), comm.size()};
  std::vector<std::vector<VertexId>> asked(static_cast<std::size_t>(comm.size()));
  for (const VertexId row : rows) asked[static_cast<std::size_t>(blocks.owner(row))].push_back(row);
  const auto questions = all_to_all(comm, asked);
  std::vector<std::vector<char>> answers(questions.size());
  for (std::size_t from = 0; from < questions.size(); ++from)
    for (const VertexId row : questions[from]) {
      const std::string id = ids.local_text(comm, row - blocks.first(comm.rank()));
      answers[from].insert(answers[from].end(), id.c_str(), id.c_str() + id.size() + 1);
    }
  const auto told = all_to_all(comm, std::move(answers));
  std::vector<const char*> next;
  for (const auto& block : told) next.push_back(block.data());
  std::vector<std::string> texts;
  for (const VertexId row : rows) {
    const auto from = static_cast<std::size_t>(blocks.owner(row));
    texts.emplace_back(next[from]);  // ids hold no NUL
    next[from] += texts.back().size() + 1;
  }
  return texts;
}

VertexId row_of(Communicator& comm, const loaders::RowIds& ids, std::string_view id) {
  const auto found = ids.local_find(comm, id);
  const std::uint64_t first = BlockDistribution{ids.rows(), comm.size()}.first(comm.rank());
  return all_min(comm, found ? to_vertex_id(first + *found) : no_row);
}

IdList::IdList(std::vector<std::string> list) : count_(list.size()), list_(std::move(list)) {}

IdList::IdList(Communicator& comm, const loaders::RowIds& rows)
    : count_(rows.rows()), base_(rows.base()) {
  if (rows.kind() == IdKind::consecutive)
    first_ = rows.first();
  else
    list_ = all_ids(comm, rows);
}

std::string IdList::text(std::uint64_t i) const {
  return list_.empty() ? std::to_string(first_ + i) : list_[i];
}

std::vector<VertexId> IdList::rows_among(const IdList& others) const {
  std::vector<VertexId> rows(count_, no_row);
  if (list_.empty() && others.list_.empty()) {
    for (std::uint64_t i = 0; i < count_; ++i) {
      const std::uint64_t id = first_ + i;
      if (id >= others.first_ && id - others.first_ < others.count_)
        rows[i] = to_vertex_id(id - others.first_);
    }
    return rows;
  }
  std::unordered_map<std::string, VertexId> row_of;
  for (std::uint64_t i = 0; i < others.count_; ++i) row_of.emplace(others.text(i), i);
  for (std::uint64_t i = 0; i < count_; ++i)
    if (const auto found = row_of.find(text(i)); found != row_of.end()) rows[i] = found->second;
  return rows;
}

std::vector<VertexId> rows_among(Communicator& comm, const loaders::RowIds& ids,
                                 const std::vector<std::string>& known) {
  return IdList(comm, ids).rows_among(IdList(known));
}

}  // namespace gas::tools
