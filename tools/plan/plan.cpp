#include "tools/plan/plan.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <sstream>
#include <thread>

#include "gas/base/error.hpp"
#include "gas/base/text/parse_number.hpp"
#include "tools/plan/command.hpp"
#include "tools/support/command/values.hpp"

namespace gas::tools {
namespace {

constexpr int most_started = 64;      // ranks, to ask for their memory and the bytes they send
constexpr double short_round = 1e-3;  // seconds
constexpr double short_run = 10;      // seconds that rounds on all of INPUT may take in any case

int cores_here() { return std::max(1, static_cast<int>(std::thread::hardware_concurrency())); }

/// The numbers of ranks that samples are run on: one, those asked for that this machine can run,
/// and for a forecast of other hosts what two and four ranks send.
std::set<int> ranks_to_run(const PlanWish& wish) {
  std::set<int> ranks{1};
  for (const int count : wish.ranks)
    if (count <= 2 * cores_here()) ranks.insert(count);
  if (wish.ranks.back() > *ranks.rbegin())
    for (const int count : {2, 4})
      if (count <= 2 * cores_here()) ranks.insert(count);
  return ranks;
}

using Say = std::function<void(const std::string&)>;

/// A tool that chooses how INPUT is cut, told so; one rank cuts nothing.
SampleWish cut_by(const std::string& method, SampleWish tool, int ranks) {
  if (tool.chooses_cut && ranks > 1) tool.tool.insert(tool.tool.end(), {"--partition", method});
  return tool;
}

/// All of INPUT, read and cut for no round: what it sends, the memory that it takes and the method
/// that `auto` chooses are those of the run.
Sample cut_whole(const SampleWish& tool, int ranks) {
  return run_sample(cut_by("auto", tool, ranks), ranks, 1, 0);
}

/// Numbers of ranks that this machine cannot run, but may be able to cut INPUT for.
void cut_for_others(const PlanWish& wish, const SampleWish& tool, const std::set<int>& run,
                    const Say& say, std::vector<Sample>& samples) {
  for (const int ranks : wish.ranks) {
    if (run.contains(ranks) || ranks > most_started) continue;
    say(fmt::format("all of INPUT on {} ranks, no round", ranks));
    try {
      samples.push_back(cut_whole(tool, ranks));
    } catch (const InputError&) {  // more memory than there is
    } catch (const RunError&) {
    }
  }
}

/// Runs of some rounds on so many ranks: on a share of INPUT, then on all of it if that is foreseen
/// to be short, else on smaller shares; cut by the method that `auto` chooses for all of it. Also
/// for no round on all of it and on the largest share with rounds.
void run_rounds(const PlanWish& wish, const SampleWish& given, int ranks, const Say& say,
                std::vector<Sample>& samples) {
  const std::string where = fmt::format("on {} rank{}", ranks, ranks == 1 ? "" : "s");
  say(fmt::format("all of INPUT {}, no round", where));
  const Sample whole = cut_whole(given, ranks);
  samples.push_back(whole);
  const SampleWish tool = cut_by(whole.method, given, ranks);
  const auto run_share = [&](double share) {
    say(share < 1 ? fmt::format("a share of {} {}", share, where) : "all of INPUT " + where);
    std::vector<Sample> repeats;
    for (std::uint64_t i = 0; i < wish.repeats; ++i)
      repeats.push_back(run_sample(tool, ranks, share, wish.sample_rounds));
    std::ranges::sort(repeats, {}, &Sample::round);
    samples.push_back(repeats[repeats.size() / 2]);
  };
  run_share(wish.share);
  const Sample& seen = samples.back();
  const double foreseen =
      (seen.round * static_cast<double>(seen.rounds) + seen.beyond) / seen.share;
  const bool runs_whole =
      !wish.shares_only && foreseen <= std::max(short_run, whole.load + whole.partition);
  if (runs_whole) {
    run_share(1);
  } else {
    for (const double part : {4, 2}) run_share(wish.share / part);
  }
  if (ranks == 1) return;
  // A first round may send less than others: their bytes are those of more rounds less fewer.
  const double largest = runs_whole ? 1 : wish.share;
  samples.push_back(run_sample(tool, ranks, largest, wish.sample_rounds / 2));
  if (!runs_whole) samples.push_back(run_sample(tool, ranks, largest, 0));
}

std::vector<Sample> run_samples(const PlanWish& wish, const SampleWish& given, const Say& say) {
  const std::set<int> all = ranks_to_run(wish);
  std::vector<Sample> samples;
  for (const int ranks : all) run_rounds(wish, given, ranks, say, samples);
  cut_for_others(wish, given, all, say, samples);
  return samples;
}

/// The cheapest, or else the fastest; with a deadline among those that meet it, and then the one of
/// the fewest ranks, if nothing has a price.
void choose(Plan& plan, const PlanWish& wish) {
  plan.by_price = wish.host && wish.host->price > 0;
  plan.deadline = wish.deadline;
  const auto cost = [&](const Forecast& forecast) {
    if (plan.by_price) return forecast.price;
    return wish.deadline > 0 ? static_cast<double>(forecast.ranks) : forecast.seconds;
  };
  const Forecast* best = nullptr;
  for (const Forecast& forecast : plan.forecasts)
    if ((wish.deadline == 0 || forecast.seconds <= wish.deadline) &&
        (best == nullptr || cost(forecast) < cost(*best)))
      best = &forecast;
  if (best != nullptr) plan.best = best->ranks;
}

void tell_unknown(Plan& plan, const PlanWish& wish, const std::vector<Sample>& samples) {
  const auto tell = [&](std::string text) { plan.unknown.push_back(std::move(text)); };
  tell(fmt::format("the number of rounds: {:.0f} are assumed, each as the last of {} that were run",
                   plan.rounds, wish.sample_rounds));
  std::set<int> by_shares, far;
  for (const Sample& sample : samples)
    if (sample.rounds > 0) by_shares.insert(sample.ranks);
  for (const Sample& sample : samples)
    if (sample.rounds > 0 && sample.share == 1) by_shares.erase(sample.ranks);
  if (!by_shares.empty())
    tell(fmt::format("rounds on all of INPUT on {} ranks: those of shares are scaled",
                     fmt::join(by_shares, ", ")));
  bool estimated = false;
  for (const Forecast& forecast : plan.forecasts) {
    if (!forecast.run) far.insert(forecast.ranks);
    estimated = estimated || !forecast.exact_bytes;
  }
  if (!far.empty())
    tell(fmt::format("runs on {} ranks: they were not tried here, but are extrapolated",
                     fmt::join(far, ", ")));
  if (estimated)
    tell("bytes marked ~: rounds may send other numbers of bytes than those that were run");
  double longest = 0;
  for (const Sample& sample : samples) longest = std::max(longest, sample.round);
  if (longest < short_round)
    tell(fmt::format("times: the longest round took {:.0f} µs, which is too short to measure well",
                     longest * 1e6));
  if (wish.host) tell("how fast the hosts' cores, memory and files are beside this machine's");
}

/// The rounds that are assumed where the command line names none: those of the tool's help if no
/// tolerance ends them sooner, else 100.
double usual_rounds(const std::string& help) {
  const auto number_behind = [&](std::string_view name) {
    const std::size_t at = help.find(name);
    if (at == help.npos) return std::string();
    const std::size_t begin = at + name.size();
    return help.substr(begin, help.find_first_of(" \n", begin) - begin);
  };
  std::uint64_t rounds = 0;
  if (number_behind("--tolerance X=") == "0" &&
      parse_number(number_behind("--iterations N="), rounds) && rounds > 0)
    return static_cast<double>(rounds);
  return 100;
}

/// Options of the tool that a plan cannot go with, which would be refused with words that the user
/// did not give.
void check_words(const ToolCommand& tool) {
  const auto refuse_option = [&](const std::string& option, const char* why) {
    throw UsageError(option + ": " + why);
  };
  if (!tool.value("--sample").empty())
    refuse_option("--sample", "gas-plan takes samples itself (--share): leave it out");
  const std::string rounds = tool.value("--iterations");
  if (std::uint64_t told = 0; !rounds.empty() && (!parse_number(rounds, told) || told == 0))
    refuse("--iterations", rounds, "a whole number of at least 1, of which a plan can be made");
  if (tool.has("--online"))
    refuse_option("--online", "a pass over a stream has no rounds, which a plan needs");
  if (tool.value("--partition").find('/') != std::string::npos)  // others the tool refuses
    refuse_option("--partition", "samples are cut anew: give a method, not a folder");
  if (tool.value("--topics").find(',') != std::string::npos)
    refuse_option("--topics", "a plan is of one fit: give one number of topics");
  if (!tool.value("--scan").empty())
    refuse_option("--scan", "a plan is of one fit: give one number of clusters (-k)");
  if (!tool.value("--costs").empty())
    refuse_option("--costs", "a plan is of one fit: give one cost (-C)");
  if (const std::string starts = tool.value("--restarts"); !starts.empty() && starts != "1")
    refuse_option("--restarts", "a plan is of one fit: leave it out, and plan for one start");
  if (tool.value("--multiclass") == "rest")
    refuse_option("--multiclass", "a plan is of one fit, and rest makes one for each class");
}

}  // namespace

std::vector<std::string> parts_of(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);)
    if (!part.empty()) parts.push_back(part);
  return parts;
}

Host parse_host(const std::string& text) {
  Host host;
  for (const std::string& item : parts_of(text, ',')) {
    const std::size_t equals = item.find('=');
    const std::string key = item.substr(0, equals);
    double* const value = key == "cores"       ? &host.cores
                          : key == "bandwidth" ? &host.bandwidth
                          : key == "latency"   ? &host.latency
                          : key == "price"     ? &host.price
                                               : nullptr;
    const bool number = equals != std::string::npos && value != nullptr &&
                        parse_number(item.substr(equals + 1), *value);
    if (!number || !std::isfinite(*value) || *value < 0 || host.cores <= 0)
      refuse("--host", item, "cores, bandwidth, latency or price, '=' and a number from 0");
  }
  return host;
}

Plan make_plan(const PlanWish& wish, const ToolCommand& tool, const Say& say) {
  if (wish.ranks.empty()) throw UsageError("--ranks has no number");
  if (tool.reads_standard_input())
    throw UsageError("standard input can be read only once: INPUT must be a file");
  const std::string help = run_command({tool.words().front(), "--help-all"}).out;
  if (help.find("--sample ") == std::string::npos)
    throw UsageError(fmt::format(
        "{} cannot run on a sample of INPUT, which a plan needs: gas-plan is for gas-als, "
        "gas-kmeans, gas-lasso, gas-lda, gas-logreg and gas-pagerank",
        tool.name()));
  check_words(tool);
  const std::string cut = tool.value("--partition");
  const bool chooses_cut =
      cut == "auto" || (cut.empty() && help.find("--partition DIR|METHOD=auto") != help.npos);
  std::vector<std::string> left_out = {
      "-o",           "--output",           "--log",     "--report", "--trace", "--checkpoint",
      "--iterations", "--checkpoint-every", "--summary", "--top"};
  if (chooses_cut) left_out.emplace_back("--partition");
  const SampleWish started{
      .tool = tool.words_without(left_out, {"--text", "--force", "--resume", "--checkpoint-gather",
                                            "--quiet", "--require-convergence", "--dry-run"}),
      .mpirun = wish.mpirun,
      .chooses_cut = chooses_cut};
  Plan plan{.tool = tool.name(), .rounds = static_cast<double>(wish.rounds)};
  std::uint64_t told = 0;
  if (wish.rounds == 0)
    plan.rounds = parse_number(tool.value("--iterations"), told) ? static_cast<double>(told)
                                                                 : usual_rounds(help);
  double threads = 0;
  if (!parse_number(tool.value("--threads"), threads)) threads = 0;

  std::map<int, double> memory;  // by ranks
  for (const int ranks : wish.ranks)
    if (ranks <= most_started) memory[ranks] = memory_of(started, ranks);
  const std::vector<Sample> samples = run_samples(wish, started, say);
  for (const Sample& sample : samples)
    if (const auto estimate = memory.find(sample.ranks); estimate != memory.end())
      estimate->second = std::max(estimate->second, sample.memory);
  std::uint64_t end = 0;  // the last round on all of INPUT
  for (const Sample& sample : samples)
    if (sample.share == 1) end = std::max(end, sample.rounds);
  if (wish.rounds == 0 && end > 0 && end < wish.sample_rounds)
    plan.rounds = std::min(plan.rounds, static_cast<double>(end));
  const Forecaster forecaster(samples, cores_here(), threads);
  for (const int ranks : wish.ranks) {
    plan.forecasts.push_back(wish.host ? forecaster.on(*wish.host, ranks, plan.rounds)
                                       : forecaster.here(ranks, plan.rounds));
    if (memory.contains(ranks)) plan.forecasts.back().memory = memory.at(ranks);
  }
  choose(plan, wish);
  tell_unknown(plan, wish, samples);
  return plan;
}

}  // namespace gas::tools
