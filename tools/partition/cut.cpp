#include "tools/partition/cut.hpp"

#include <fmt/format.h>

#include "gas/base/error.hpp"
#include "partition/edge_cut.hpp"
#include "tools/support/partition/import_parts.hpp"

namespace gas::tools {
namespace {

/// Takes the weights that a METIS graph has itself, where the method can use them; says where not.
void use_own_weights(Run& run, const InputGraph& loaded, PartitionSettings& settings) {
  if (loaded.format != loaders::Format::metis) return;
  partition::Options& cut = settings.cut;
  const bool imported = settings.imports();
  const auto unused = [&](const char* which) {
    run.warn(fmt::format("the weights of {} are not used: with --method {} {}", which, cut.method,
                         imported ? "parts are given" : "all count the same"));
  };
  cut.weighs_pairs = partition::value_bytes(run.transport, loaded.edges) > 0;
  if (cut.weighs_pairs && !cut.method.starts_with("metis")) {
    cut.weighs_pairs = false;
    unused("edges");
  }
  if (loaded.vertex_weights == 0 || settings.weights_given) return;
  if (imported || !partition::find_method(cut.method).weighs_vertices) return unused("vertices");
  together(run.transport, [&] {
    if (loaded.vertex_weights > 1)
      throw located_error(run.options.input, 0, 0,
                          fmt::format("{} weights of each vertex", loaded.vertex_weights),
                          "one, as parts are balanced by one weight: choose one for each vertex "
                          "with --vertex-weights");
  });
  cut.vertex_weights = partition::VertexWeights::given;
  cut.given_weights = loaded.weight;
}

}  // namespace

Partition cut_input(Run& run, const InputGraph& loaded, PartitionSettings& settings) {
  Communicator& comm = run.transport;
  partition::Options& options = settings.cut;
  const GraphShape& shape = loaded.shape;
  options.seed = run.options.seed;
  options.tell = [&run](const std::string& why) { run.note(why); };
  if (settings.objective == "busiest") options.objective = partition::Objective::busiest;
  options.memory = settings.memory_mib << 20U;
  if (options.vertex_weights == partition::VertexWeights::given)
    options.given_weights = read_weights(run, settings.vertex_weights, shape);
  use_own_weights(run, loaded, settings);
  return settings.imports()
             ? import_parts(run, settings.from, settings.from_edges, loaded.edges, shape, options)
             : partition::make_partition(comm, loaded.edges, shape, options);
}

void tell_balance(Run& run, const partition::Balance& balance, partition::VertexWeights weights,
                  bool both_ways) {
  if (balance.kept) return;
  const char* const unit = weights == partition::VertexWeights::none    ? "vertices"
                           : weights == partition::VertexWeights::given ? "of weight"
                           : both_ways                                  ? "arcs"
                                                                        : "edges";
  const std::string text = fmt::format("the largest part has {} {}, at most {} were asked for",
                                       balance.largest, unit, balance.promised);
  run.warn(text + ": " + balance.reason);
}

}  // namespace gas::tools
