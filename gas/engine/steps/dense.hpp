#pragma once

#include "gas/engine/gather/inputs.hpp"
#include "gas/engine/gather/shards.hpp"
#include "gas/engine/steps/step.hpp"

namespace gas {

/// The two steps on the complete bipartite topology, where no edge is stored: blocks of data
/// vertices meet all parameters in gather_block, and push to running totals of named ones.
template <class P>
class DenseGather {
  using D = DataType<P>;
  using W = ParameterType<P>;
  using Element = typename PublishedType<W>::Element;
  using DataAccumulator = AccumulatorType<D>;
  using Sum = AccumulatorType<W>;
  using Block = ParameterBlock<Element>;
  using Packed = std::conditional_t<present<PackedType<P>>, PackedType<P>, Block>;

 public:
  static constexpr std::size_t block_rows = 256;

  std::shared_ptr<const Inputs<typename D::Input::Element>> inputs;
  bool first_push = true;  // of the next data step, all points join the sums

  void set_up(Core<P>& core, KindRun<P, D>& data, KindRun<P, W>& parameter) {
    const VertexLayout& layout = parameter.layout();
    by_name_.resize(layout.locals());
    for (LocalId v = 0; v < layout.locals(); ++v) by_name_[layout.rows[v]] = v;
    std::size_t width = 0;
    if constexpr (RowAccumulator<Sum>) width = core.program.width(AccumulatorOf<W>{});
    shards_.resize(exact ? core.workers.size() : 8, layout.locals(), width);
    data_totals_.resize(is_running<DataAccumulator> ? data.layout().masters() : 0, 0);
    scratch_totals_.assign(core.workers.size(), std::vector<DataAccumulator>(block_rows));
  }

  void data_step(Core<P>& core, KindRun<P, D>& data, KindRun<P, W>& parameter) {
    if (!inputs) throw UsageError("local_set_inputs() must come before run()");
    // Differences of floats leave rounding behind: all is summed anew now and then.
    const bool resum = first_push || (!exact && core.waits() && core.context.step.round % 32 == 0);
    first_push = false;
    if (resum) parameter.store.running.clear();
    for (std::size_t s = 0; s < shards_.size(); ++s) shards_[s].clear();
    make_block(parameter);
    if (!core.waits()) core.visited += data.layout().masters();
    data.store.changed.clear();
    const std::size_t shards = exact ? data.all.interior.chunks.size() : shards_.size();
    core.visit_tasks(shards, data, [&](std::size_t task, std::size_t w, Visit<P, D> visit) {
      const std::vector<Chunk>& chunks = data.all.interior.chunks;
      PushTargets<Sum> to(shards_[exact ? w : task]);
      for (std::size_t c = chunks.size() * task / shards; c < chunks.size() * (task + 1) / shards;
           ++c)
        for (LocalId v = chunks[c].first; v < chunks[c].last; v += block_rows)
          visit_block(core, data, visit, to, resum, v,
                      std::min<LocalId>(chunks[c].last, v + block_rows), w);
    });
    data.store.changed.unlist();
  }

  /// For checkpoints: what data vertex v keeps of its total.
  template <class A>
  void data_total(A& archive, LocalId v) {
    if constexpr (is_running<DataAccumulator>) archive& data_totals_[v];
  }

  void parameter_step(Core<P>& core, KindRun<P, D>& data, KindRun<P, W>& parameter) {
    const VertexLayout& layout = parameter.layout();
    const auto partial = [&](LocalId v, std::size_t w) -> Sum {
      Sum total = parameter.store.fresh(w);
      for (std::size_t s = 0; s < shards_.size(); ++s) combine(total, shards_[s], layout.rows[v]);
      return total;
    };
    run_step(core, parameter, data, AllActive{}, core.context.step.round, partial,
             [&](const Work& interior, auto wanted, auto visit) {
               sweep(core, parameter, data, interior, wanted, partial, visit);
             });
  }

 private:
  static constexpr bool exact = adds_exactly<Sum>;  // then a shard per worker will do

  /// The parameters' rows in order of their names: all, or those that changed if data totals are
  /// running.
  void make_block(const KindRun<P, W>& parameter) {
    const auto& published = parameter.store.published;
    names_.clear();
    for (std::size_t name = 0; name < by_name_.size(); ++name)
      if (!is_running<DataAccumulator> || parameter.store.changed.has(by_name_[name]))
        names_.push_back(static_cast<std::uint32_t>(name));
    rows_.resize(names_.size() * published.stride());
    for (std::size_t i = 0; i < names_.size(); ++i) {
      const auto row = published[by_name_[names_[i]]];
      std::ranges::copy(row, rows_.begin() + static_cast<std::ptrdiff_t>(i * published.stride()));
    }
    const Block block{{rows_.data(), names_.size(), published.width(), published.stride()}, names_};
    if constexpr (present<PackedType<P>>)
      packed_.assign(block);
    else
      packed_ = block;
  }

  void visit_block(Core<P>& core, KindRun<P, D>& data, Visit<P, D>& visit, PushTargets<Sum>& to,
                   bool resum, LocalId first, LocalId last, std::size_t w) {
    const std::size_t count = last - first;
    Counters& counters = core.workers[w].counters;
    std::span<DataAccumulator> totals(scratch_totals_[w].data(), count);
    if constexpr (is_running<DataAccumulator>) {
      totals = {&data_totals_[first], count};
    } else {
      std::ranges::fill(totals, DataAccumulator{});
    }
    visit.at(first);
    const RowsView<typename D::Input::Element> points = inputs->block(first, count);
    const std::span<D> states(&data.store.state[first], count);
    if constexpr (requires { core.program.gather_block(points, packed_, totals, visit, states); })
      core.program.gather_block(points, packed_, totals, visit, states);
    else
      core.program.gather_block(points, packed_, totals, visit);
    counters.gathers += count * names_.size();
    for (LocalId v = first; v < last; ++v) {
      visit.at(v);
      const std::uint32_t before = resum ? none : data.store.published[v];
      ++counters.applies;
      publish<P, D>(
          data.store, v, {},
          [&] { return core.program.apply(data.store.state[v], totals[v - first], visit); },
          [&](std::uint32_t now) {
            if (now == before) return;
            data.store.changed.flags()[v] = 1;
            data.store.published.set(v, now);
            core.program.push(to, (*inputs)[v], before, now);
            ++counters.pushes;
          });
    }
  }

  std::vector<LocalId> by_name_;
  std::vector<std::uint32_t> names_;
  std::vector<Element> rows_;
  Packed packed_{};
  Shards<Sum> shards_;
  AccumulatorArray<DataAccumulator> data_totals_;
  std::vector<std::vector<DataAccumulator>> scratch_totals_;
};

}  // namespace gas
