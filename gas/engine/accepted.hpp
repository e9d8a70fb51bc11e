#pragma once

#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "gas/engine/gather/inputs.hpp"
#include "gas/engine/gather/shards.hpp"
#include "gas/engine/run_options.hpp"
#include "gas/engine/threads/executor.hpp"
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

/// Stands in for the engine of a program that is refused, so that the message is the only one:
/// what users call is declared, and does nothing.
template <class P>
requires(!accepted<P>) class Engine<P> {
 public:
  Engine(Transport&, Executor&, std::shared_ptr<const LocalGraph>, P, std::uint64_t = 1);
  Engine(const Context&, std::shared_ptr<const LocalGraph>, P, std::uint64_t = 1);
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
  void local_set_inputs(const auto&) {}
  RunReport run(const RunOptions& = {});
  RunReport run(const RunOptions&, const auto&);
  void run_at_rest(std::uint64_t = 1);
  static void check(const RunOptions&);
};

}  // namespace gas
