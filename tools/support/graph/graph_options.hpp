#pragma once

#include <functional>

#include "tools/support/command/options.hpp"

namespace gas::tools {

/// What tools take that compute something of each vertex of a plain graph, beside their limits of
/// rounds and their output; `check` as Options::take_staleness has it.
void take_plain_graph(Options& options, std::function<void(const RunOptions&)> check,
                      Order preferred = Order::sweep);
/// The same for those that run until nothing changes.
void take_plain_graph_to_rest(Options& options, std::function<void(const RunOptions&)> check,
                              Order preferred = Order::sweep);
/// --undirected of a tool to which edges always count in both directions.
void take_undirected_folder(Options& options);

}  // namespace gas::tools
