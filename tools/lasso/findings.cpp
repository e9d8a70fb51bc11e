#include "tools/lasso/findings.hpp"

#include <fmt/format.h>

#include "tools/support/linear/strongest.hpp"
#include "tools/support/show/counted.hpp"
#include "tools/support/show/spread.hpp"

namespace gas::tools {
namespace {

std::string wrong_by(double rmse) {
  return fmt::format("wrong by {:.4g} (root mean square)", rmse);
}

std::string not_zero(const StoredLasso& model) {
  return fmt::format("{} of {} are not 0", model.nonzeros(),
                     counted(model.weights.size(), "weight", "weights"));
}
std::string speaking(const StoredLasso& model) {
  return fmt::format("strongest upwards: {}; downwards: {}", strongest(model, model.weights, true),
                     strongest(model, model.weights, false));
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
      fmt::format("targets: {:.4g} in the mean, from {:.4g} to {:.4g}; always the mean would be {}",
                  spread.mean, spread.least, spread.most, wrong_by(spread.deviation)),
      fmt::format("on the examples learnt from: {}", wrong_by(fit.rmse)),
      test != nullptr && test->rmse
          ? fmt::format("on {}: {}", test_file, wrong_by(*test->rmse))
          : std::string("on examples not seen: --test FILE measures how wrong it is"),
      not_zero(model) + "; " + speaking(model)};
}

std::vector<std::string> told_of(Run& run, const StoredLasso& model, const Predicted& predicted) {
  const Spread spread = spread_of(run.transport, std::span<const float>(predicted.values));
  return {fmt::format("predicted {} by {}", counted(predicted.ids.rows(), "example", "examples"),
                      run.options.model),
          fmt::format("predictions: {:.4g} in the mean, from {:.4g} to {:.4g}", spread.mean,
                      spread.least, spread.most),
          predicted.rmse ? "held against the targets: " + wrong_by(*predicted.rmse)
                         : std::string("there are no targets to hold this against"),
          not_zero(model), speaking(model)};
}

}  // namespace gas::tools
