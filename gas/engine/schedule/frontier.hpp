#pragma once

#include <algorithm>
#include <iterator>
#include <span>
#include <vector>

#include "gas/engine/core.hpp"

namespace gas {

/// Steps that visit all active vertices of their kind.
struct AllActive {
  static constexpr bool some = false;
  bool has(LocalId) const { return true; }
};

/// Steps that visit those of one colour.
struct OfColour {
  static constexpr bool some = true;
  const std::uint32_t* colours;  // by local id
  std::uint32_t colour;
  bool has(LocalId v) const { return colours[v] == colour; }
};

/// The vertices that one step visits: the woken ones that `turn` has. Few are listed, in ascending
/// order, and cost their number; of many every vertex of the kind is looked at.
template <class P, class K, class Turn>
class Frontier {
 public:
  Frontier(KindRun<P, K>& kind, Turn turn) : kind_(kind), store_(kind.store), turn_(turn) {
    if constexpr (!all) {
      store_.woken.relist();
      choose();
    }
  }

  const Parts& parts() const {
    if (listed_) return chosen_;
    if constexpr (gathers_changes<K>)
      if (kind_.was_pushed()) return kind_.pushed.all;
    return kind_.all;
  }

  std::size_t size() const {
    if (all) return kind_.layout().locals();
    return listed_ ? list_.size() : store_.woken.size();
  }

  /// Masters were woken while the step ran.
  void grew() {
    if constexpr (!all) choose();
  }

  /// Visits have marked what changed.
  void note_changes() {
    if constexpr (compares_late<P, K>)
      for (LocalId v = kind_.layout().interior; v < kind_.layout().masters(); ++v)
        store_.changed.flags()[v] = store_.published.differs(v) ? 1 : 0;
    if (listed_)
      store_.changed.relist(list_);
    else
      store_.changed.unlist();
  }

  /// The step is over: its readers see what it published; nobody is woken but who asked again, and
  /// those whose gather reads what they published.
  void end() {
    if constexpr (Store<P, K>::snapshot && Store<P, K>::publishes) show();
    if constexpr (!all) {
      if constexpr (Turn::some)
        store_.woken.remove([&](LocalId v) { return turn_.has(v); });
      else
        store_.woken.clear();
      const auto wake_again = [this, again = store_.again.data()](LocalId v) {
        if (again[v] == 0) [[likely]]
          return;
        again[v] = 0;
        store_.woken.add(v);
      };
      for_each_visited(wake_again);
      if constexpr (reads_own<P, K>)
        store_.changed.for_each([&](LocalId v) { store_.woken.add(v); });
    }
  }

 private:
  static constexpr bool all = KindRun<P, K>::every_round;

  void choose() {
    listed_ = store_.woken.listed();
    if (!listed_) return;
    store_.woken.sort();
    const std::span<const LocalId> woken = store_.woken.list();
    if constexpr (Turn::some) {
      list_.clear();
      std::ranges::copy_if(woken, std::back_inserter(list_),
                           [&](LocalId v) { return turn_.has(v); });
    } else {
      list_.assign(woken.begin(), woken.end());
    }
    const bool pulls = !kind_.was_pushed();  // else they cost alike
    chosen_ = cut_parts(kind_.layout(), pulls ? store_.adjacency : nullptr,
                        pulls && kind_.splits_hubs, list_);
  }

  template <class F>
  void for_each_visited(F f) {
    if (listed_)
      for (const LocalId v : list_) f(v);
    else
      for (LocalId v = 0; v < kind_.layout().masters(); ++v) f(v);
  }

  void show() {
    const LocalId masters = kind_.layout().masters(), locals = kind_.layout().locals();
    if (listed_) {
      store_.changed.for_each([&](LocalId v) { store_.published.show(v); });
    } else if constexpr (Turn::some) {
      for (LocalId v = 0; v < locals; ++v)
        if (turn_.has(v)) store_.published.show(v);
    } else {
      if constexpr (!all)
        for (LocalId v = 0; v < masters; ++v)
          if (!store_.woken.has(v)) store_.published.keep(v);
      for (LocalId v = masters; v < locals; ++v)
        if (!store_.changed.has(v)) store_.published.keep(v);
      store_.published.flip();
    }
  }

  KindRun<P, K>& kind_;
  Store<P, K>& store_;
  Turn turn_;
  bool listed_ = false;
  std::vector<LocalId> list_;
  Parts chosen_;
};

}  // namespace gas
