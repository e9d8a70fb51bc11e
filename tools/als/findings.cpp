#include "tools/als/findings.hpp"

#include <fmt/format.h>

#include <string>
#include <vector>

#include "tools/support/show/counted.hpp"

namespace gas::tools {
namespace {

std::vector<std::string> told_of(const Run& run, const AlsSettings& settings, const AlsFit& fit,
                                 const Rated& rated, std::optional<double> rmse,
                                 std::optional<double> test_rmse) {
  const Spread& ratings = rated.ratings;
  const std::string users = counted(rated.shape.sources, "user", "users");
  const std::string items = counted(rated.shape.targets, "item", "items");
  const auto each = [&](std::uint64_t rows) {
    return rows > 0 ? static_cast<double>(ratings.count) / static_cast<double>(rows) : 0;
  };
  std::vector<std::string> told;
  if (run.options.apply)
    told.push_back(
        fmt::format("found the rows of {} by the items of {}", users, run.options.model));
  else
    told.push_back(fmt::format("learnt {} for each of {} and {} in {}{}",
                               counted(fit.model.rank, "number", "numbers"), users, items,
                               counted(fit.outcome.rounds, "round", "rounds"),
                               fit.outcome.converged ? "" : ", not converged yet"));
  told.push_back(fmt::format("from {}: {:.1f} of a user and {:.1f} of an item in the mean",
                             counted(ratings.count, "rating", "ratings"), each(rated.shape.sources),
                             each(rated.shape.targets)));
  if (settings.implicit) {
    told.push_back("values of the pairs: " + text_of(ratings));
    told.push_back(
        "a product of two rows near 1 means that the pair is likely, near 0 that it is not");
    told.push_back(run.summary.objective
                       ? fmt::format("squared errors of all pairs, and penalty: {:.6g}",
                                     *run.summary.objective)
                       : std::string("the objective was not measured"));
    return told;
  }
  told.push_back("ratings: " + with_mean(ratings));
  told.push_back(rmse ? "on these ratings: " + rms_error(*rmse)
                      : std::string("there are no ratings to compare with"));
  if (!test_rmse) {
    told.push_back("on ratings not seen: --heldout FRACTION measures the error");
    return told;
  }
  std::string text = "on ratings held out: " + rms_error(*test_rmse);
  if (*test_rmse > ratings.deviation)
    text += fmt::format(", worse than the mean alone: try {}{}a larger --lambda",
                        settings.subtract_mean ? "" : "--subtract-mean or ",
                        settings.weighted ? "" : "--weighted-lambda or ");
  told.push_back(text);
  return told;
}

}  // namespace

void tell_rows(Run& run, const AlsSettings& settings, const AlsFit& fit, const Rated& rated,
               std::optional<double> rmse, std::optional<double> test_rmse) {
  if (run.options.quiet || run.summary.interrupted) return;
  for (const std::string& line : told_of(run, settings, fit, rated, rmse, test_rmse))
    run.note(line);
}

}  // namespace gas::tools
