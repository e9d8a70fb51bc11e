#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "gas/graph/edge_list.hpp"
#include "gas/graph/team.hpp"
#include "loaders/ids/row_ids.hpp"
#include "tools/support/facts.hpp"

namespace gas::tools {

/// The ids of the columns of a data set or model, on every rank: first, first + 1, …, or a list.
class FeatureIds {
 public:
  FeatureIds() = default;
  FeatureIds(std::uint64_t count, std::uint64_t first) : count_(count), first_(first) {}
  explicit FeatureIds(std::vector<std::string> list);
  /// Of the rows of a graph. Collective.
  FeatureIds(Team& team, const loaders::RowIds& rows);

  std::uint64_t count() const { return count_; }
  std::uint64_t first() const { return first_; }
  const std::vector<std::string>& list() const { return list_; }
  /// Whether they are what nobody needs a list of (RowIds::trivial).
  bool trivial() const { return list_.empty() && first_ == base_; }
  /// Local.
  std::string text(std::uint64_t i) const;

  static constexpr Row absent = std::numeric_limits<Row>::max();
  /// For each of these the row of the same id among `others`, or `absent`.
  std::vector<Row> rows_among(const FeatureIds& others) const;

 private:
  std::uint64_t count_ = 0;
  std::uint64_t first_ = 0;
  std::uint64_t base_ = 0;
  std::vector<std::string> list_;  // empty: consecutive numbers
};

/// A trained model: the folder that gas-logreg writes, on every rank.
struct LogregModel {
  std::vector<double> weights;  // the bias last, if there is one
  bool bias = false;
  std::array<double, 2> labels = {-1, 1};
  FeatureIds features;
  std::optional<std::uint64_t> index_base;  // how columns were counted, if it was libsvm

  /// What weights[j] belongs to.
  std::string name(std::size_t j) const { return j < features.count() ? features.text(j) : "bias"; }
};

/// Collective. InputError if the folder is damaged or holds something else.
LogregModel read_model(Team& team, const std::string& folder);

/// What the manifest keeps of it beside the files.
void describe_model(const LogregModel& model, Facts& facts);

/// Writes weights.npy and, unless the features' ids are trivial, parameter_ids.txt. Collective.
void write_model(Team& team, const std::string& folder, const LogregModel& model);

/// Gives edges the rows that their columns have in the model; others are dropped. Local.
void align_columns(const LogregModel& model, const FeatureIds& columns, EdgeList& edges);

}  // namespace gas::tools
