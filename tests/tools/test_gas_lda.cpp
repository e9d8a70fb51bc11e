// gas-lda as its users see it: the files it writes are held to the definitions.
#include <signal.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>
#include <sstream>
#include <thread>

#include "tests/programs/lda/lda_oracle.hpp"
#include "tests/tools/support/arguments.hpp"

using namespace gas_test;
using Json = nlohmann::json;
using Matrix = std::vector<std::vector<double>>;

namespace {

const std::string tool = "gas-lda";

/// The rows of a two-dimensional npy file of this type.
template <class T>
Matrix rows_of(const std::string& path, const std::string& type) {
  const std::string bytes = read_text(path);
  std::uint16_t header = 0;
  std::memcpy(&header, bytes.data() + 8, 2);
  const std::string text = bytes.substr(10, header);
  CHECK_THAT(text, Catch::Contains("'descr': '" + type + "'") &&
                       Catch::Contains("'fortran_order': False"));
  std::size_t rows = 0, columns = 0;
  REQUIRE(std::sscanf(text.c_str() + text.find('('), "(%zu, %zu)", &rows, &columns) == 2);
  REQUIRE(bytes.size() == 10U + header + rows * columns * sizeof(T));
  std::vector<T> values(rows * columns);
  std::memcpy(values.data(), bytes.data() + 10 + header, values.size() * sizeof(T));
  Matrix result(rows);
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t c = 0; c < columns; ++c)
      result[r].push_back(static_cast<double>(values[r * columns + c]));
  return result;
}
Matrix matrix(const std::string& path) { return rows_of<float>(path, "<f4"); }
Matrix counts(const std::string& path) { return rows_of<std::int32_t>(path, "<i4"); }

/// The mean over topics, and over pairs of their ten words in topics.txt, of log((D(v, u) / D +
/// 10⁻¹²) / (D(u) / D)), of the D documents that have tokens in the model.
double umass(const std::string& model, const Corpus& corpus) {
  const Matrix by_document = counts(model + "/document_counts.npy");
  std::vector<std::set<std::uint64_t>> documents;
  for (std::size_t d = 0; d < by_document.size(); ++d)
    if (std::ranges::count(by_document[d], 0) < std::ssize(by_document[d]))
      documents.emplace_back(corpus.documents[d].begin(), corpus.documents[d].end());
  const auto share = [&](std::uint64_t v, std::uint64_t u) {
    const auto both = [&](const auto& words) { return words.contains(v) && words.contains(u); };
    return static_cast<double>(std::ranges::count_if(documents, both)) /
           static_cast<double>(documents.size());
  };
  std::istringstream topics(read_text(model + "/topics.txt"));
  double sum = 0;
  std::size_t count = 0, number = 0;
  while (topics >> number) {
    std::vector<std::uint64_t> words(10);
    for (std::uint64_t& word : words) {
      topics >> word;
      --word;  // counted from 1 in the file
    }
    for (std::size_t i = 1; i < words.size(); ++i)
      for (std::size_t j = 0; j < i; ++j, ++count)
        sum += std::log((share(words[i], words[j]) + 1e-12) / share(words[j], words[j]));
  }
  return sum / static_cast<double>(count);
}

/// Counts of documents' tokens by topic must add up to their lengths, those of topics' words to how
/// often the words occur, and the distributions written beside must follow from both.
void check_counts(const std::string& model, const Corpus& corpus, double alpha, double beta) {
  const Matrix by_document = counts(model + "/document_counts.npy");
  const Matrix by_topic = counts(model + "/topic_counts.npy");
  const Matrix theta = matrix(model + "/document_topic.npy");
  const Matrix phi = matrix(model + "/topic_word.npy");
  const std::size_t topics = phi.size();
  const auto sum = [](const std::vector<double>& row) {
    return std::accumulate(row.begin(), row.end(), 0.0);
  };
  REQUIRE(by_document.size() == corpus.documents.size());
  REQUIRE(by_topic.size() == topics);
  std::vector<double> of_word(corpus.words, 0), of_topic(topics, 0);
  for (std::size_t d = 0; d < by_document.size(); ++d) {
    const auto length = static_cast<double>(corpus.documents[d].size());
    CHECK(sum(by_document[d]) == length);
    for (const std::uint64_t w : corpus.documents[d]) ++of_word[w];
    for (std::size_t k = 0; k < topics; ++k) {
      of_topic[k] += by_document[d][k];
      CHECK(theta[d][k] ==
            Approx((by_document[d][k] + alpha) / (length + static_cast<double>(topics) * alpha))
                .epsilon(1e-6));
    }
  }
  for (std::size_t k = 0; k < topics; ++k) {
    CHECK(sum(by_topic[k]) == of_topic[k]);
    for (std::size_t w = 0; w < corpus.words; ++w) {
      of_word[w] -= by_topic[k][w];
      CHECK(phi[k][w] == Approx((by_topic[k][w] + beta) /
                                (of_topic[k] + static_cast<double>(corpus.words) * beta))
                             .epsilon(1e-5));
    }
  }
  CHECK(of_word == std::vector<double>(corpus.words, 0));
}

std::string docword(const Corpus& corpus) {
  std::ostringstream text;
  text << corpus.documents.size() << '\n' << corpus.words << '\n' << corpus.tokens() << '\n';
  for (std::size_t d = 0; d < corpus.documents.size(); ++d)
    for (const std::uint64_t w : corpus.documents[d]) text << d + 1 << ' ' << w + 1 << " 1\n";
  return text.str();
}

}  // namespace

TEST_CASE("the model's files say what the summary says, the same from 1 and 3 ranks", "[gas-lda]") {
  const TemporaryFolder folder;
  const Corpus corpus = planted_corpus(90, 60, 4, 25, 6).corpus;
  write_text(folder / "docword.txt", docword(corpus));
  const Arguments arguments = {folder / "docword.txt",
                               "--topics",
                               "4",
                               "--iterations",
                               "45",
                               "--summary",
                               "json",
                               "--quiet"};
  const Json one =
      summary_of(run(tool, 0, with(arguments, {"-o", folder / "one", "--log", folder / "log"})));
  for (const char* method : {"hash", "hypergraph", "aweto"}) {
    const Json three =
        summary_of(run(tool, 3, with(arguments, {"-o", folder / method, "--partition", method})));
    for (const char* file : {"topic_word.npy", "topic_counts.npy", "document_topic.npy",
                             "document_counts.npy", "topics.txt"})
      CHECK(read_text(folder / "one/" + file) == read_text(folder / method + "/" + file));
    CHECK(one["objective"] == three["objective"]);
    CHECK(three["partition"]["method"] == method);
    CHECK(three["bytes"]["values"] > 0);
  }

  const Estimates state{matrix(folder / "one/document_topic.npy"),
                        matrix(folder / "one/topic_word.npy")};
  REQUIRE(state.theta.size() == 90);
  REQUIRE(state.phi.size() == 4);
  CHECK(one["objective"].get<double>() == Approx(mean_log_likelihood(corpus, state)).epsilon(1e-6));
  for (const auto& rows : {state.theta, state.phi})
    for (const auto& row : rows)
      CHECK(std::accumulate(row.begin(), row.end(), 0.0) == Approx(1).epsilon(1e-5));
  check_counts(folder / "one", corpus, 0.1, 0.01);
  CHECK(one["tokens"] == corpus.tokens());
  CHECK(one["edges"] == corpus.tokens());
  CHECK(one["words"] == 60);
  CHECK(one["topics"] == 4);
  CHECK(one["heldout"].is_null());
  CHECK(one["reproducible"] == true);
  CHECK_FALSE(std::filesystem::exists(folder / "one/ids.txt"));

  // topics.txt: the heaviest words first.
  std::istringstream topics(read_text(folder / "one/topics.txt"));
  for (std::size_t k = 0; k < 4; ++k) {
    std::size_t number = 0, word = 0;
    topics >> number >> word;
    CHECK(number == k);
    CHECK(state.phi[k][word - 1] == *std::max_element(state.phi[k].begin(), state.phi[k].end()));
    for (int rest = 1; rest < 10; ++rest) topics >> word;
  }
  // The log: a line per round, the last objective is the summary's.
  std::istringstream log(read_text(folder / "log"));
  Json last;
  std::uint64_t lines = 0, objectives = 0;
  for (std::string line; std::getline(log, line); ++lines) {
    last = Json::parse(line);
    CHECK(last["round"] == lines + 1);
    if (!last["objective"].is_null()) ++objectives;
  }
  CHECK(lines == 45);
  CHECK(objectives == 3);
  CHECK(last["objective"] == one["objective"]);
}

TEST_CASE("--no-objective spares the measure and changes nothing else", "[gas-lda]") {
  const TemporaryFolder folder;
  const Corpus corpus = planted_corpus(90, 60, 4, 25, 6).corpus;
  write_text(folder / "docword.txt", docword(corpus));
  for (const std::string sampler : {"gibbs", "mh"})
    for (const int ranks : {0, 2})
      for (const std::string staleness : {"0", "1"}) {
        if (ranks == 2 && staleness == "1") continue;  // timing decides what ranks see
        CAPTURE(sampler, ranks, staleness);
        const Arguments arguments = {folder / "docword.txt",
                                     "--topics",
                                     "4",
                                     "--iterations",
                                     "12",
                                     "--sampler",
                                     sampler,
                                     "--staleness",
                                     staleness,
                                     "--summary",
                                     "json",
                                     "--quiet",
                                     "--force"};
        const Json with_it = summary_of(run(tool, ranks, with(arguments, {"-o", folder / "with"})));
        const Json without = summary_of(
            run(tool, ranks, with(arguments, {"-o", folder / "without", "--no-objective"})));
        for (const char* file : {"topic_word.npy", "document_topic.npy", "topics.txt"})
          CHECK(read_text(folder / "with/" + file) == read_text(folder / "without/" + file));
        CHECK(without["objective"].is_null());
        check_counts(folder / "with", corpus, 0.1, 0.01);
        const Estimates state{matrix(folder / "with/document_topic.npy"),
                              matrix(folder / "with/topic_word.npy")};
        CHECK(with_it["objective"].get<double>() ==
              Approx(mean_log_likelihood(corpus, state)).epsilon(1e-6));
        CHECK(with_it["seconds"]["objective"] > 0);
      }
}

TEST_CASE("a model is applied to other documents, and trained further", "[gas-lda]") {
  const TemporaryFolder folder;
  // Names, in another order, with a word that the model has not seen.
  std::ostringstream train;
  for (int d = 0; d < 30; ++d)
    for (const char* word : d % 2 == 0 ? std::vector{"a", "b", "c"} : std::vector{"x", "y", "z"})
      train << 'd' << d << ' ' << word << " 4\n";
  write_text(folder / "train", train.str());
  write_text(folder / "other", "new stranger 2\nnew z 3\nold c 5\nold a 5\nold b 5\n");
  const Arguments summary = {"--summary", "json", "--quiet"};
  const Json trained = summary_of(
      run(tool, 0, with(summary, {folder / "train", "--topics", "2", "-o", folder / "model"})));
  const Matrix phi = matrix(folder / "model/topic_word.npy");  // columns: a b c x y z
  const std::size_t abc = phi[0][0] > phi[1][0] ? 0 : 1;
  for (std::size_t w = 0; w < 6; ++w) CHECK((phi[abc][w] > phi[1 - abc][w]) == (w < 3));

  const Json applied =
      summary_of(run(tool, 2,
                     with(summary, {folder / "other", "--model", folder / "model", "--apply",
                                    "--iterations", "30", "-o", folder / "applied"})));
  const Matrix theta = matrix(folder / "applied/document_topic.npy");
  REQUIRE(theta.size() == 2);
  CHECK(read_text(folder / "applied/ids.txt") == "new\nold\n");
  CHECK(theta[1][abc] > 0.9);
  CHECK(theta[0][1 - abc] > 0.9);
  const Matrix drawn = counts(folder / "applied/document_counts.npy");
  for (std::size_t k = 0; k < 2; ++k) {
    CHECK(drawn[0][0] + drawn[0][1] == 3);
    CHECK(drawn[1][0] + drawn[1][1] == 15);
    CHECK(theta[1][k] == Approx((drawn[1][k] + 0.1) / 15.2).epsilon(1e-6));
  }
  CHECK(applied["tokens"] == 18);  // the stranger is left out
  double sum = 0;
  for (std::size_t k = 0; k < 2; ++k) sum += theta[0][k] * phi[k][5];
  double objective = 3 * std::log(sum);
  for (std::size_t w = 0; w < 3; ++w)
    objective += 5 * std::log(theta[1][0] * phi[0][w] + theta[1][1] * phi[1][w]);
  CHECK(applied["objective"].get<double>() == Approx(objective / 18).epsilon(1e-6));

  const Json further = summary_of(
      run(tool, 0,
          with(summary, {folder / "train", "--model", folder / "model", "--iterations", "1"})));
  CHECK(further["objective"].get<double>() ==
        Approx(trained["objective"].get<double>()).margin(0.05));
}

TEST_CASE("held-out documents are scored, by file and by fraction", "[gas-lda]") {
  const TemporaryFolder folder;
  const Corpus corpus = planted_corpus(120, 60, 3, 30, 12).corpus;
  Corpus train = corpus, rest = corpus;
  train.documents.resize(90);
  rest.documents.erase(rest.documents.begin(), rest.documents.begin() + 90);
  write_text(folder / "docword.all", docword(corpus));
  write_text(folder / "docword.train", docword(train));
  write_text(folder / "docword.rest", docword(rest));
  const Arguments options = {"--topics", "3", "--iterations", "40", "--summary", "json", "--quiet"};
  const Json file = summary_of(run(
      tool, 0, with(options, {folder / "docword.train", "--heldout", folder / "docword.rest"})));
  const Json fraction =
      summary_of(run(tool, 2, with(options, {folder / "docword.all", "--heldout", "0.25"})));
  // Far better than the words' frequencies would do.
  std::vector<double> frequency(60, 0);
  for (const auto& document : corpus.documents)
    for (const std::uint64_t w : document) ++frequency[w];
  double unigram = 0;
  const auto tokens = static_cast<double>(corpus.tokens());
  for (const double n : frequency)
    if (n > 0) unigram += n / tokens * std::log(n / tokens);
  for (const Json& summary : {file, fraction}) {
    CHECK(summary["heldout"].get<double>() > unigram + 0.2);
    CHECK(summary["heldout"].get<double>() < summary["objective"].get<double>() + 0.3);
  }
  CHECK(fraction["tokens"].get<double>() < 0.9 * static_cast<double>(corpus.tokens()));
  CHECK(fraction["tokens"].get<double>() > 0.6 * static_cast<double>(corpus.tokens()));
  const Json alone =
      summary_of(run(tool, 0, with(options, {folder / "docword.all", "--heldout", "0.25"})));
  CHECK(alone["heldout"] == fraction["heldout"]);
}

TEST_CASE("several numbers of topics are compared, each model in a folder of its own",
          "[gas-lda]") {
  const TemporaryFolder folder;
  const Corpus corpus = planted_corpus(120, 60, 4, 30, 12).corpus;
  write_text(folder / "docword.txt", docword(corpus));
  const Arguments rest = {"--iterations", "30",   "--heldout", "0.25",
                          "--summary",    "json", "--seed",    "3"};
  const Json alone = summary_of(run(tool, 0,
                                    with(rest, {folder / "docword.txt", "--topics", "4", "--quiet",
                                                "--measures", "-o", folder / "alone"})));
  CHECK(alone["umass"].get<double>() ==
        Approx(umass(folder / "alone", corpus)).epsilon(1e-6));  // of what was not held out
  for (const int ranks : {0, 2}) {
    CAPTURE(ranks);
    const std::string out = folder / ("o" + std::to_string(ranks));
    const Finished finished =
        run(tool, ranks, with(rest, {folder / "docword.txt", "--topics", "2,4,9", "-o", out}));
    const Json several = summary_of(finished);
    const Json& models = several["models"];
    REQUIRE(models.size() == 3);
    CHECK(several["topics"].is_null());
    CHECK(several["iterations"] == 90);
    for (const char* key :
         {"objective", "heldout", "joint", "npmi", "umass", "mimno", "cao_juan", "arun"})
      CHECK(models[1][key].get<double>() == Approx(alone[key].get<double>()).epsilon(1e-9));
    for (const char* file : {"topic_word.npy", "topic_counts.npy", "document_topic.npy",
                             "document_counts.npy", "topics.txt"})
      CHECK(read_text(folder / "alone/" + file) == read_text(out + "/topics-4/" + file));
    // The table of the summary, as a file and on standard error.
    std::istringstream table(read_text(out + "/models.tsv"));
    std::string line, name;
    std::vector<std::string> names;
    std::getline(table, line);
    for (std::istringstream cells(line); std::getline(cells, name, '\t');) names.push_back(name);
    CHECK(names.size() == models[0].size());
    for (const Json& model : models)
      for (const std::string& key : names) {
        double value = 0;
        table >> value;
        CHECK(value == model[key].get<double>());
        CHECK_THAT(finished.err, Catch::Contains(key));
      }
    CHECK_THAT(finished.err, Catch::Contains("* the best of the column"));
    // Planted were four.
    CHECK(models[1]["heldout"] > models[0]["heldout"]);
    CHECK(models[1]["joint"] > models[0]["joint"]);
    const Json kept = Json::parse(read_text(out + "/topics-9/manifest.json"));
    CHECK(kept["model"]["topics"] == 9);
    CHECK(kept["state"]["iterations"] == 30);
    summary_of(run(tool, 0,
                   {folder / "docword.txt", "--model", out + "/topics-9", "--apply", "--summary",
                    "json", "--quiet"}));
  }
  const Arguments again = {folder / "docword.txt", "--topics", "2,4", "--iterations", "2", "-o",
                           folder / "o0",          "--quiet"};
  const Finished refused = run(tool, 0, again);
  CHECK(refused.code == 2);
  CHECK_THAT(refused.err, Catch::Contains("the folder is not empty"));
  CHECK(run(tool, 0, with(again, {"--force"})).code == 0);
  CHECK(Json::parse(read_text(folder / "o0/topics-4/manifest.json"))["state"]["iterations"] == 2);
  CHECK(Json::parse(read_text(folder / "o0/topics-9/manifest.json"))["state"]["iterations"] == 30);
  // Without -o people see the table.
  const Finished shown =
      run(tool, 0, {folder / "docword.txt", "--topics", "2,4", "--iterations", "2", "--quiet"});
  CHECK(occurrences(shown.out, "\n") == 4);
  CHECK_THAT(shown.out, Catch::StartsWith("topics "));
}

TEST_CASE("a run ends with five lines on what it found", "[gas-lda]") {
  const TemporaryFolder folder;
  // Two topics of words of their own: 30 documents of 12 tokens each, 10 of them of the second.
  std::ostringstream text;
  for (int d = 0; d < 30; ++d)
    for (const char* word : d % 3 > 0 ? std::vector{"a", "b", "c"} : std::vector{"x", "y", "z"})
      text << 'd' << d << ' ' << word << " 4\n";
  write_text(folder / "edges", text.str());
  for (const int ranks : {0, 2}) {
    const Arguments arguments = {folder / "edges", "--topics",  "2",      "--heldout", "0.2",
                                 "--alpha",        "0.01",      "--seed", "2",         "--summary",
                                 "json",           "--measures"};
    const Finished finished = run(tool, ranks, arguments);
    const Json summary = summary_of(finished);
    INFO(finished.err);
    CHECK(tool_lines(finished.err).size() >= 5);
    const auto tokens = summary["tokens"].get<int>();
    CHECK_THAT(finished.err,
               Catch::Contains("found 2 topics in " + std::to_string(tokens / 12) + " documents, " +
                               std::to_string(tokens) + " tokens of 6 words") &&
                   Catch::Contains("the largest has") && Catch::Contains("the smallest has") &&
                   Catch::Contains("have 100 % or more of their tokens in one topic"));
    // Each topic has three words, as often as each other.
    CHECK_THAT(finished.err, Catch::Contains(", of 3 by the topics, of 3 in documents not"));
    CHECK_THAT(finished.err, Catch::Contains("(npmi, from -1 to 1)"));
    CHECK(run(tool, ranks, with(arguments, {"--quiet"})).err == "");
  }
}

TEST_CASE("priors are fitted: what was planted is found, and goes on from a checkpoint",
          "[gas-lda]") {
  const TemporaryFolder folder;
  const Arguments from = {
      "--generate", "lda:documents=800,words=300,topics=3,length=100,alpha=0.3,beta=0.05",
      "--topics",   "3",
      "--summary",  "json",
      "--quiet",    "--optimize-every",
      "10"};
  const Json whole =
      summary_of(run(tool, 0, with(from, {"--iterations", "150", "-o", folder / "whole"})));
  CHECK(whole["alpha"].get<double>() == Approx(0.3).epsilon(0.2));
  CHECK(whole["beta"].get<double>() == Approx(0.05).epsilon(0.15));
  CHECK(whole["gained"].get<double>() > 0.005);
  const std::string bytes = read_text(folder / "whole/alpha.npy");
  std::vector<double> alpha(3);
  std::memcpy(alpha.data(), bytes.data() + bytes.size() - sizeof(double) * 3, sizeof(double) * 3);
  const double sum = std::accumulate(alpha.begin(), alpha.end(), 0.0);
  CHECK(sum / 3 == Approx(whole["alpha"].get<double>()));
  const auto check_theta = [&](const std::string& model) {
    const Matrix theta = matrix(model + "/document_topic.npy");
    const Matrix drawn = counts(model + "/document_counts.npy");
    for (std::size_t d = 0; d < theta.size(); d += 50)
      for (std::size_t k = 0; k < 3; ++k)
        CHECK(theta[d][k] == Approx((drawn[d][k] + alpha[k]) /
                                    (std::accumulate(drawn[d].begin(), drawn[d].end(), 0.0) + sum))
                                 .epsilon(1e-6));
  };
  check_theta(folder / "whole");
  // A run in two parts, on other ranks.
  summary_of(run(tool, 0,
                 with(from, {"--iterations", "20", "--checkpoint", folder / "saved",
                             "--checkpoint-every", "5"})));
  const Json rest =
      summary_of(run(tool, 2,
                     with(from, {"--iterations", "150", "--checkpoint", folder / "saved",
                                 "--resume", "-o", folder / "rest"})));
  CHECK(rest["gained"] == Approx(whole["gained"].get<double>()));
  for (const char* file : {"topic_word.npy", "alpha.npy", "document_topic.npy"})
    CHECK(read_text(folder / "rest/" + file) == read_text(folder / "whole/" + file));
  // The model's priors are used.
  const Arguments apply = {from[0],   from[1],     "--model", folder / "whole", "--apply",
                           "--quiet", "--summary", "json",    "--iterations",   "20"};
  summary_of(run(tool, 0, with(apply, {"-o", folder / "applied"})));
  check_theta(folder / "applied");
}

TEST_CASE("a run of many topics goes on as it began, however many rounds it was asked for",
          "[gas-lda]") {
  const TemporaryFolder folder;
  const std::string saved = folder / "saved", copy = folder / "copy";
  const Arguments from = {"--generate", "lda:documents=1200,words=2000,topics=10,length=200",
                          "--topics",   "300",
                          "--summary",  "json",
                          "--quiet",    "--checkpoint-every",
                          "1"};
  const auto go_on = [&](int ranks, const std::string& checkpoint, const std::string& rounds,
                         const std::string& out) {
    const Json done = summary_of(run(tool, ranks,
                                     with(from, {"--iterations", rounds, "--checkpoint", checkpoint,
                                                 "--resume", "-o", folder / out})));
    CHECK(done["iterations"] == std::stoi(rounds));
  };
  summary_of(run(tool, 0, with(from, {"--iterations", "5", "--checkpoint", saved})));
  std::filesystem::copy(saved, copy, std::filesystem::copy_options::recursive);
  go_on(0, saved, "20", "at-once");
  go_on(2, copy, "9", "by-nine");
  go_on(0, copy, "20", "by-nine-and-more");
  for (const char* file : {"topic_word.npy", "document_counts.npy"})
    CHECK(read_text(folder / "at-once/" + file) == read_text(folder / "by-nine-and-more/" + file));
}

TEST_CASE("without a round the model is the one given, or all words weigh the same", "[gas-lda]") {
  const TemporaryFolder folder;
  const std::string corpus = "lda:documents=200,words=100,topics=4,length=50";
  for (const char* topics : {"4", "300"}) {
    const Arguments from = {"--generate", corpus, "--quiet", "--summary", "json", "--iterations"};
    const std::string name = folder / std::string(topics);
    summary_of(run(tool, 0, with(from, {"0", "--topics", topics, "-o", name + "-none"})));
    for (const auto& row : matrix(name + "-none/topic_word.npy"))
      for (const double weight : row) REQUIRE(weight == Approx(0.01).epsilon(1e-6));
    summary_of(run(tool, 0, with(from, {"5", "--model", name + "-none", "-o", name + "-some"})));
    const Json scored = summary_of(run(
        tool, 2,
        with(from, {"0", "--model", name + "-some", "-o", name + "-same", "--heldout", "0.2"})));
    CHECK(read_text(name + "-same/topic_word.npy") == read_text(name + "-some/topic_word.npy"));
    CHECK(scored["heldout"].get<double>() < 0);
    CHECK(scored["heldout"].get<double>() > -10);
  }
  const auto none = run(tool, 0, {"--generate", corpus, "--topics", "4", "--heldout", "0"});
  CHECK(none.code == 2);
  CHECK_THAT(none.err, Catch::Contains("--heldout: found 0, expected a fraction between 0 and 1"));
}

TEST_CASE("--force leaves nothing of an earlier run beside the new files", "[gas-lda]") {
  const TemporaryFolder folder;
  write_text(folder / "edges", "a x 2\nb y 1\n");
  write_text(folder / "docword.txt", "2\n2\n2\n1 1 1\n2 2 1\n");
  const Arguments options{"--topics", "2", "--iterations", "3", "-o", folder / "out", "--quiet"};
  const auto with_input = [&](const std::string& input, const std::string& more) {
    Arguments arguments{folder / input};
    arguments.insert(arguments.end(), options.begin(), options.end());
    if (!more.empty()) arguments.push_back(more);
    return run(tool, 0, arguments).code;
  };
  CHECK(with_input("edges", "") == 0);
  CHECK(std::filesystem::exists(folder / "out/parameter_ids.txt"));
  write_text(folder / "out/mine.txt", "not a tool's");
  CHECK(with_input("docword.txt", "--force") == 0);
  CHECK(!std::filesystem::exists(folder / "out/parameter_ids.txt"));
  CHECK(std::filesystem::exists(folder / "out/topic_word.npy"));
  CHECK(read_text(folder / "out/mine.txt") == "not a tool's");
}

namespace {

/// Waits for at most about 20 s.
template <class Happened>
void wait_until(Happened happened) {
  for (int i = 0; i < 10000 && !happened(); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
}

}  // namespace

TEST_CASE("an interrupted run writes its model before it measures it", "[gas-lda]") {
  const TemporaryFolder folder;
  // A round takes steps of each token, a measure all topics of each.
  Process process(command(
      tool, 0,
      {"--generate", "lda:documents=4000,words=2000,topics=10,length=100,alpha=0.1,beta=0.05",
       "--topics", "4000", "--sampler", "mh", "--iterations", "100000", "--threads", "1", "--log",
       folder / "log", "-o", folder / "o", "--summary", "json"}));
  wait_until([&] { return occurrences(read_text(folder / "log"), "\n") > 2; });
  kill(process.id(), SIGINT);
  wait_until([&] { return std::filesystem::exists(folder / "o/manifest.json"); });
  std::this_thread::sleep_for(std::chrono::milliseconds(30));
  kill(process.id(), SIGINT);  // ends at once what is still measuring
  const Finished finished = process.wait();
  CHECK(finished.code == 130);
  CHECK(finished.out == "");
  const Json state = Json::parse(read_text(folder / "o/manifest.json"))["state"];
  CHECK(state["ended"] == "interrupted");
  CHECK(finished.err == "gas-lda: interrupted after round " + state["iterations"].dump() +
                            ": the results are in " + (folder / "o") +
                            "\ngas-lda: interrupted: ended at once\n");
  CHECK(matrix(folder / "o/topic_word.npy").size() == 4000);
}

TEST_CASE("an interrupt before all documents have joined is told", "[gas-lda]") {
  const TemporaryFolder folder;
  Process process(command(
      tool, 0,
      {"--generate", "lda:documents=4000,words=2000,topics=10,length=300,alpha=0.1,beta=0.05",
       "--topics", "300", "--threads", "1", "--log", folder / "log", "-o", folder / "o"}));
  wait_until([&] { return occurrences(read_text(folder / "log"), "\n") > 2; });
  kill(process.id(), SIGINT);
  const Finished finished = process.wait();
  CHECK(finished.code == 130);
  const Json state = Json::parse(read_text(folder / "o/manifest.json"))["state"];
  const bool all_joined = state["iterations"].get<int>() > 16;
  CHECK(occurrences(finished.err, "% of the tokens have no topic") == (all_joined ? 0 : 1));
}

TEST_CASE("training takes what it says before it begins, by words and topics, or by tokens",
          "[gas-lda]") {
  const TemporaryFolder folder;
  constexpr double words = 50000, topics = 400;
  std::string text = "2\n50000\n4\n1 1 2\n1 49999 1\n2 25000 3\n2 7 1\n";
  write_text(folder / "docword.txt", text);
  for (const std::string sampler : {"gibbs", "mh"})
    for (const int ranks : {0, 2}) {
      const Json summary = summary_of(
          run(tool, ranks,
              {folder / "docword.txt", "--topics", "400", "--sampler", sampler, "--iterations", "3",
               "-o", folder / "o", "--force", "--summary", "json", "--quiet"}));
      const double most = summary.at("peak_memory_bytes").get<double>() * std::max(1, ranks);
      CAPTURE(sampler, ranks, most);
      CHECK(most < (sampler == "mh" ? 3 : 17) * words * topics + 6e7 * std::max(1, ranks));
    }
}
