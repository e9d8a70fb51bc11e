// gas-lasso: linear regression with an L1 penalty, trained and applied.
#include "gas/base/error.hpp"
#include "tools/lasso/tasks.hpp"
#include "tools/support/linear/apply.hpp"
#include "tools/support/memory/graph_memory.hpp"

using namespace gas;
using namespace gas::tools;

int main(int argc, char* argv[]) {
  LassoSettings settings;
  return run_tool(
      "gas-lasso", argc, argv,
      [&](Options& options) {
        options.describe(
            "Lasso: minimises ‖y − Xw‖² / 2n + lambda ‖w‖₁ over n examples to a certified gap, by "
            "coordinate descent over blocks of columns that are scheduled by how much they change.",
            "gas-lasso train.svm --bias --lambda 0.01 --test test.svm -o model",
            "gas-lasso new.svm --model model --apply -o predictions");
        options.take_input({"libsvm", "vw", "edges", "docword", "mtx"});
        options.take_vertices(Options::Kinds::two);
        options.take_rounds(10000, 1e-4);
        options.take_staleness(check_lasso);
        options.take_seed();
        options.take_threads();
        options.take_dry_run();
        options.take_observing();
        options.take_partition(partition_methods(), "auto");
        options.take_without_input();
        options.take_model({"--lambda", "--lambda-share", "--bias", "--schedule", "--block",
                            "--correlation", "--test"});
        options.take_output({"weights.npy", "predictions.npy", "ids.txt", "names.txt",
                             "parameter_ids.txt", "parameter_names.txt"});
        options.take_text();
        options.take_top("of the largest weights");
        options.text("--labels", settings.labels, "FILE",
                     "The targets y: lines 'id y', or one per row");
        options.real("--lambda", settings.lambda, {.least = 0, .most = 1e100},
                     "Weight of the penalty, like alpha in scikit-learn; 0: set by --lambda-share");
        options.real("--lambda-share", settings.share,
                     {.least = 0, .most = 1e100, .without_least = true},
                     "Lambda, as share of the least that makes all weights 0");
        options.flag("--bias", settings.bias, "Add an intercept, without penalty");
        options.choice(
            "--schedule", settings.schedule, {"priority", "random", "cyclic"},
            "Which columns a round updates: those that change most, random ones, or all in turn");
        options.count("--block", settings.block, 1,
                      "Columns that a round updates, on all ranks together");
        options.real("--correlation", settings.correlation,
                     {.least = 0, .most = 1, .without_least = true},
                     "Columns that different ranks update in one round correlate less than this; "
                     "1: no check, and several ranks may never converge");
        options.text("--test", settings.test, "FILE", "Predict these rows, too");
        options.summary_keys(
            {"lambda", "gap", "nonzeros", "blocks", "updates", "rejected", "rmse", "test_rmse"});
        options.check([&] {
          if (options.given("--lambda") && options.given("--lambda-share"))
            throw UsageError("--lambda and --lambda-share exclude each other");
          settings.lambda_given = options.given("--lambda") || options.given("--lambda-share");
        });
      },
      [&](Run& run) {
        check_test(run, settings.test);
        if (!check_memory(run, examples_wish(nullptr), lasso_bytes)) return;
        run.enter(Phase::load);
        return run.options.apply ? apply(run, settings) : train(run, settings);
      });
}
