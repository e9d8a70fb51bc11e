#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <filesystem>
#include <numeric>

#include "gas/graph/error.hpp"
#include "loaders/read_small.hpp"
#include "loaders/write.hpp"
#include "partition/partition.hpp"
#include "programs/lda.hpp"
#include "programs/lda_fold_in.hpp"
#include "tools/lda/model.hpp"
#include "tools/support/counted.hpp"
#include "tools/support/graph_input.hpp"
#include "tools/support/room.hpp"
#include "tools/support/run_tool.hpp"
#include "tools/support/table.hpp"
#include "tools/support/top.hpp"
#include "tools/support/write_rows.hpp"

namespace {

using gas::Row;
using gas::tools::GraphWish;
using gas::tools::no_row;
using gas::tools::Options;
using gas::tools::Phase;
using gas::tools::Run;
using gas::tools::TopicModel;
using gas::tools::WordRows;

// A measure costs a round of exact draws, and ten of Metropolis-Hastings steps.
constexpr std::uint64_t exact_rounds_between_measures = 20, walks_between_measures = 100;
constexpr std::size_t most_exact = 256;        // topics drawn exactly with --sampler auto
constexpr std::uint64_t fold_in_rounds = 100;  // of held-out documents
// Of a word's weight in a topic: what it publishes; in training, what is written of it as well.
constexpr double folding_bytes = 4.25, training_bytes = 24.5;
constexpr double bytes_per_topic = 5;  // that a round sends of a word's counts, measured at K = 100

GraphWish tokens_wish(std::uint64_t topics) {
  return {.bipartite = true,
          .repeats = gas::Repeats::expand,
          .whole = true,
          .bytes_per_mirror = bytes_per_topic * static_cast<double>(topics)};
}

struct Settings {
  std::uint32_t topics = 0;
  double alpha = 0.1, beta = 0.01;
  bool alpha_given = false, beta_given = false;
  std::string sampler = "auto", vocabulary, heldout;
  bool no_objective = false;

  /// --heldout as a number, or 0 where it names a file.
  double heldout_fraction() const {
    double value = 0;
    const char* const end = heldout.data() + heldout.size();
    const auto parsed = std::from_chars(heldout.data(), end, value);
    return parsed.ec == std::errc() && parsed.ptr == end ? value : 0;
  }
};

void set_options(Options& options, Settings& settings) {
  options.describe(
      "Finds topics in documents (latent Dirichlet allocation). INPUT has a line per document and "
      "word, with the number of times.",
      "gas-lda docword.txt --topics 20 --vocabulary vocab.txt -o topics");
  options.take_input({"edges", "docword", "ldac", "mtx"});
  options.take_vertices(Options::Kinds::two);
  options.take_rounds(200, 0);
  options.take_staleness(gas::Engine<Lda>::check);
  options.take_seed();
  options.take_threads();
  options.take_observing();
  options.take_partition({"auto", "metis", "hypergraph", "aweto", "range", "hash"}, "auto");
  options.take_without_input();
  options.take_model({"--heldout", "--beta", "--sampler", "--vocabulary"}, true);
  options.take_output({"topic_word.npy", "document_topic.npy", "topics.txt", "ids.txt", "names.txt",
                       "parameter_ids.txt", "parameter_names.txt"});
  options.take_text();
  options.take_top("words of each topic; with --apply, topics of the most tokens");
  options.count("--topics", settings.topics, 1, "Topics (with --model: the model's)",
                TopicCounts::most_topics);
  options.real("--alpha", settings.alpha, {.least = 1e-6, .most = 1e6},
               "Prior of a document's topics, each (with --model: the model's)");
  options.real("--beta", settings.beta, {.least = 1e-6, .most = 1e6},
               "Prior of a topic's words, each (with --model: the model's)");
  options.choice("--sampler", settings.sampler, {"auto", "gibbs", "mh"},
                 "gibbs: exact draws; mh: Metropolis-Hastings steps; auto: gibbs up to 256 topics");
  options.text("--vocabulary", settings.vocabulary, "FILE", "A word per line, for topics.txt");
  options.text("--heldout", settings.heldout, "FRACTION|FILE",
               "Score the model on these documents, which are not trained on");
  options.flag("--no-objective", settings.no_objective,
               "Do not measure the model at the end: its objective is null");
  options.check([&options, &settings] {
    settings.alpha_given = options.given("--alpha");
    settings.beta_given = options.given("--beta");
    if (!options.given("--topics") && !options.given("--model"))
      throw gas::UsageError("--topics is missing");
    const double fraction = settings.heldout_fraction();
    if (fraction < 0 || fraction >= 1)
      throw gas::UsageError(fmt::format(
          "--heldout: found {}, expected a fraction between 0 and 1, or a file", settings.heldout));
  });
  options.summary_keys({"topics", "tokens", "words", "heldout"});
}

/// The model's priors, where the command line has none.
void take_priors(Run& run, Settings& settings, const gas::tools::Facts& kept) {
  if (!settings.alpha_given) settings.alpha = kept.number("alpha");
  if (!settings.beta_given) settings.beta = kept.number("beta");
  if (!settings.alpha_given || !settings.beta_given)
    run.note(
        fmt::format("--alpha {} --beta {}, as the model has them", settings.alpha, settings.beta));
}

/// Every edge is a number of tokens. Collective.
void check_counts(Run& run, const std::string& file, const gas::EdgeList& edges) {
  gas::together(run.transport, [&] {
    for (const float count : edges.value)
      if (!(count >= 0 && count <= 0x1p24F && count == std::floor(count)))
        throw gas::located_error(file, 0, 0, fmt::format("{}", count),
                                 "numbers of occurrences, whole and at most 2^24");
  });
}

/// Keeps the edges for which `keep(e)`, which may change their target.
template <class Keep>
void keep_edges(gas::tools::InputGraph& graph, Keep keep) {
  gas::EdgeList& edges = graph.edges;
  const bool cut = graph.stored.has_value();
  std::size_t kept = 0;
  for (std::size_t e = 0; e < edges.size(); ++e) {
    if (!keep(e)) continue;
    edges.source[kept] = edges.source[e];
    edges.target[kept] = edges.target[e];
    if (edges.weighted()) edges.value[kept] = edges.value[e];
    if (cut) graph.stored->cut.edge_part[kept] = graph.stored->cut.edge_part[e];
    ++kept;
  }
  if (cut) graph.stored->cut.edge_part.resize(kept);
  edges.source.resize(kept);
  edges.target.resize(kept);
  if (edges.weighted()) edges.value.resize(kept);
}

/// Renames the words as `rows` says and drops those that the model does not know. Collective.
void rename_words(Run& run, gas::tools::InputGraph& graph, const std::vector<Row>& rows,
                  std::uint64_t words) {
  keep_edges(graph, [&](std::size_t e) {
    Row& word = graph.edges.target[e];
    word = rows[word];
    return word != no_row;
  });
  graph.shape.targets = words;
  if (graph.stored) {  // parts of words that the folder may not have
    gas::Partition& cut = graph.stored->cut;
    const gas::HomeRange home{words, run.transport.size()};
    cut.target_master.resize(home.count(run.transport.rank()));
    for (std::uint64_t i = 0; i < cut.target_master.size(); ++i)
      cut.target_master[i] =
          static_cast<gas::Part>((home.first(run.transport.rank()) + i) * cut.parts / words);
  }
  const auto unknown = static_cast<std::uint64_t>(std::ranges::count(rows, no_row));
  if (unknown > 0)
    run.warn(gas::tools::counted(unknown, "word is", "words are") +
             " not in the model and left out");
}

/// Before words get their rows of topics, each weight of which takes so many bytes. Collective.
void check_rows(Run& run, std::uint64_t words, std::size_t topics, double bytes_per_weight) {
  gas::tools::check_room(
      run, fmt::format("{} words × {} topics", words, topics),
      static_cast<double>(words) * static_cast<double>(topics) * bytes_per_weight);
}

std::vector<Row> masters(const gas::VertexLayout& layout) {
  return {layout.rows.begin(), layout.rows.begin() + layout.masters()};
}

/// θ by document: each document's topics are on the rank that has its edges. Collective.
template <class Program>
void write_documents(Run& run, gas::Engine<Program>& engine, const gas::LocalGraph& graph,
                     std::size_t topics, double alpha, const gas::loaders::RowIds& ids,
                     const std::filesystem::path& folder) {
  const std::vector<Row> rows = masters(graph.home);
  std::vector<float> theta(rows.size() * topics, 0.0F);
  const auto by_row = [&] {
    std::vector<std::size_t> order(rows.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order, {}, [&](std::size_t i) { return rows[i]; });
    return order;
  }();
  const auto place = [&](Row row) {
    return *std::ranges::lower_bound(by_row, row, {}, [&](std::size_t i) { return rows[i]; });
  };
  engine.local_for_each_edge([&](Row document, Row, const auto& token) {
    if (token.topic != TopicCounts::none) ++theta[place(document) * topics + token.topic];
  });
  for (std::size_t d = 0; d < rows.size(); ++d) {
    const std::span<float> row(theta.data() + d * topics, topics);
    const double length = std::accumulate(row.begin(), row.end(), 0.0);
    for (float& x : row)
      x = static_cast<float>((static_cast<double>(x) + alpha) /
                             (length + static_cast<double>(topics) * alpha));
  }
  gas::tools::write_rows<float>(run, folder, "document_topic", ids, topics, rows, theta);
}

gas::tools::CountNames counts(const Run& run) {
  return {"documents", "words", "tokens", run.options.tolerance > 0};
}

/// The heaviest words of each topic, with blanks between, on rank 0; by `vocabulary` if it is not
/// empty. Collective.
std::vector<std::string> heaviest_words(Run& run, const WordRows& phi, std::size_t count,
                                        const std::vector<std::string>& vocabulary,
                                        const gas::loaders::RowIds& ids) {
  const std::vector<std::vector<Row>> topics = phi.top_words(count);
  std::vector<Row> words;
  for (const auto& topic : topics) words.insert(words.end(), topic.begin(), topic.end());
  std::vector<std::string> names;
  if (vocabulary.empty())
    names = gas::tools::texts_of(run.transport, ids, words);
  else
    for (const Row word : words) names.push_back(vocabulary[word]);
  std::vector<std::string> lines;
  auto name = names.begin();
  for (const auto& topic : topics) {
    lines.push_back(fmt::format("{}", fmt::join(name, name + std::ssize(topic), " ")));
    name += std::ssize(topic);
  }
  return lines;
}

/// Hands the words' rows to an engine; weight(i, k) is topic k's of master i.
template <class Program, class Weight>
void give_words(gas::Engine<Program>& engine, std::size_t topics, Weight weight) {
  std::size_t i = 0;
  engine.template local_give<typename Program::Word>([&](Row, gas::RowView<float> out) {
    TopicRow::write(out, topics, [&](std::size_t k) { return weight(i, k); });
    ++i;
  });
}

/// Mean log-likelihood of the even tokens of held-out documents, the odd ones fitted. Collective.
double score_heldout(Run& run, gas::Executor& executor, const WordRows& words, std::size_t topics,
                     double alpha, gas::loaders::LoadedGraph heldout) {
  gas::partition::Options cut;
  cut.method = "range";
  cut.parts = static_cast<gas::Part>(run.transport.size());
  auto partition = gas::partition::make_partition(run.transport, heldout.edges, heldout.shape, cut);
  const auto graph = std::make_shared<const gas::LocalGraph>(
      gas::build_graph(run.transport, heldout.shape, std::move(heldout.edges), std::move(partition),
                       gas::Repeats::expand, run.options.threads));
  LdaFoldIn program{.topics = topics, .alpha = static_cast<float>(alpha), .halves = true};
  program.seed = run.options.seed;
  gas::Engine<LdaFoldIn> engine(run.transport, executor, graph, program);
  const std::vector<float> weights = words.get(masters(graph->parameter));
  give_words(engine, topics, [&](std::size_t i, std::size_t k) { return weights[i * topics + k]; });
  engine.run({.iterations = fold_in_rounds});
  engine.program().measures = true;
  engine.run({.iterations = fold_in_rounds + 1});
  return engine.last().data().mean();
}

/// A run of rounds that draw, with rounds that measure between them; both programs have both.
template <class Program>
class Rounds {
 public:
  Rounds(Run& run, gas::Engine<Program>& engine, std::uint64_t tokens,
         std::uint64_t between_measures)
      : run_(run), engine_(engine), tokens_(tokens), between_measures_(between_measures) {}

  /// Until --iterations, --tolerance or an interrupt; leaves the state at rest. Collective.
  void run() {
    const auto& options = run_.options;
    const bool measures = !options.log.empty() || options.tolerance > 0;
    bool interrupted = false;
    std::optional<double> before;
    while (round_ < options.iterations && !interrupted && !converged_) {
      const std::uint64_t until =
          !measures ? options.iterations
                    : std::min<std::uint64_t>(options.iterations,
                                              (round_ / between_measures_ + 1) * between_measures_);
      const std::uint64_t first = round_;
      const gas::RunReport report =
          engine_.run(run_.engine_options(engine_rounds_ + (until - round_)), [&](const auto&) {
            if (++round_ < until) run_.round_done(round_, std::nullopt);
          });
      engine_rounds_ = report.rounds;
      interrupted = report.interrupted;
      converged_ = report.converged;  // there is no vertex
      if (round_ < until) break;
      std::optional<double> now;
      if (measures && !interrupted)
        run_.off_the_clock([&] {
          catch_up();
          now = measure();
        });
      run_.round_done(round_, now);
      if (before && now && options.tolerance > 0)
        converged_ = std::abs(*now - *before) <=
                     options.tolerance * std::abs(*before) * static_cast<double>(round_ - first);
      before = now;
      if (measures && round_ < options.iterations && !converged_)
        interrupted = gas::all_max(run_.transport, run_.interrupted()->load() ? 1 : 0) > 0;
    }
    run_.summary.iterations = round_;
    run_.summary.converged = converged_;
    run_.summary.interrupted = interrupted;
    run_.saw(engine_.local_report());
    catch_up();
  }

  /// Mean over tokens of log Σ_k θ_dk φ_kw, of the state at rest; none without a token. Collective.
  std::optional<double> measure() {
    measure_once(true);
    if (tokens_ == 0) return std::nullopt;
    return Program::log_likelihood(engine_.last().data()) / static_cast<double>(tokens_);
  }

 private:
  /// Words' rows become those of their tokens, which they are anyway where ranks wait for each
  /// other.
  void catch_up() {
    if (run_.options.staleness > 0 && round_ > 0) measure_once(false);
  }

  /// A round that measures. Rows that stay as they are need not be written again, which would take
  /// longer than to measure.
  void measure_once(bool rows_stay) {
    Program& program = engine_.program();
    program.measures = true;
    if constexpr (requires { program.rows_stay; }) program.rows_stay = rows_stay;
    engine_rounds_ = engine_.run({.iterations = engine_rounds_ + 1}).rounds;
    program.measures = false;
    if constexpr (requires { program.rows_stay; }) program.rows_stay = false;
  }

  Run& run_;
  gas::Engine<Program>& engine_;
  std::uint64_t tokens_, between_measures_;
  std::uint64_t round_ = 0, engine_rounds_ = 0;
  bool converged_ = false;
};

void fold_in(Run& run, const Settings& settings, const TopicModel& model) {
  auto loaded = gas::tools::read_graph(run, tokens_wish(model.topics));
  check_counts(run, run.options.input_name(), loaded.edges);
  rename_words(run, loaded, gas::tools::rows_among(run.transport, loaded.target_ids, model.ids),
               model.words);
  check_rows(run, model.words, static_cast<std::size_t>(model.topics), folding_bytes);
  const gas::tools::CutGraph cut =
      gas::tools::cut_graph(run, std::move(loaded), tokens_wish(model.topics));
  gas::together(run.transport, [&] { Lda::local_require_counts(*cut.graph); });
  run.enter(Phase::compute);
  const auto executor = gas::make_tbb_executor(run.options.threads);
  const auto topics = static_cast<std::size_t>(model.topics);
  LdaFoldIn program{.topics = topics, .alpha = static_cast<float>(settings.alpha)};
  program.seed = run.options.seed;
  gas::Engine<LdaFoldIn> engine(run.transport, *executor, cut.graph, program);
  const auto& names = cut.graph->parameter.rows;
  give_words(engine, topics,
             [&](std::size_t i, std::size_t k) { return model.weight(k, names[i]); });
  Rounds rounds(run, engine, cut.graph->edge_count, exact_rounds_between_measures);
  rounds.run();
  run.summary.set("topics", model.topics);
  run.summary.set("tokens", cut.graph->edge_count);
  run.summary.set("words", model.words);
  run.measure_and_write(
      [&] {
        if (!settings.no_objective) run.summary.objective = rounds.measure();
      },
      [&](const std::filesystem::path& folder) {
        write_documents(run, engine, *cut.graph, topics, settings.alpha, cut.source_labels, folder);
        gas::tools::write_ids(run.transport, folder, "", cut.source_ids, cut.source_names);
      });
  run.show([&] {
    std::vector<Row> drawn;
    engine.local_for_each_edge([&](Row, Row, const auto& token) {
      if (token.topic != TopicCounts::none) drawn.push_back(token.topic);
    });
    const auto largest =
        gas::tools::most_frequent(run.transport, topics, std::move(drawn), run.options.top);
    return summary_lines(run.summary, counts(run), {"objective"}) +
           top_table(run.transport, gas::loaders::RowIds(topics, 0), largest, "topic", "tokens");
  });
}

void train(Run& run, const Settings& settings, const TopicModel* model) {
  auto loaded = gas::tools::read_graph(run, tokens_wish(settings.topics));
  check_counts(run, run.options.input_name(), loaded.edges);
  const std::uint64_t words = loaded.shape.targets;
  check_rows(run, words, model != nullptr ? model->topics : settings.topics, training_bytes);
  std::vector<std::string> vocabulary;
  if (!settings.vocabulary.empty()) {
    vocabulary = gas::loaders::read_lines(run.transport, settings.vocabulary);
    if (vocabulary.size() < words)
      throw gas::located_error(settings.vocabulary, 0, 0,
                               fmt::format("{} lines", vocabulary.size()),
                               fmt::format("one for each of {} words", words));
  }

  gas::tools::InputGraph heldout;
  if (const double fraction = settings.heldout_fraction(); fraction > 0) {
    const gas::Random random = gas::Random(run.options.seed).stream(0);
    const auto held = [&](std::size_t e) {
      return random.uniform(loaded.edges.source[e]) < fraction;
    };
    heldout.shape = loaded.shape;
    heldout.edges = loaded.edges;
    keep_edges(heldout, held);
    keep_edges(loaded, [&](std::size_t e) { return !held(e); });
  } else if (!settings.heldout.empty()) {
    heldout = {
        gas::loaders::load_graph(run.transport, settings.heldout,
                                 gas::tools::graph_options(run, tokens_wish(settings.topics))),
        std::nullopt};
    for (const std::string& note : heldout.notes) run.warn(note);
    check_counts(run, settings.heldout, heldout.edges);
    rename_words(run, heldout,
                 gas::tools::rows_among(run.transport, heldout.target_ids,
                                        gas::tools::all_ids(run.transport, loaded.target_ids)),
                 words);
  }

  std::vector<Row> model_rows;
  if (model != nullptr)
    model_rows = gas::tools::rows_among(run.transport, loaded.target_ids, model->ids);
  const gas::tools::CutGraph cut =
      gas::tools::cut_graph(run, std::move(loaded), tokens_wish(settings.topics));
  gas::together(run.transport, [&] { Lda::local_require_counts(*cut.graph); });
  run.enter(Phase::compute);
  const auto executor = gas::make_tbb_executor(run.options.threads);
  Lda program{
      .topics = model != nullptr ? static_cast<std::size_t>(model->topics) : settings.topics,
      .alpha = static_cast<float>(settings.alpha),
      .beta = static_cast<float>(settings.beta),
      .words = words,
      .seed = run.options.seed};
  const std::size_t topics = program.topics;
  program.walks = settings.sampler == "mh" || (settings.sampler == "auto" && topics > most_exact);
  program.given = model != nullptr;
  gas::Engine<Lda> engine(run.transport, *executor, cut.graph, program);
  if (model != nullptr && run.options.iterations > 0) {
    const auto& names = cut.graph->parameter.rows;
    give_words(engine, topics, [&](std::size_t i, std::size_t k) {
      const Row row = model_rows[names[i]];
      return row == no_row ? 1.0F / static_cast<float>(words) : model->weight(k, row);
    });
  }
  Rounds rounds(run, engine, cut.graph->edge_count,
                program.walks ? walks_between_measures : exact_rounds_between_measures);
  rounds.run();

  WordRows phi(run.transport, words, topics);
  std::vector<float> weights;
  engine.local_for_each_published<Lda::Word>([&](Row, gas::RowView<const float> row) {
    const auto found = TopicRow(row, topics).weights;
    weights.insert(weights.end(), found.begin(), found.end());
  });
  phi.put(masters(cut.graph->parameter), weights);
  run.summary.set("topics", std::uint64_t{topics});
  run.summary.set("tokens", cut.graph->edge_count);
  run.summary.set("words", words);
  gas::tools::Facts& kept = run.manifest.model;
  kept.set("topics", std::uint64_t{topics});
  kept.set("words", words);
  kept.set("alpha", settings.alpha);
  kept.set("beta", settings.beta);
  gas::tools::keep_ids(kept, cut.target_ids);
  const auto measure = [&] {
    if (!settings.no_objective) run.summary.objective = rounds.measure();
    if (settings.heldout.empty() || run.summary.interrupted) return;
    run.off_the_clock([&] {
      const double score =
          score_heldout(run, *executor, phi, topics, settings.alpha, std::move(heldout));
      if (std::isfinite(score)) run.summary.set("heldout", score);
    });
  };
  run.measure_and_write(measure, [&](const std::filesystem::path& folder) {
    phi.write((folder / "topic_word.npy").string());
    const auto lines = heaviest_words(run, phi, 10, vocabulary, cut.target_labels);
    gas::loaders::write_file(run.transport, folder / "topics.txt",
                             [&](gas::loaders::OutputFile& file) {
                               for (std::size_t k = 0; k < lines.size(); ++k)
                                 file.write(fmt::format("{}\t{}\n", k, lines[k]));
                             });
    write_documents(run, engine, *cut.graph, topics, settings.alpha, cut.source_labels, folder);
    gas::tools::write_ids(run.transport, folder, cut);
  });
  run.show([&] {
    const auto lines = heaviest_words(run, phi, run.options.top, vocabulary, cut.target_labels);
    gas::tools::Table table({gas::tools::Table::Side::right, gas::tools::Table::Side::left});
    table.row({"topic", "words"});
    for (std::size_t k = 0; k < lines.size(); ++k) table.row({std::to_string(k), lines[k]});
    return summary_lines(run.summary, counts(run), {"objective", "heldout"}) + table.text_below();
  });
}

}  // namespace

int main(int argc, char* argv[]) {
  Settings settings;
  return gas::tools::run_tool(
      "gas-lda", argc, argv, [&](Options& options) { set_options(options, settings); },
      [&](Run& run) {
        run.enter(Phase::load);
        if (run.options.model.empty()) return train(run, settings, nullptr);
        const gas::tools::ModelFolder folder(run.transport, run.options.model, "gas-lda");
        take_priors(run, settings, folder.facts());
        const TopicModel model = gas::tools::read_topic_model(run.transport, folder);
        if (settings.topics != 0 && settings.topics != model.topics)
          gas::together(run.transport, [&] {
            throw gas::located_error(run.options.model, 0, 0,
                                     fmt::format("{} topics", model.topics),
                                     fmt::format("{} as --topics says", settings.topics));
          });
        return run.options.apply ? fold_in(run, settings, model) : train(run, settings, &model);
      });
}
