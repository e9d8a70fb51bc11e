#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/support/graph/graph_input.hpp"
#include "tools/support/linear/features.hpp"
#include "tools/support/show/table.hpp"

namespace gas::tools {

inline constexpr const char* unused_bias =
    "the model has a bias, which this run leaves out: --bias keeps it";

/// What a linear model's tool asks of its graph; `model`: whose columns are meant, if there is one;
/// `table`: what the user says of those of a table.
GraphWish examples_wish(const FeatureIds* model, const loaders::ExampleTable& table = {});

/// INPUT, with the labels that the file `labels` gives, unless that is empty. `columns`: what the
/// user says of those of a table; none where the tool takes no tables. `hash_bits`: what they are
/// hashed into if there is no model, as by hash_columns. Collective.
InputGraph read_examples(Run& run, const std::string& labels, const FeatureIds* model,
                         const std::optional<loaders::ExampleTable>& columns = std::nullopt,
                         unsigned hash_bits = 0);

/// Whether the examples brought labels along. Collective.
bool labelled(Communicator& comm, const loaders::LoadedGraph& loaded);

/// InputError unless they did, or `labels` names a file. Collective.
void check_labelled(Run& run, const std::string& labels, const loaders::LoadedGraph& loaded);

/// The weights of another model, whose features are `given`, for these columns of `features`; 0 for
/// those that it has not.
std::vector<double> weights_of(const FeatureIds& given, const std::vector<double>& weights,
                               const FeatureIds& features, const std::vector<VertexId>& columns);

constexpr CountNames example_counts{"examples", "features", "values"};

}  // namespace gas::tools
