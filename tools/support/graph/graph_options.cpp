#include "tools/support/graph/graph_options.hpp"

#include "tools/support/graph/graph_input.hpp"

namespace gas::tools {

void take_plain_graph(Options& options, std::function<void(const RunOptions&)> check,
                      Order preferred) {
  options.take_input({"edges", "mtx", "metis"});
  options.take_vertices();
  options.take_staleness(std::move(check), preferred);
  options.take_seed();
  options.take_threads();
  options.take_dry_run();
  options.take_observing();
  options.take_partition(partition_methods(), "auto");
  options.take_without_input();
}

void take_plain_graph_to_rest(Options& options, std::function<void(const RunOptions&)> check,
                              Order preferred) {
  take_plain_graph(options, std::move(check), preferred);
  options.take_rounds_to_rest();
}

void take_undirected_folder(Options& options) {
  options.flag("--undirected", options.common.undirected,
               "Of no effect, as edges always count in both directions");
}

}  // namespace gas::tools
