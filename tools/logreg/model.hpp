#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "gas/base/communicator.hpp"
#include "gas/graph/edge_list.hpp"
#include "loaders/load_graph.hpp"
#include "programs/logistic_regression/logistic_regression.hpp"
#include "tools/support/ids/row_names.hpp"
#include "tools/support/show/facts.hpp"

namespace gas::tools {

/// A trained model: the folder that gas-logreg writes, on every rank.
struct LogregModel : LogisticModel {
  IdList features;
  std::optional<std::uint64_t> index_base;  // how columns were counted, if it was libsvm
  unsigned hash_bits = 0;                   // features are hashed into 2^hash_bits; 0: they are not

  /// What weights[j] belongs to.
  std::string name(std::size_t j) const { return j < features.count() ? features.text(j) : "bias"; }
};

/// Collective. InputError if the folder is damaged or holds something else.
LogregModel read_model(Communicator& comm, const std::string& folder);

/// What the manifest keeps of it beside the files.
void describe_model(const LogregModel& model, Facts& facts);

/// Writes weights.npy and, unless the features' ids are trivial, parameter_ids.txt; with `text`
/// weights.tsv. Collective.
void write_model(Communicator& comm, const std::string& folder, const LogregModel& model,
                 bool text);

/// The largest weights, whatever their sign. Local: every rank has all.
std::string heaviest_table(const LogregModel& model, std::uint64_t count);

/// Makes the columns of a graph the 2^bits rows that their ids are hashed into. Collective.
void hash_columns(Communicator& comm, unsigned bits, loaders::LoadedGraph& loaded);

/// Gives edges the rows that their columns have in the model; others are dropped. Local.
void align_columns(const LogregModel& model, const IdList& columns, EdgeList& edges);

}  // namespace gas::tools
