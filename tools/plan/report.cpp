#include "tools/plan/report.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "tools/support/show/table.hpp"

namespace gas::tools {
namespace {

std::string seconds(double value) { return fmt::format("{:.3g} s", value); }

}  // namespace

std::string plan_text(const Plan& plan) {
  using enum Table::Side;
  Table table({right, right, right, right, right, right, right});
  table.row({"ranks", "before", "a round", "in all", "memory", "bytes sent",
             plan.by_price ? "price" : ""});
  for (const Forecast& forecast : plan.forecasts)
    table.row({fmt::format("{}{}", forecast.ranks, forecast.run ? "" : " *"),
               seconds(forecast.set_up), seconds(forecast.round), seconds(forecast.seconds),
               forecast.memory ? fmt::format("{:.0f} MB", *forecast.memory * 1e-6) : "?",
               fmt::format("{}{:.0f}", forecast.exact_bytes ? "" : "~", forecast.bytes),
               plan.by_price ? fmt::format("{:.3g}", forecast.price) : ""});
  std::string text = table.text() + "\n";
  if (plan.best)
    text += fmt::format("{}{}: {} rank{}\n", plan.by_price ? "cheapest" : "best",
                        plan.deadline > 0 ? fmt::format(" within {} s", plan.deadline) : "",
                        *plan.best, *plan.best == 1 ? "" : "s");
  else
    text += fmt::format("none of these ends within {} s\n", plan.deadline);
  text += "\nNot known:\n";
  for (const std::string& unknown : plan.unknown) text += "- " + unknown + "\n";
  return text;
}

std::string plan_json(const Plan& plan) {
  nlohmann::ordered_json line;
  line["tool"] = plan.tool;
  line["rounds"] = plan.rounds;
  line["deadline"] = plan.deadline;
  line["plans"] = nlohmann::ordered_json::array();
  for (const Forecast& forecast : plan.forecasts) {
    nlohmann::ordered_json one{
        {"ranks", forecast.ranks},
        {"run", forecast.run},
        {"seconds",
         {{"before", forecast.set_up}, {"round", forecast.round}, {"total", forecast.seconds}}},
        {"memory_bytes", nullptr},
        {"bytes_sent", forecast.bytes},
        {"exact_bytes", forecast.exact_bytes},
        {"price", forecast.price}};
    if (forecast.memory) one["memory_bytes"] = *forecast.memory;
    line["plans"].push_back(one);
  }
  line["best"] = nullptr;
  if (plan.best) line["best"] = *plan.best;
  line["unknown"] = plan.unknown;
  return line.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace gas::tools
