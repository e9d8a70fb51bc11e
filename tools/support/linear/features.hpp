#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gas/base/communicator.hpp"
#include "gas/graph/edge_list.hpp"
#include "loaders/load_graph.hpp"
#include "tools/support/ids/row_names.hpp"
#include "tools/support/output/model_folder.hpp"
#include "tools/support/show/facts.hpp"

namespace gas::tools {

/// What the weights of a linear model belong to: features, and perhaps a bias behind them. On every
/// rank.
struct FeatureIds {
  IdList features;
  std::optional<std::uint64_t> index_base;  // how columns were counted, if it was libsvm
  unsigned hash_bits = 0;                   // features are hashed into 2^hash_bits; 0: they are not
  std::optional<loaders::ExampleTable> table;  // the columns that they are of, if it was csv

  /// What weight j belongs to.
  std::string name(std::size_t j) const { return j < features.count() ? features.text(j) : "bias"; }
  /// What a label is called.
  std::string label_text(double label) const;
};

/// The columns of the table that a model is of, if it is of one. Collective. InputError if the
/// folder is damaged.
std::optional<loaders::ExampleTable> read_columns(Communicator& comm, const ModelFolder& stored);

/// Into how many bits of rows its features are hashed; 0: they are not. Local. InputError if the
/// folder is damaged.
unsigned read_hash_bits(const ModelFolder& stored);

/// Reads what write_weights has written and describe_features has told; returns the weights, with
/// the bias last if there is one; of several `classes` a row of them each. Collective. InputError
/// if the folder is damaged.
std::vector<double> read_weights(Communicator& comm, const ModelFolder& stored, bool bias,
                                 FeatureIds& features, std::uint64_t classes = 0);

/// What the manifest keeps of it beside the files.
void describe_features(const FeatureIds& features, Facts& facts);

/// Writes weights.npy and, unless the features' ids are trivial, parameter_ids.txt, and columns.txt
/// if they are of a table; with `text`
/// weights.tsv, a line per feature. Of several `classes` an array of a row of weights each.
/// Collective.
void write_weights(Communicator& comm, const std::string& folder, const FeatureIds& features,
                   const std::vector<double>& weights, bool text, std::uint64_t classes = 0);

/// The largest weights, whatever their sign. Local: every rank has all.
std::string heaviest_table(const FeatureIds& features, const std::vector<double>& weights,
                           std::uint64_t count);

/// Makes the columns of a graph the 2^bits rows that their ids are hashed into. Collective.
void hash_columns(Communicator& comm, unsigned bits, loaders::LoadedGraph& loaded);

/// Gives edges the rows that their columns have in the model; others are dropped. Local.
void align_columns(const FeatureIds& features, const IdList& columns, EdgeList& edges);

}  // namespace gas::tools
