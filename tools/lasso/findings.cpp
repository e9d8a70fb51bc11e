#include "tools/lasso/findings.hpp"

#include <fmt/format.h>

#include "tools/support/linear/strongest.hpp"
#include "tools/support/show/counted.hpp"
#include "tools/support/show/spread.hpp"

namespace gas::tools {
namespace {

std::string not_zero(const StoredLasso& model) {
  return fmt::format("{} of {} are not 0", model.nonzeros(),
                     counted(model.weights.size(), "weight", "weights"));
}
std::string speaking(const StoredLasso& model) {
  return fmt::format("largest positive weights: {}; negative: {}",
                     strongest(model, model.weights, true), strongest(model, model.weights, false));
}

}  // namespace

std::vector<std::string> told_of(Run& run, const StoredLasso& model, const LassoFit& fit,
                                 std::span<const double> targets, const Predicted* test,
                                 const std::string& test_file) {
  const Spread spread = spread_of(run.transport, targets);
  return {
      fmt::format("learnt from {} in {}{}; no weights have an objective more than {:.2g} % below",
                  counted(spread.count, "example", "examples"),
                  counted(fit.outcome.rounds, "round", "rounds"),
                  fit.outcome.converged ? "" : ", not converged yet", 100 * fit.gap),
      "targets: " + with_mean(spread),
      fmt::format("on the examples learnt from: {}", rms_error(fit.rmse)),
      test != nullptr && test->rmse
          ? fmt::format("on {}: {}", test_file, rms_error(*test->rmse))
          : std::string("on examples not seen: --test FILE measures the error"),
      not_zero(model) + "; " + speaking(model)};
}

std::vector<std::string> told_of(Run& run, const StoredLasso& model, const Predicted& predicted) {
  const Spread spread = spread_of(run.transport, std::span<const float>(predicted.values));
  return {fmt::format("predicted {} by {}", counted(predicted.ids.rows(), "example", "examples"),
                      run.options.model),
          "predictions: " + text_of(spread),
          predicted.rmse ? "compared with the targets: " + rms_error(*predicted.rmse)
                         : std::string("there are no targets to compare with"),
          not_zero(model), speaking(model)};
}

}  // namespace gas::tools
