#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "programs/calls/matrix.hpp"
#include "tools/support/linear/examples.hpp"

namespace gas::tools {

// What applying a linear model has in common, whatever it predicts.

/// Examples by a model's columns. Ids, names and labels are of this rank's block.
struct AlignedExamples {
  loaders::RowIds ids;
  loaders::Names names;
  std::vector<double> labels;
  bool labelled = false;  // they brought labels along
  Matrix matrix;
};

/// Whether examples have labels, and which of these a classifier has.
struct KnownLabels {
  bool given = false, all = false, some = false;

  KnownLabels() = default;
  template <class Knows>
  KnownLabels(Communicator& comm, bool given_, const std::vector<double>& labels, Knows knows)
      : given(given_),
        all(all_min(comm, std::ranges::all_of(labels, knows) ? 1 : 0) == 1),
        some(all_max(comm, std::ranges::any_of(labels, knows) ? 1 : 0) == 1) {}
  bool scored() const { return given && all; }
  bool partly() const { return given && some && !all; }
};

/// Why the examples of a file get predictions, but no scores. `known` are the model's labels.
void tell_unscored(Run& run, const std::string& file, const KnownLabels& labels,
                   const FeatureIds& model, std::span<const double> known);

/// Columns that the model does not have are dropped. Collective.
AlignedExamples align_examples(Run& run, const FeatureIds& model, loaders::LoadedGraph loaded);

/// Before anything is computed: InputError if the file of --test, "" for none, cannot be opened.
/// Pipes are opened later. Collective.
void check_test(Run& run, const std::string& file);
/// The file of --test, which a model is applied to. Collective.
loaders::LoadedGraph load_test(Run& run, const std::string& file, const FeatureIds& model);

/// INPUT, which a model of so many weights is applied to, with the labels that the file `labels`
/// gives, unless that is empty. Collective.
InputGraph read_applied(Run& run, const std::string& labels, const FeatureIds& model,
                        std::uint64_t weights);

}  // namespace gas::tools
