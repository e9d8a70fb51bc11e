#pragma once

#include <concepts>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gas/engine/run_options.hpp"
#include "loaders/ids/declared_ids.hpp"
#include "loaders/text/table.hpp"

namespace CLI {
class App;
}

namespace gas::tools {

/// The same for all names of a file that need not be there.
std::filesystem::path place_of(const std::string& path);

/// The options that mean the same in every tool. What a tool does not take keeps the value here.
struct CommonOptions {
  std::vector<std::string> inputs;  // paths or "-"; none with --generate
  std::string input;                // what they are called together; empty with --generate
  std::string generate;             // SPEC, or empty
  std::string format = "auto";
  std::vector<loaders::Declaration> vertices;  // by --vertices: of one kind, of two, or none
  bool allow_empty = false;
  loaders::TableOptions table;              // --header, --delimiter, --columns
  std::optional<std::uint64_t> index_base;  // libsvm, 0 or 1
  std::uint64_t iterations = 0;
  double tolerance = 0;
  std::uint64_t staleness = 0;  // rounds, or Staleness::async
  bool eager = false;
  Order order = Order::sweep;
  Consistency consistency = Consistency::by_staleness;
  Topology topology = Topology::automatic;
  std::string trace;      // file, or empty
  double watchdog = 300;  // seconds; 0: none
  std::string straggler = "none";
  double straggler_round = 0;  // milliseconds
  std::uint64_t seed = 1;
  unsigned threads = 0;   // per rank; 0 until the number of ranks is known, then at least 1
  std::string partition;  // method, or folder if partition_is_folder
  bool partition_is_folder = false;
  bool without_input = false;  // the folder alone: INPUT is not looked at
  std::string output;          // folder, or empty: no file is written
  bool force = false;
  std::string model;  // folder, or empty
  bool apply = false;
  std::string log;     // file, or empty
  std::string report;  // file, or empty
  bool summary = false;
  bool dry_run = false;  // only say how much memory the run would take
  double sample = 1;     // of the rows or edges of INPUT, for a run that is only measured
  bool require_convergence = false;
  std::string checkpoint;               // folder, or empty
  std::uint64_t checkpoint_rounds = 0;  // between two; 0: checkpoint_seconds says when
  double checkpoint_seconds = 60;
  bool checkpoint_gather = false;
  bool resume = false;
  bool undirected = false;
  bool bipartite = false;
  bool quiet = false;
  std::uint64_t top = 10;  // how many of a kind are shown
  bool top_given = false;
  bool text = false;  // results as tables of text, too

  /// What a message calls the input as a whole.
  std::string input_name() const {
    if (without_input) return partition;
    return generate.empty() ? input : "--generate " + generate;
  }
  /// What of these an engine's run is told.
  RunOptions run_options() const {
    return {.staleness = {staleness, eager},
            .order = order,
            .consistency = consistency,
            .topology = topology};
  }
};

/// Which numbers an option takes; always finite.
struct RealRange {
  double least = -std::numeric_limits<double>::max();
  double most = std::numeric_limits<double>::max();
  bool without_least = false;  // strictly greater than `least`
};

/// The command line of one tool. The tool takes the common options that it obeys, each of which is
/// unknown otherwise, and adds its own; a value that a variable has when it is added is the default
/// that --help shows. `names` are as typed: "-k", "--topics", "-o,--output". Variables must outlive
/// parsing. --summary, --quiet, --help, --help-all and --version are there without being asked for;
/// --summary only where the tool has something to report.
class Options {
 public:
  enum class Reports { summary, none };
  explicit Options(std::string tool_name, Reports reports = Reports::summary);
  ~Options();
  Options(const Options&) = delete;
  Options& operator=(const Options&) = delete;

  CommonOptions common;

  /// One sentence on what the tool does and one or two commands as examples, for --help.
  void describe(const std::string& purpose, const std::string& example,
                const std::string& another = "");
  /// What --help calls the usage, if it is another than "TOOL arguments, required options,
  /// [options]".
  void usage(const std::string& text) { usage_ = text; }

  /// INPUT, --format (one of `formats`; "auto" is among them unasked), --generate and
  /// --allow-empty; where the formats have them, --header, --delimiter and --columns, and
  /// --index-base. Exactly one of INPUT and --generate must be given, but with --without-input.
  void take_input(std::vector<std::string> formats);
  /// INPUT alone: files with summaries of runs.
  void take_summaries();
  /// How many kinds of vertices the tool's graph has; by_option: two with --bipartite.
  enum class Kinds { one, two, by_option };
  /// --vertices.
  void take_vertices(Kinds kinds = Kinds::one);
  /// --iterations, --tolerance, --require-convergence and --log; the tool runs rounds.
  void take_rounds(std::uint64_t default_iterations, double default_tolerance);
  /// The same without --tolerance: rounds until nothing changes, which ends with the exact result.
  void take_rounds_to_rest();
  /// --staleness, --eager, --order and --consistency. `check` throws UsageError at what the tool's
  /// program does not allow (Engine::check).
  void take_staleness(std::function<void(const RunOptions&)> check, Order preferred = Order::sweep);
  /// --topology, of what all ranks hold (`parameters`); before take_staleness, whose check sees it.
  void take_topology(const std::string& parameters);
  /// --report, of a tool that calls Run::report.
  void take_report();
  /// --trace, --watchdog, and the experiment --straggler with --straggler-round.
  void take_observing();
  void take_seed();
  void take_threads();
  /// --partition: a folder if it has a '/', else one of `methods`, else a folder if it is one.
  void take_partition(std::vector<std::string> methods, const std::string& default_method);
  /// --without-input, which needs a folder as --partition; INPUT can then be left out.
  void take_without_input();
  /// --model, and --apply, which needs it and refuses what only training obeys: the options `of
  /// training`, those of staleness and, unless the model is applied in rounds, those of rounds.
  void take_model(std::vector<std::string> of_training, bool applied_in_rounds = false);
  /// -o/--output and --force. `names` are those of all files that the tool may write there.
  void take_output(std::vector<std::string> names);
  /// More of them, which depend on other options; for use in `check`.
  void may_write(const std::string& name) { output_names_.push_back(name); }
  /// --dry-run, of a tool that calls check_memory.
  void take_dry_run();
  /// --text, which needs -o; after take_output.
  void take_text();
  /// --top: `what` says of what so many are shown on standard output.
  void take_top(const std::string& what);
  void take_undirected();
  void take_bipartite();

  template <std::unsigned_integral T>
  void count(const std::string& names, T& value, std::uint64_t least, const std::string& help,
             std::uint64_t most = std::numeric_limits<T>::max()) {
    add_count(
        names, value, least, most, [&value](std::uint64_t n) { value = static_cast<T>(n); }, help);
  }
  void real(const std::string& names, double& value, RealRange range, const std::string& help);
  /// One of `choices`; an empty default is shown as none.
  void choice(const std::string& names, std::string& value, std::vector<std::string> choices,
              const std::string& help);
  /// Any text but the empty one. `placeholder` is what --help calls it: FILE, DIR, ….
  void text(const std::string& names, std::string& value, const std::string& placeholder,
            const std::string& help);
  /// The name of a file that the run writes outside of the folder of --output; refused if it is
  /// that of a file which the run is given.
  void written_file(const std::string& names, std::string& value, const std::string& help);
  void flag(const std::string& names, bool& value, const std::string& help);
  /// A required argument without a dash, such as gas-generate's SPEC.
  void argument(const std::string& name, std::string& value, const std::string& help);
  /// Like --version: rank 0 prints the text on standard output and the tool ends with 0.
  void printing(const std::string& names, std::function<std::string()> text,
                const std::string& help);

  /// An option that must be given (--help's usage has it), and one that needs another; names as
  /// they were added.
  void require(const std::string& name);
  void needs(const std::string& name, const std::string& other);
  /// Whether it was given; for use in `check` and after parsing.
  bool given(const std::string& name) const;
  /// Run after parsing, before MPI starts and any file is read; throws UsageError.
  void check(std::function<void()> rule);

  /// The tool's own keys of --summary json, beside those of every tool: null until set. "a.b" is
  /// key b of object a.
  void summary_keys(std::vector<std::string> keys);

  std::string name() const;
  bool runs_rounds() const { return runs_rounds_; }
  bool has_seed() const { return has_seed_; }
  const std::vector<std::string>& own_summary_keys() const { return own_keys_; }
  const std::vector<std::string>& output_names() const { return output_names_; }

  // After parsing:
  /// The words of the command line.
  const std::vector<std::string>& command() const { return command_; }
  /// Every option with its value, given or default; those without one are left out.
  std::vector<std::pair<std::string, std::string>> values() const;
  /// INPUT and what the options say that take a FILE or DIR, --output left out: what this run was
  /// given. Some may be no path (gas-lda --heldout 0.1).
  std::vector<std::string> given_paths() const;

  /// What parsing came to: go on, or end well with this text on standard output.
  struct Parsed {
    bool go_on = true;
    std::string text;
  };
  /// Throws UsageError. Reads no file; whether --partition names a folder is looked up if no method
  /// has that name.
  Parsed parse(int argc, const char* const* argv);

 private:
  void take_table(bool points, bool examples);
  void take_limit(std::uint64_t default_iterations);
  void take_checkpoints();
  void describe_what_stands(const std::function<void(const RunOptions&)>& rule);
  void add_count(const std::string& names, std::uint64_t value, std::uint64_t least,
                 std::uint64_t most, std::function<void(std::uint64_t)> set,
                 const std::string& help);
  std::vector<std::string> names() const;
  std::string usage_line() const;
  /// Throws UsageError if this file that is to be written is given as something else, too, or lies
  /// in a folder that is given.
  void check_is_free(const std::string& path) const;

  std::unique_ptr<CLI::App> app_;
  std::vector<std::function<void()>> rules_;
  std::function<void()> before_help_;
  std::vector<const std::string*> written_;  // what written_file took
  std::vector<std::string> own_keys_, output_names_, command_;
  std::string summary_, usage_, required_, vertices_;
  std::vector<std::string> examples_;
  std::string header_ = "auto", delimiter_, columns_, ids_ = "auto", index_base_ = "1";
  std::string order_;
  std::string consistency_;
  std::string topology_ = "flat";
  bool runs_rounds_ = false;
  bool has_seed_ = false;
};

}  // namespace gas::tools
