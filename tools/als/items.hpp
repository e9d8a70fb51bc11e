#pragma once

#include <string>
#include <vector>

#include "programs/als/als.hpp"
#include "tools/als/settings.hpp"
#include "tools/support/graph/cut_graph.hpp"
#include "tools/support/run/run_tool.hpp"

namespace gas::tools {

/// The items of an earlier run, on every rank.
struct ItemModel : AlsModel {
  std::vector<std::string> ids;  // of the items

  const float* row(std::size_t item) const { return items.data() + item * rank; }
};

/// Rows to start from of the items that the input has, and those of the model's other items.
struct ItemRows {
  std::vector<float> here, absent;
};

/// Numbers per row: those of --model if there is one, else by the command line. UsageError if they
/// differ. Collective.
std::uint64_t rank_of(Run& run, const AlsSettings& settings);

/// Those of --model, of `rank` numbers each. Takes what they were trained with into the settings,
/// where the command line has none. Collective.
ItemModel read_items(Run& run, AlsSettings& settings, std::uint64_t rank);

/// Notes for the manifest what the run computes with.
void note_in_effect(Run& run, const AlsSettings& settings, std::uint64_t rank);

/// Leaves out ratings of items that the model does not know: of rows of zeros nothing is learnt,
/// and they would count among the ratings. `rows`: of each item its row in the model, or no_row.
/// Local.
void leave_out_unknown(const std::vector<VertexId>& rows, CutEdges& cut);

/// Rows to start from for the items of these rows: the model's; those that it does not know are
/// drawn, or zero where the model is only applied, which needs its other items, too. Collective.
ItemRows start_of(Run& run, const ItemModel& model, const std::vector<VertexId>& rows);

}  // namespace gas::tools
