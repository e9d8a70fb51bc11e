#pragma once

// For writing a tool with the features of every gas-TOOL. Installed as gas/tool.hpp, with the
// library gas::tool.
//
//   int main(int argc, char* argv[]) {
//     return gas::tools::run_tool(
//         "my-tool", argc, argv,
//         [](gas::tools::Options& options) { options.take_input({"edges"}); … },
//         [](gas::tools::Run& run) { … });
//   }
//
// run_tool provides the command line (--help, --version, --summary json, --quiet, and the options
// that the tool adds to Options), messages on standard error, progress, signals, and exit codes
// alike on all ranks. Run provides phases, the summary, the log of rounds and the folder of
// --output. read_graph and cut_graph read INPUT and lay the graph out over the ranks. write_rows,
// write_labels and write_ids write results by vertex.

#include "tools/support/graph/cut_graph.hpp"
#include "tools/support/graph/graph_input.hpp"
#include "tools/support/graph/graph_options.hpp"
#include "tools/support/graph/graph_wish.hpp"
#include "tools/support/ids/row_names.hpp"
#include "tools/support/ids/top.hpp"
#include "tools/support/ids/write_labels.hpp"
#include "tools/support/memory/graph_memory.hpp"
#include "tools/support/run/run_tool.hpp"
#include "tools/support/run/write_rows.hpp"
#include "tools/support/search/search_input.hpp"
#include "tools/support/show/summary.hpp"
#include "tools/support/show/table.hpp"
