#include "loaders/ids/numeric_ids.hpp"

#include <atomic>
#include <bit>

#include "gas/base/threads/parallel.hpp"
#include "gas/graph/row_set.hpp"
#include "loaders/ids/numbering.hpp"

namespace gas::loaders {
namespace {

constexpr std::uint64_t bits = 64;

/// The bits that are set on any rank, on every rank. Collective.
void unite(Communicator& comm, std::vector<std::uint64_t>& words) {
  if (comm.size() == 1) return;
  const std::vector<std::uint64_t> bounds = block_bounds(words.size(), comm.size());
  std::vector<std::vector<std::uint64_t>> out;
  for (std::size_t to = 0; to + 1 < bounds.size(); ++to)
    out.emplace_back(words.begin() + static_cast<std::ptrdiff_t>(bounds[to]),
                     words.begin() + static_cast<std::ptrdiff_t>(bounds[to + 1]));
  std::vector<std::uint64_t> mine(out[static_cast<std::size_t>(comm.rank())].size());
  for (const auto& block : all_to_all(comm, out))
    for (std::size_t i = 0; i < mine.size(); ++i) mine[i] |= block[i];
  words = whole(comm, mine);
}

/// Calls see(ids) for the ids of every block, whether narrow or wide, on all threads.
template <class See>
void each_block(unsigned threads, std::span<IdBlock* const> blocks, See see) {
  in_parallel(threads, blocks.size(), [&](unsigned, std::size_t i) {
    see(std::as_const(blocks[i]->narrow).view());
    see(std::as_const(blocks[i]->wide).view());
  });
}

/// Replaces ids by row_of(id), which is called for one id after the other.
template <class RowOf>
void renumber(IdBlock& block, RowOf row_of) {
  for (std::uint32_t& id : block.narrow.view()) id = static_cast<std::uint32_t>(row_of(id));
  if (block.wide.size() == 0) return;
  block.narrow = PageArray<std::uint32_t>(block.wide.size());
  std::uint32_t* row = block.narrow.data();
  for (const std::uint64_t id : block.wide.view()) *row++ = static_cast<std::uint32_t>(row_of(id));
  block.wide.cut(0);
}

/// The ids that are there, and how many are below each.
class IdSet {
 public:
  explicit IdSet(std::uint64_t largest) : words_(static_cast<std::size_t>(largest / bits + 1)) {}

  std::vector<std::uint64_t>& words() { return words_; }
  /// On several threads at once.
  void add(std::uint64_t id) {
    const std::atomic_ref<std::uint64_t> word(words_[id / bits]);
    const std::uint64_t bit = std::uint64_t{1} << (id % bits);
    if ((word.load(std::memory_order_relaxed) & bit) == 0)
      word.fetch_or(bit, std::memory_order_relaxed);
  }
  /// When all have been added. Returns how many there are.
  std::uint64_t count() {
    before_.reserve(words_.size());
    std::uint64_t rows = 0;
    for (const std::uint64_t word : words_) {
      before_.push_back(static_cast<std::uint32_t>(rows));
      rows += ones(word);
    }
    return rows;
  }
  std::uint64_t row_of(std::uint64_t id) const {
    const std::uint64_t below = words_[id / bits] & ((std::uint64_t{1} << (id % bits)) - 1);
    return before_[id / bits] + ones(below);
  }
  /// The ids of rows `first` … `end` − 1.
  Numbers ids(std::uint64_t first, std::uint64_t end) const {
    Numbers ids;
    for (std::size_t i = 0; i < words_.size(); ++i) {
      std::uint64_t row = before_[i];
      if (row >= end || (i + 1 < words_.size() && before_[i + 1] <= first)) continue;
      for (std::uint64_t word = words_[i]; word != 0; word &= word - 1, ++row)
        if (row >= first && row < end)
          ids.push_back(i * bits + static_cast<std::uint64_t>(std::countr_zero(word)));
    }
    return ids;
  }

 private:
  std::vector<std::uint64_t> words_;
  std::vector<std::uint32_t> before_;
};

RowIds number_dense(Communicator& comm, unsigned threads, std::span<IdBlock* const> blocks,
                    std::uint64_t largest) {
  IdSet present(largest);
  each_block(threads, blocks, [&](const auto& ids) {
    for (const std::uint64_t id : ids) present.add(id);
  });
  unite(comm, present.words());
  const std::uint64_t rows = present.count();
  check_rows(comm, rows);
  const bool are_rows = rows == largest + 1;  // the ids; wide ones are made narrow
  in_parallel(threads, blocks.size(), [&](unsigned, std::size_t i) {
    if (!are_rows || blocks[i]->wide.size() > 0)
      renumber(*blocks[i], [&](std::uint64_t id) { return present.row_of(id); });
  });
  if (are_rows) return {rows, 0};
  const BlockDistribution dealt{rows, comm.size()};
  const std::uint64_t first = dealt.first(comm.rank());
  return {comm, rows, present.ids(first, first + dealt.count(comm.rank()))};
}

RowIds number_sparse(Communicator& comm, unsigned threads, std::span<IdBlock* const> blocks) {
  Interner<Numbers> interner;
  together(comm, [&] {
    for (IdBlock* block : blocks)
      renumber(*block, [&](std::uint64_t id) { return interner.intern(id); });
  });
  Numbering numbering = number_rows(comm, interner.take());
  in_parallel(threads, blocks.size(), [&](unsigned, std::size_t i) {
    renumber(*blocks[i], [&](std::uint64_t number) { return numbering.row_of[number]; });
  });
  return std::move(numbering.ids);
}

}  // namespace

RowIds number_ids(Communicator& comm, unsigned threads, std::span<IdColumn* const> columns) {
  std::vector<IdBlock*> blocks;
  for (IdColumn* column : columns)
    for (IdBlock& block : column->blocks) blocks.push_back(&block);
  std::uint64_t count = 0;
  for (const IdBlock* block : blocks) count += block->narrow.size() + block->wide.size();
  std::atomic<std::uint64_t> most{0};
  each_block(threads, blocks, [&](const auto& ids) {
    if (ids.empty()) return;
    const std::uint64_t mine = *std::max_element(ids.begin(), ids.end());
    std::uint64_t seen = most;
    while (seen < mine && !most.compare_exchange_weak(seen, mine)) {
    }
  });
  const std::uint64_t largest = all_max(comm, most.load());
  count = all_sum(comm, count);
  if (count == 0) return {};
  const bool dense = largest / bits <= count / static_cast<std::uint64_t>(comm.size()) + 1024;
  RowIds ids =
      dense ? number_dense(comm, threads, blocks, largest) : number_sparse(comm, threads, blocks);
  in_parallel(threads, columns.size(), [&](unsigned, std::size_t i) {
    *columns[i]->rows = join<VertexId>(
        columns[i]->blocks, [](IdBlock & block) -> auto& { return block.narrow; });
  });
  return ids;
}

}  // namespace gas::loaders
