#include "gas/base/error.hpp"
#include "loaders/ids/hashed.hpp"
#include "programs/logistic_regression/multiclass/multiclass.hpp"
#include "tools/logreg/tasks.hpp"

namespace gas::tools {

std::string name_of(LogisticSolver solver) {
  return solver == LogisticSolver::dual           ? "dual"
         : solver == LogisticSolver::local_newton ? "local-newton"
                                                  : "newton";
}

bool by_shares(LogisticSolver solver, Penalty penalty) {
  return penalty == Penalty::l1 || solver != LogisticSolver::newton;
}

void take_logreg(Options& options, LogregSettings& settings) {
  options.describe(
      "Logistic regression: minimises C Σ log(1 + exp(−y w·x)) + ½‖w‖² or ‖w‖₁ to a "
      "certified gap.",
      "gas-logreg train.svm --penalty l1 --test test.svm -o model",
      "gas-logreg new.svm --model model --apply -o predictions");
  options.take_input({"libsvm", "vw", "csv", "edges", "docword", "mtx"});
  options.take_vertices(Options::Kinds::two);
  options.take_rounds(10000, 1e-4);
  options.take_staleness([&settings](const RunOptions& run) {
    if (settings.softmax()) return check_softmax(run);
    check_logistic_regression(run, settings.kind(), settings.asked());
  });
  options.take_seed();
  options.take_threads();
  options.take_dry_run();
  options.take_observing();
  options.take_partition(partition_methods(), "auto");
  options.take_without_input();
  options.take_model({"--penalty", "-C", "--solver", "--bias", "--test", "--online", "--rate",
                      "--hash", "--class-weight", "--costs", "--heldout", "--multiclass", "--label",
                      "--categorical", "--filters"});
  options.take_output({"weights.npy", "classes.npy", "path.tsv", "predictions.npy", "labels.npy",
                       "ids.txt", "names.txt", "parameter_ids.txt", "parameter_names.txt",
                       "columns.txt"});
  options.take_text();
  options.take_top("of the largest weights");
  options.text("--labels", settings.labels, "FILE", "Lines 'id label', or a label per row");
  options.text("--label", settings.label, "COLUMN",
               "INPUT is a table (csv) with the labels in this column");
  options.text("--categorical", settings.categorical, "A,B,...",
               "csv: numbers in these columns are categories");
  options.choice("--penalty", settings.penalty, {"l1", "l2"}, "What keeps weights small");
  options.real("-C", settings.cost, {.least = 0, .most = 1e100, .without_least = true},
               "Cost of the loss against the penalty");
  options.text("--costs", settings.costs, "C,C,...",
               "Take the -C of these that is best on held-out examples");
  options.real("--heldout", settings.held_out, {.least = 0, .most = 0.999, .without_least = true},
               "Share of the examples that --costs holds out");
  options.needs("--heldout", "--costs");
  options.text("--class-weight", settings.class_weight, "WEIGHTS",
               "Weights of the classes: balanced, or LABEL=W,...");
  options.choice("--multiclass", settings.multiclass, {"softmax", "rest"},
                 "Tell several classes apart");
  options.choice(
      "--solver", settings.solver, {"auto", "newton", "local-newton", "dual"},
      "newton: Newton's method, at staleness 0; local-newton: the same in few, longer rounds, for "
      "slow ranks; dual: coordinate ascent in each thread's examples, for l2 at any staleness; "
      "auto: newton at staleness 0, else dual");
  options.text("--filters", settings.filters, "LIST",
               "What ranks need not send with --penalty l1: some of kkt,significance,"
               "compression, or none");
  options.flag("--bias", settings.bias, "Add a column of ones, penalised like others");
  options.text("--test", settings.test, "FILE", "Predict these rows, too");
  options.flag("--online", settings.online,
               "Learn row by row in one pass, without penalty, and keep no rows; for libsvm, vw "
               "and csv of any length");
  options.real("--rate", settings.rate, {.least = 0, .most = 1e100, .without_least = true},
               "Learning rate: factor of the steps of --online");
  options.needs("--rate", "--online");
  options.count("--hash", settings.hash_bits, 1,
                "Hash the features into 2^N weights; for names and numbers of any size",
                loaders::most_hash_bits);
  options.summary_keys({"solver",
                        "gap",
                        "nonzeros",
                        "accuracy",
                        "test_accuracy",
                        "test_logloss",
                        "progressive_loss",
                        "test_auc",
                        "auc",
                        "logloss",
                        "cost",
                        "heldout_logloss",
                        "heldout_auc",
                        "classes",
                        "filters.keys_offered",
                        "filters.keys_inactive",
                        "filters.keys_insignificant",
                        "filters.keys_sent",
                        "filters.bytes_offered",
                        "filters.bytes_after_kkt",
                        "filters.bytes_after_significance",
                        "filters.bytes_sent"});
  options.check([&options, &settings] {
    if (settings.online) check_online(options);
    check_class_weight(settings.class_weight);
    settings.chosen_filters();
    if (options.given("--filters") && settings.penalty != "l1")
      throw UsageError("--filters is for --penalty l1");
    settings.path();
    if (settings.table().given() && options.given("--generate"))
      throw UsageError(
          "--label and --categorical describe columns of INPUT: they exclude --generate");
    if (options.given("--label") && options.given("--labels"))
      throw UsageError("--label and --labels exclude each other");
    if (!settings.multiclass.empty()) check_multiclass(options, settings);
    if (!settings.costs.empty() && options.given("-C"))
      throw UsageError("-C and --costs exclude each other");
    if (!settings.costs.empty() && !options.common.checkpoint.empty())
      throw UsageError(
          "--costs and --checkpoint exclude each other: --costs cannot write checkpoints");
    if (settings.solver == "dual" && settings.penalty == "l1")
      throw UsageError(
          "--solver dual needs --penalty l2: for --penalty l1, choose --solver newton");
  });
}

}  // namespace gas::tools
