#include "tools/support/show/summary.hpp"

#include <fstream>
#include <numeric>
#include <stdexcept>

#include "gas/engine/run_options.hpp"
#include "tools/support/show/value_json.hpp"

namespace gas::tools {
namespace {

using Json = nlohmann::ordered_json;

Json to_json(const RunSummary::Rank& rank) {
  const RankReport& report = rank.report;
  const auto& seen = report.staleness.histogram;
  std::size_t lags = seen.size();
  while (lags > 0 && seen[lags - 1] == 0) --lags;
  return {{"computing", report.computing},
          {"waiting", report.waiting},
          {"ending", report.ending},
          {"communicating", report.communicating},
          {"staleness", std::vector<std::uint64_t>(
                            seen.begin(), seen.begin() + static_cast<std::ptrdiff_t>(lags))},
          {"applied", report.counters.applies},
          {"messages", rank.messages},
          {"bytes", rank.bytes}};
}

}  // namespace

void RunSummary::set(const std::string& key, Value value) {
  for (auto& [name, held] : own) {
    if (name == key) {
      held = std::move(value);
      return;
    }
  }
  throw std::logic_error("the tool has no summary key " + key);
}

void RunSummary::set(const std::string& key, std::vector<Object> list) {
  set(key, Value());
  lists.emplace_back(key, std::move(list));
}

std::string RunSummary::json() const {
  Json line;
  line["tool"] = tool;
  line["schema"] = 1;
  line["version"] = GAS_VERSION;
  line["input"] = or_null(input);
  line["ranks"] = ranks;
  line["threads"] = threads;
  const bool async = staleness_bound == Staleness::async;
  line["staleness"] = {{"bound", async ? Json("async") : or_null(staleness_bound)},
                       {"max_seen", or_null(staleness_most)},
                       {"mean_seen", or_null(staleness_mean)}};
  line["iterations"] = or_null(iterations);
  line["converged"] = or_null(converged);
  line["reproducible"] = or_null(reproducible);
  line["seed"] = or_null(seed);
  line["objective"] = or_null(objective);
  line["seconds"] = {{"load", seconds[0]},    {"partition", seconds[1]},
                     {"compute", seconds[2]}, {"objective", seconds[3]},
                     {"output", seconds[4]},  {"total", total_seconds}};
  line["vertices"] = {{"data", or_null(data_vertices)}, {"parameter", or_null(parameter_vertices)}};
  line["edges"] = or_null(edges);
  Json& sampled = line["sampled_from"] = nullptr;
  if (whole) sampled = {{"rows", whole->rows}, {"edges", whole->edges}, {"share", whole->share}};
  line["missing_ids"] = missing_ids;
  Json& bytes = line["bytes_sent"] = nullptr;
  if (bytes_sent) bytes = std::accumulate(bytes_sent->begin(), bytes_sent->end(), std::uint64_t{0});
  std::size_t purpose = 0;
  for (const char* name : {"values", "totals", "signals", "control"}) {
    line["bytes"][name] = bytes_sent ? Json((*bytes_sent)[purpose]) : Json();
    ++purpose;
  }
  Json& ranks_done = line["per_rank"] = nullptr;
  for (const Rank& rank : per_rank) ranks_done.push_back(to_json(rank));
  line["peak_memory_bytes"] = peak_memory_bytes;
  line["estimated_memory_bytes"] = or_null(estimated_memory_bytes);
  line["warnings"] = warnings;
  line["partition"] = {{"method", or_null(partition_method)},
                       {"parts", or_null(parts)},
                       {"replication_factor", or_null(replication_factor)}};
  for (const auto& [key, value] : own) {
    const std::size_t dot = key.find('.');
    if (dot == std::string::npos)
      line[key] = json_of(value);
    else
      line[key.substr(0, dot)][key.substr(dot + 1)] = json_of(value);
  }
  for (const auto& [key, list] : lists) {
    Json& objects = line[key] = Json::array();
    for (const Object& object : list) {
      Json& made = objects.emplace_back(Json::object());
      for (const auto& [name, value] : object) made[name] = json_of(value);
    }
  }
  return line.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::uint64_t peak_memory_bytes() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    std::uint64_t kilobytes = 0;
    if (word == "VmHWM:" && status >> kilobytes) return kilobytes * 1024;
  }
  return 0;
}

}  // namespace gas::tools
