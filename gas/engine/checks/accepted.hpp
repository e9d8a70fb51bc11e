#pragma once

#include <concepts>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "gas/base/threads/executor.hpp"
#include "gas/engine/gather/inputs.hpp"
#include "gas/engine/gather/shards.hpp"
#include "gas/engine/run_options.hpp"
#include "gas/engine/visit.hpp"
#include "gas/exchange/transport.hpp"
#include "gas/program/checks.hpp"

namespace gas {

class Context;
struct RunReport;

/// Is P a right program? If not, the compiler says in one message what is wrong with it.
template <class P>
constexpr bool accepted = RightProgram<P, Visit, Step, Summaries, ParameterBlock, PushTargets>;

template <class P>
class Engine;

/// What is given for a layout and is none.
template <class G>
concept NotLaidOut = !std::convertible_to<const G&, std::shared_ptr<const LocalGraph>>;
template <class>
constexpr bool is_laid_out = false;

/// Does not compile: says how a layout is made.
template <class G>
std::shared_ptr<const LocalGraph> refused_layout() {
  if constexpr (requires(const G& g) { g.graph; })
    static_assert(is_laid_out<G>, "gas::Engine takes the graph of a layout: .laid_out(…).graph");
  else
    static_assert(is_laid_out<G>,
                  "gas::Engine needs a layout: if it is a gas::Graph, pass .laid_out(context, "
                  "arcs, values); if it is a gas::Matrix, pass .laid_out(context).graph");
  return nullptr;
}

/// Stands in for the engine of a program that is refused, so that the message is the only one:
/// what users call is declared, and does nothing.
template <class P>
requires(!accepted<P>) class Engine<P> {
 public:
  Engine(Transport&, Executor&, std::shared_ptr<const LocalGraph>, P, std::uint64_t = 1);
  Engine(const Context&, std::shared_ptr<const LocalGraph>, P, std::uint64_t = 1);
  Engine(const Context&, const NotLaidOut auto&, P, std::uint64_t = 1) {}
  P& program();
  const Summaries<P>& last() const;
  template <class K>
  void local_for_each(const auto&) {}
  template <class K>
  void local_for_each_published(const auto&) const {}
  template <class K>
  void local_give(const auto&) {}
  void local_for_each_edge(const auto&) {}
  template <class K, class F>
  auto by_id(F value) {
    return std::vector<std::decay_t<decltype(value(std::declval<const K&>()))>>();
  }
  template <class K>
  auto published_by_id() {
    return std::vector<double>();
  }
  void local_set_inputs(const auto&) {}
  RunReport run(const RunOptions& = {});
  RunReport run(const RunOptions&, const auto&);
  void run_at_rest(std::uint64_t = 1);
  static void check(const RunOptions&);
};

}  // namespace gas
