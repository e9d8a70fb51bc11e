// gas-logreg: logistic regression, trained and applied.
#include "programs/logistic_regression/multiclass/multiclass.hpp"
#include "tools/logreg/tasks.hpp"
#include "tools/support/linear/apply.hpp"
#include "tools/support/memory/graph_memory.hpp"

using namespace gas;
using namespace gas::tools;

namespace {

constexpr std::uint64_t presumed_classes = 10;  // of softmax, before INPUT tells

}  // namespace

int main(int argc, char* argv[]) {
  LogregSettings settings;
  return run_tool(
      "gas-logreg", argc, argv, [&](Options& options) { take_logreg(options, settings); },
      [&](Run& run) {
        check_test(run, settings.test);
        if (settings.online) return learn_online(run, settings);
        FeatureIds given;  // of --model: whether INPUT is a table or is hashed, for the estimate
        given.hash_bits = settings.hash_bits;
        if (!run.options.model.empty()) {
          const ModelFolder stored(run.transport, run.options.model, "gas-logreg");
          given.table = read_columns(run.transport, stored);
          together(run.transport, [&] { given.hash_bits = read_hash_bits(stored); });
        }
        const auto bytes = [&](const PieceSizes& piece) {
          if (settings.softmax()) return softmax_bytes(piece, presumed_classes);
          return logistic_regression_bytes(piece, settings.kind(),
                                           settings.method(run.options.run_options()));
        };
        if (!check_memory(run, examples_wish(&given, settings.table()), bytes)) return;
        run.enter(Phase::load);
        if (run.options.apply) return apply(run, settings);
        return settings.multiclass.empty() ? train(run, settings) : train_classes(run, settings);
      });
}
