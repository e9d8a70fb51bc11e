// What the options mean that tools have in common.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>

#include "gas/base/error.hpp"
#include "gas/base/suggestion.hpp"
#include "gas/base/text/parse_number.hpp"
#include "gas/base/types.hpp"
#include "loaders/generate/spec.hpp"
#include "tools/support/command/options.hpp"
#include "tools/support/command/values.hpp"

namespace gas::tools {
namespace {

struct NamedConsistency {
  std::string name;
  Consistency value;
};

const std::vector<NamedConsistency>& consistencies() {
  static const std::vector<NamedConsistency> all{{"snapshot", Consistency::snapshot},
                                                 {"vertex", Consistency::vertex},
                                                 {"edge", Consistency::edge}};
  return all;
}

}  // namespace

void Options::take_input(std::vector<std::string> formats) {
  app_->add_option("INPUT", common.inputs,
                   "File to read, or - for standard input; several are read as one")
      ->type_name("");
  const auto reads = [&](const char* format) {
    return std::ranges::find(formats, format) != formats.end();
  };
  if (reads("edges") || reads("dense")) take_table(reads("dense"), reads("csv"));
  if (reads("edges"))
    choice("--ids", ids_, {"auto", "names"}, "Whether all ids of an edge list are names");
  const bool libsvm = reads("libsvm");
  if (libsvm) choice("--index-base", index_base_, {"0", "1"}, "The first column of libsvm");
  formats.insert(formats.begin(), "auto");
  choice("--format", common.format, std::move(formats), "Format of INPUT");
  text("--generate", common.generate, "SPEC",
       "Run on a generated data set instead of INPUT: name:key=value,...");
  flag("--allow-empty", common.allow_empty, "Accept an INPUT without edges, vertices or points");
  check([this, libsvm] {
    common.input = fmt::format("{}", fmt::join(common.inputs, " "));
    common.table.names = ids_ == "names";
    if (libsvm && given("--index-base")) common.index_base = index_base_ == "0" ? 0 : 1;
    if (common.without_input && !given("--generate")) return;
    if (given("INPUT") == given("--generate"))
      throw UsageError(given("INPUT") ? "INPUT and --generate exclude each other"
                                      : "INPUT is missing (or --generate SPEC)");
    if (std::ranges::find(common.inputs, "") != common.inputs.end())
      throw UsageError("INPUT is an empty name");
    for (const char* const of_input :
         {"--format", "--header", "--delimiter", "--columns", "--ids", "--index-base"}) {
      const CLI::Option* const option = app_->get_option_no_throw(of_input);
      if (given("--generate") && option != nullptr && option->count() > 0)
        throw UsageError(std::string(of_input) + " describes INPUT, which --generate replaces");
    }
    if (given("--generate") && loaders::parse_spec(common.generate).undirected())
      common.undirected = true;
  });
}

void Options::take_summaries() {
  app_->add_option("INPUT", common.inputs, "Files with summaries of runs")->type_name("");
  check([this] {
    common.input = fmt::format("{}", fmt::join(common.inputs, " "));
    if (common.inputs.empty()) throw UsageError("INPUT is missing");
  });
}

void Options::take_vertices(Kinds kinds) {
  text(
      "--vertices", vertices_, kinds == Kinds::two ? "N,M|FILE,FILE" : "N|FILE",
      fmt::format("Which ids an edge list has, with edges or without: 0 ... N-1, or a file with an "
                  "id per line and perhaps its name{}",
                  kinds == Kinds::by_option ? " (with --bipartite N,M or FILE,FILE)" : ""));
  check([this, kinds] {
    if (!given("--vertices")) return;
    const bool both = kinds == Kinds::two || common.bipartite;
    std::vector<std::string> items{vertices_};
    if (const std::size_t comma = vertices_.find(','); both && comma != std::string::npos)
      items = {vertices_.substr(0, comma), vertices_.substr(comma + 1)};
    if (items.size() != (both ? 2U : 1U) || items.front().empty() || items.back().empty())
      refuse("--vertices", vertices_, "two with a comma between them, each a number or a file");
    for (const std::string& item : items) {
      loaders::Declaration declaration{.given = true};
      if (!std::ranges::all_of(item, [](char c) { return c >= '0' && c <= '9'; }))
        declaration.file = item;
      else if (!parse_number(item, declaration.count) || declaration.count > max_vertices)
        refuse("--vertices", item, fmt::format("a number up to {}, or a file", max_vertices));
      common.vertices.push_back(declaration);
    }
    if (given("--generate") && (!loaders::parse_spec(common.generate).undirected() ||
                                !common.vertices.front().file.empty()))
      throw UsageError(
          "if --vertices is given with --generate, it must be a number, and the generator "
          "kronecker, uniform or grid");
  });
}

void Options::take_table(bool points, bool examples) {
  choice("--header", header_, {"auto", "yes", "no"}, "Whether the first line names the columns");
  text("--delimiter", delimiter_, "CHARS",
       "What separates columns: blanks, tab, or characters such as , ; | ::");
  text("--columns", columns_, points || examples ? "LIST" : "SOURCE,TARGET[,VALUE]",
       "Columns to read, by name or number from 1");
  check([this, points, examples] {
    loaders::TableOptions& table = common.table;
    table.header = loaders::parse_header(header_);
    if (!delimiter_.empty()) table.delimiter = loaders::parse_delimiter(delimiter_);
    if (columns_.empty()) return;
    table.columns = loaders::parse_columns(columns_);
    const std::size_t count = table.columns.size();
    const bool range = count == 1 && columns_.find('-') != std::string::npos;
    const CLI::Option* const label = app_->get_option_no_throw("--label");
    const bool labelled = label != nullptr && label->count() > 0;
    const bool edges = !points && !(examples && (common.format == "csv" || labelled));
    if (edges && !range && count != 2 && count != 3)
      refuse("--columns", columns_, "SOURCE,TARGET or SOURCE,TARGET,VALUE");
    std::vector<std::string> sorted = table.columns;
    std::ranges::sort(sorted);
    if (edges && std::ranges::adjacent_find(sorted) != sorted.end())
      refuse("--columns", columns_, "each column once");
  });
}

void Options::take_rounds(std::uint64_t default_iterations, double default_tolerance) {
  take_limit(default_iterations);
  common.tolerance = default_tolerance;
  real("--tolerance", common.tolerance, {.least = 0},
       "Stop when changes fall below this; 0: never");
  real("--sample", common.sample, {.least = 0, .most = 1, .without_least = true},
       "Run on this share of the rows, or of the edges of a plain graph, and write nothing; "
       "gas-plan measures so");
  check([this] {
    if (common.sample == 1) return;
    if (!common.output.empty() || common.apply || !common.checkpoint.empty())
      throw UsageError("--sample is for measuring: it excludes --output, --apply and --checkpoint");
  });
}

void Options::take_report() {
  written_file("--report", common.report, "Write a page for the browser on the run and its result");
}

void Options::take_rounds_to_rest() { take_limit(std::numeric_limits<std::uint32_t>::max()); }

void Options::take_limit(std::uint64_t default_iterations) {
  runs_rounds_ = true;
  common.iterations = default_iterations;
  count("--iterations", common.iterations, 0, "Run at most this many rounds");
  flag("--require-convergence", common.require_convergence,
       "Exit with 4 if --iterations ended the run first");
  written_file("--log", common.log, "Write a line of JSON per round; --resume writes on");
  take_report();
  take_checkpoints();
}

void Options::take_checkpoints() {
  text("--checkpoint", common.checkpoint, "DIR",
       "Keep checkpoints of the run in this folder; --resume continues from them");
  const auto read = [this](const std::string& found) {
    const bool seconds = found.ends_with('s');
    const std::string number = seconds ? found.substr(0, found.size() - 1) : found;
    std::uint64_t count = 0;
    if (!parse_number(number, count) || count == 0 || count > 1'000'000'000)
      refuse("--checkpoint-every", found, "a number of rounds, as 20, or of seconds, as 60s");
    common.checkpoint_rounds = seconds ? 0 : count;
    common.checkpoint_seconds = seconds ? static_cast<double>(count) : 0;
  };
  app_->add_option_function<std::string>("--checkpoint-every", read,
                                         "Rounds, or seconds, between two checkpoints")
      ->type_name("N|Ns")
      ->default_str("60s");
  flag("--resume", common.resume,
       "Continue from the newest complete checkpoint of --checkpoint; ranks, threads and partition "
       "may differ from before");
  flag("--checkpoint-gather", common.checkpoint_gather,
       "Rank 0 keeps the checkpoints of all, where the ranks do not share the folder");
  for (const char* name : {"--checkpoint-every", "--resume", "--checkpoint-gather"})
    needs(name, "--checkpoint");
  check([this] {
    if (given("--checkpoint") && common.checkpoint.empty())
      throw UsageError("--checkpoint is an empty name");
    if (!common.output.empty() &&
        place_of(common.checkpoint + "/.") == place_of(common.output + "/."))
      throw UsageError(common.output +
                       ": both --checkpoint and --output name this folder: choose another for one");
  });
}

void Options::take_staleness(std::function<void(const RunOptions&)> rule, Order preferred) {
  static constexpr std::uint64_t most = 1000;
  const auto read = [this](const std::string& found) {
    if (found == "async")
      common.staleness = Staleness::async;
    else if (!parse_number(found, common.staleness) || common.staleness > most)
      refuse("--staleness", found, fmt::format("a whole number from 0 to {}, or async", most));
  };
  app_->add_option_function<std::string>(
          "--staleness", read,
          "Rounds by which a read may lag behind other ranks; async: any number")
      ->type_name("N|async")
      ->default_str("0");
  flag("--eager", common.eager,
       "Send changes before visiting the vertices that no other rank reads");
  if (preferred == Order::sweep) order_ = "sweep";
  choice("--order", order_, {"sweep", "priority"},
         preferred == Order::sweep ? "Which active vertices an async round visits first"
                                   : "Which active vertices come first; by default priority at "
                                     "staleness 0 without --consistency, else sweep");
  std::vector<std::string> names;
  for (const NamedConsistency& each : consistencies()) names.emplace_back(each.name);
  choice("--consistency", consistency_, names,
         "What neighbours may do while a vertex gathers (async: vertex, else snapshot)");
  before_help_ = [this, rule] { describe_what_stands(rule); };
  check([this, rule = std::move(rule)] {
    const bool by_default = order_.empty() && common.staleness == 0 && consistency_.empty();
    common.order = order_ == "priority" || by_default ? Order::priority : Order::sweep;
    const auto named = std::ranges::find(consistencies(), consistency_, &NamedConsistency::name);
    common.consistency = named == consistencies().end() ? Consistency::by_staleness : named->value;
    rule(common.run_options());
  });
}

/// What `rule` refuses with everything else is not offered; it is read all the same, and refused
/// with the reason.
void Options::describe_what_stands(const std::function<void(const RunOptions&)>& rule) {
  const auto stands = [&](const std::vector<std::uint64_t>& bounds, const auto& set) {
    return std::ranges::any_of(bounds, [&](std::uint64_t bound) {
      RunOptions run;
      run.staleness.bound = bound;
      set(run);
      try {
        rule(run);
      } catch (const UsageError&) {
        return false;
      }
      return true;
    });
  };
  const std::vector<std::uint64_t> any{0, 1, Staleness::async};
  const auto offer = [&](const std::string& name, const std::vector<std::string>& values) {
    CLI::Option* const option = app_->get_option(name);
    const std::string text = option->get_description();
    option->description(
        fmt::format("{}[{}]", text.substr(0, text.rfind('[')), fmt::join(values, ", ")));
  };
  std::vector<std::string> orders{"sweep"}, names;
  if (stands(any, [](RunOptions& run) { run.order = Order::priority; }))
    orders.emplace_back("priority");
  offer("--order", orders);
  for (const NamedConsistency& each : consistencies())
    if (stands(any, [&](RunOptions& run) { run.consistency = each.value; }))
      names.push_back(each.name);
  offer("--consistency", names);
  const auto as_it_is = [](RunOptions&) {};
  const bool lags = stands({1}, as_it_is), async = stands({Staleness::async}, as_it_is);
  CLI::Option* const staleness = app_->get_option("--staleness");
  staleness->type_name(fmt::format("{}{}", lags ? "N" : "0", async ? "|async" : ""));
  if (!lags && !async) staleness->default_str("");  // there is no other
}

void Options::take_topology(const std::string& parameters) {
  choice("--topology", topology_, {"flat", "groups", "tree"},
         "Who exchanges " + parameters + " with whom: all ranks, groups of √P, or a tree");
  check([this] {
    common.topology = topology_ == "groups" ? Topology::groups
                      : topology_ == "tree" ? Topology::tree
                                            : Topology::flat;
  });
}

void Options::take_observing() {
  written_file("--trace", common.trace, "Write a timeline of what every rank does, for Perfetto");
  real("--watchdog", common.watchdog, {.least = 0},
       "Report which rank waits for which after this many seconds; 0: never");
  choice("--straggler", common.straggler, {"none", "transient", "rotating", "persistent", "cloud"},
         "Experiment: slow ranks down by sleeping");
  real("--straggler-round", common.straggler_round, {.least = 0},
       "Experiment: milliseconds of sleep in each round of a rank that is not slow");
  check([this] {
    if (common.straggler != "none" && common.straggler_round == 0)
      throw UsageError("--straggler needs --straggler-round");
  });
}

void Options::take_seed() {
  has_seed_ = true;
  count("--seed", common.seed, 0, "Seed of all random choices");
}

void Options::take_threads() {
  count("--threads", common.threads, 1, "Threads per rank (cores / ranks on this host)", 4096);
}

void Options::take_partition(std::vector<std::string> methods, const std::string& default_method) {
  common.partition = default_method;
  text("--partition", common.partition, "DIR|METHOD",
       fmt::format("Folder of gas-partition, or method: {}", fmt::join(methods, ", ")));
  check([this, methods = std::move(methods)] {
    std::error_code ignored;
    const std::string& value = common.partition;
    const bool is_method = std::ranges::find(methods, value) != methods.end();
    common.partition_is_folder = value.find('/') != std::string::npos ||
                                 (!is_method && std::filesystem::is_directory(value, ignored));
    if (!common.partition_is_folder && !is_method)
      refuse("--partition", value,
             fmt::format("a folder or one of {}{}", fmt::join(methods, ", "),
                         suggestion(value, methods)));
    if (common.partition_is_folder && common.sample != 1)
      throw UsageError("--sample takes a method of --partition, not a folder");
  });
}

void Options::take_without_input() {
  flag("--without-input", common.without_input,
       "Run from the folder of --partition alone; INPUT is not needed and not read");
  check([this] {
    if (!common.without_input) return;
    if (!common.partition_is_folder) throw UsageError("--without-input needs --partition DIR");
    if (given("--generate")) throw UsageError("--without-input and --generate exclude each other");
  });
}

void Options::take_model(std::vector<std::string> of_training, bool applied_in_rounds) {
  text("--model", common.model, "DIR", "Start from the model that an earlier run wrote");
  flag("--apply", common.apply, "Only apply the model to INPUT");
  needs("--apply", "--model");
  for (const char* name : {"--staleness", "--eager", "--order", "--consistency", "--topology"})
    of_training.emplace_back(name);
  if (!applied_in_rounds)
    for (const char* name :
         {"--iterations", "--tolerance", "--require-convergence", "--log", "--checkpoint",
          "--checkpoint-every", "--checkpoint-gather", "--resume"})
      of_training.emplace_back(name);
  check([this, of_training = std::move(of_training)] {
    if (!common.apply) return;
    for (const std::string& name : of_training)
      if (app_->get_option_no_throw(name) != nullptr && given(name))
        throw UsageError(name + " has no effect with --apply: leave it out");
  });
}

void Options::take_output(std::vector<std::string> names) {
  output_names_ = std::move(names);
  text("-o,--output", common.output, "DIR", "Folder for the results; without it none are written");
  flag("--force", common.force,
       "Replace what an earlier run wrote in the folder; other files stay");
}

void Options::take_dry_run() {
  flag("--dry-run", common.dry_run,
       "Print how much memory the run would take and end; nothing is loaded or written");
  check([this] {
    const auto& inputs = common.inputs;
    if (common.dry_run && std::ranges::find(inputs, "-") != inputs.end())
      throw UsageError("--dry-run cannot read standard input: give a file as INPUT");
  });
}

void Options::take_text() {
  flag("--text", common.text, "Write tables 'id<TAB>value' as well (.tsv beside .npy)");
  needs("--text", "--output");
  const std::vector<std::string> arrays = output_names_;
  for (const std::string& name : arrays)
    if (name.ends_with(".npy")) may_write(name.substr(0, name.size() - 4) + ".tsv");
}

void Options::take_top(const std::string& what) {
  count("--top", common.top, 1, "Print this many " + what + ", also with -o");
  check([this] {
    common.top_given = given("--top");
    if (common.top_given && !summary_.empty())
      throw UsageError("--top and --summary exclude each other: both print on standard output");
  });
}

void Options::take_undirected() {
  flag("--undirected", common.undirected, "Every edge of INPUT counts in both directions");
}

void Options::take_bipartite() {
  flag("--bipartite", common.bipartite, "The two columns of an edge list are separate id spaces");
}

}  // namespace gas::tools
