#include "tools/als/settings.hpp"

#include "gas/base/error.hpp"
#include "programs/als/als.hpp"
#include "tools/support/graph/graph_input.hpp"

namespace gas::tools {

void take_als(Options& options, AlsSettings& settings) {
  options.describe(
      "Factorises ratings (user, item, value) into a row of numbers per user and per item "
      "by alternating least squares. --apply finds the users' rows for the model's items.",
      "gas-als ratings.txt --rank 16 --heldout 0.1 -o factors",
      "mpirun -n 2 gas-als ratings.txt --rank 16 --lambda 0.05");
  options.take_input({"edges", "docword", "mtx"});
  options.take_vertices(Options::Kinds::two);
  options.take_rounds(100, 1e-4);
  options.take_staleness([&](const RunOptions& run) {
    settings.implicit = options.given("--implicit");
    check_als(run, settings.feedback());
  });
  options.take_seed();
  options.take_threads();
  options.take_dry_run();
  options.take_observing();
  options.take_partition(partition_methods(), "auto");
  options.take_without_input();
  options.take_model({});
  options.take_output({"users.npy", "items.npy", "ids.txt", "names.txt", "parameter_ids.txt",
                       "parameter_names.txt"});
  options.take_text();
  options.count("--rank", settings.rank, 1, "Numbers per row (with --model: the model's)", 1024);
  options.real("--lambda", settings.lambda, {.least = 0, .without_least = true},
               "Weight of the squared rows in the objective (with --model: the model's)");
  options.flag("--weighted-lambda", settings.weighted,
               "Multiply --lambda by the row's number of ratings");
  options.flag("--subtract-mean", settings.subtract_mean,
               "Factorise what ratings are above their mean, and add it to what is predicted");
  options.flag("--unweighted", settings.unweighted,
               "Take every rating as 1 and ignore a third column");
  options.real("--implicit", settings.alpha, {.least = 0},
               "Ratings are implicit feedback, such as counts of use: a pair with rating r counts "
               "as 1 with weight 1 + X × r, every other pair as 0 with weight 1");
  options.real("--heldout", settings.heldout, {.least = 0, .most = 0.99},
               "Share of the ratings to test on instead of training on; drawn by --seed");
  options.summary_keys({"rank", "rmse", "test_rmse"});
  options.check([&] {
    settings.rank_given = options.given("--rank");
    settings.lambda_given = options.given("--lambda");
    check_implicit(settings);
  });
}

void check_implicit(const AlsSettings& settings) {
  if (settings.implicit && settings.subtract_mean)
    throw UsageError(
        "--subtract-mean and --implicit exclude each other: implicit feedback has no mean rating");
  if (settings.implicit && settings.heldout > 0)
    throw UsageError(
        "--heldout and --implicit exclude each other: --heldout measures predicted ratings, and "
        "--implicit predicts none");
}

}  // namespace gas::tools
