#include "tools/pagerank/settings.hpp"

#include "gas/base/error.hpp"
#include "tools/support/graph/graph_options.hpp"

namespace gas::tools {
namespace {

/// What the command line alone decides, as `page_rank` takes it.
void settle(const Options& options, PageRankSettings& settings) {
  PageRankOptions& ranking = settings.ranking;
  ranking.tolerance = options.common.tolerance;
  ranking.dangling = settings.dangling == "spread" ? Dangling::spread : Dangling::ignore;
  const bool single = settings.precision == "float";
  if (!settings.precision.empty())
    ranking.precision = single ? Precision::single : Precision::twice;
  const bool by_need = options.common.order == Order::priority;
  if (by_need && ranking.tolerance == 0)
    throw UsageError("--order priority needs a --tolerance above 0: nothing else ends the run");
  if (by_need && ranking.damping == 1)
    throw UsageError(
        "--order priority needs a --damping below 1: ranks start from 1 - damping, which must not "
        "be 0");
  if (by_need && single) throw UsageError("--order priority needs --precision double, found float");
  if (!settings.personalise.empty() && single)
    throw UsageError("--personalise needs --precision double, found float");
  if (!settings.personalise.empty()) ranking.precision = Precision::twice;
}

}  // namespace

void take_page_rank(Options& options, PageRankSettings& settings) {
  options.describe(
      "Ranks the vertices of a directed graph by PageRank. A third column of INPUT "
      "weighs the links.",
      "mpirun -n 2 gas-pagerank links.txt --top 20",
      "gas-pagerank links.txt --personalise home.txt -o ranks");
  take_plain_graph(options, check_page_rank);
  options.take_rounds(100, 1e-6);
  options.take_output({"ranks.npy", "top.tsv", "ids.txt", "names.txt"});
  options.take_text();
  options.take_top("of the highest ranks");
  options.take_undirected();
  options.real("--damping", settings.ranking.damping, {.least = 0, .most = 1},
               "Share of its rank that a page gives to those it links to");
  options.choice("--dangling", settings.dangling, {"spread", "ignore"},
                 "What becomes of the rank of pages without links");
  options.choice(
      "--precision", settings.precision, {"float", "double"},
      "Number type of the shares of PageRank; default: double if --tolerance is below 1e-6 "
      "but not 0, or with --order priority or --personalise, else float");
  options.flag("--simplify", settings.simplify, "Count repeated edges as one; weights are summed");
  options.text("--personalise", settings.personalise, "FILE",
               "Pages where a reader begins anew, a line each: an id and, if not 1, a "
               "weight; default: all alike");
  options.flag("--unweighted", settings.ranking.unweighted,
               "Count all links alike and ignore a third column");
  options.check([&] { settle(options, settings); });
  options.summary_keys({"delta", "applied", "precision", "weighted", "personalised"});
}

}  // namespace gas::tools
