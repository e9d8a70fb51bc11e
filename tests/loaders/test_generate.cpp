#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <map>
#include <set>
#include <sstream>

#include "gas/base/error.hpp"
#include "loaders/generate/generate.hpp"
#include "loaders/read_small.hpp"
#include "tests/loaders/files.hpp"
#include "tests/support/ranks.hpp"

using namespace gas;
using namespace gas::loaders;
using namespace gas_test;

namespace {

/// FNV-1a.
std::uint64_t checksum(const std::string& bytes) {
  std::uint64_t hash = 14695981039346656037U;
  for (const char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211U;
  return hash;
}

/// Generates into a folder of rank 0; its files, by name, where this process holds rank 0.
std::map<std::string, std::string> files_of(int ranks, const std::string& spec) {
  const TemporaryFolder folder;
  const auto mine = run_ranks<int>(ranks, [&](Transport& comm) {
    write_generated(comm, parse_spec(spec), of_rank_0(comm, folder.path(".")));
    return comm.rank();
  });
  std::map<std::string, std::string> files;
  if (mine[0] == 0)
    for (const auto& entry : std::filesystem::directory_iterator(folder.path(".")))
      files[entry.path().filename().string()] = read_whole(entry.path().string());
  return files;
}

std::vector<double> all_truth(Communicator& comm, const Generated& generated,
                              const std::string& name) {
  for (const TruthArray& truth : generated.truth)
    if (truth.name == name) return joined(comm, truth.values);
  return {};
}

}  // namespace

TEST_CASE("the same specification gives the same bytes everywhere", "[ranks]") {
  struct Known {
    std::string spec;
    std::map<std::string, std::uint64_t> files;
  };
  const std::vector<Known> table{
      {"kronecker:scale=8,degree=4", {{"graph.txt", 0x642e34243aa352f6U}}},
      {"uniform:scale=8,degree=4,seed=3", {{"graph.txt", 0x45a18a91b8f3a1fbU}}},
      {"blobs:n=100,d=3,k=4,spread=0.5",
       {{"points.npy", 0x2940baf03e9fd3faU},
        {"truth_assignments.npy", 0x3feeaf87448dc917U},
        {"truth_centroids.npy", 0xa15a635a126a0363U}}},
      {"lda:documents=30,words=50,topics=3,length=20",
       {{"docword.txt", 0x057947a37ce34327U},
        {"truth_document_topic.npy", 0xd6fc2a1316a77284U},
        {"truth_topic_word.npy", 0x942c41cd356ebf68U},
        {"vocab.txt", 0x20c97e74ece830bfU}}},
      {"logistic:examples=60,features=40,nonzeros=5,informative=10",
       {{"data.svm", 0x8466c124d5dea0caU}, {"truth_weights.npy", 0xf60a583e1ce9ec18U}}},
      {"ratings:users=30,items=20,rank=3,density=0.2",
       {{"ratings.txt", 0xc0ac602b4b5099b0U},
        {"truth_items.npy", 0x0239db557b856474U},
        {"truth_users.npy", 0x41b62e7f299909deU}}},
  };
  for (const Known& known : table) {
    for (const int ranks : rank_counts()) {
      const auto files = files_of(ranks, known.spec);
      if (files.empty() && mpi_world() != nullptr) continue;
      std::map<std::string, std::uint64_t> sums;
      for (const auto& [name, bytes] : files) sums[name] = checksum(bytes);
      INFO(known.spec << " on " << ranks << " ranks");
      CHECK(sums == known.files);
    }
  }
}

TEST_CASE("another seed gives other data", "[ranks]") {
  if (mpi_world() != nullptr) return;
  CHECK(files_of(1, "uniform:scale=6,degree=2")["graph.txt"] !=
        files_of(1, "uniform:scale=6,degree=2,seed=2")["graph.txt"]);
}

TEST_CASE("what is generated is what its files hold", "[ranks]") {
  const std::pair<const char*, const char*> table[] = {
      {"kronecker:scale=9,degree=3", "graph.txt"},
      {"uniform:scale=7,degree=3,lengths=1000", "graph.txt"},
      {"grid:side=9,lengths=7", "graph.txt"},
      {"lda:documents=40,words=60,topics=4,length=25", "docword.txt"},
      {"logistic:examples=90,features=30,nonzeros=6,informative=10", "data.svm"},
      {"regression:examples=90,features=30,nonzeros=6,informative=10,group=3,correlation=0.8",
       "data.svm"},
      {"ratings:users=40,items=70,rank=3,density=0.1", "ratings.txt"}};
  const TemporaryFolder folder;
  for (const auto& [spec, file] : table) {
    for (const int ranks : rank_counts()) {
      const auto same = run_ranks<int>(ranks, [&, spec = spec, file = file](Transport& comm) {
        const std::string path = of_rank_0(comm, folder.path("."));
        const GeneratorSpec parsed = parse_spec(spec);
        write_generated(comm, parsed, path);
        GraphOptions options;
        options.format = std::string(file) == "docword.txt" ? Format::docword : Format::automatic;
        if (std::string(file) == "data.svm") options.columns = 30;
        options.bipartite = std::string(file) == "ratings.txt";
        const LoadedGraph read = load_graph(comm, path + "/" + file, options);
        const LoadedGraph made = std::move(*generate(comm, parsed).graph);
        return static_cast<int>(
            joined(comm, read.edges.source) == joined(comm, made.edges.source) &&
            joined(comm, read.edges.target) == joined(comm, made.edges.target) &&
            joined(comm, read.edges.value) == joined(comm, made.edges.value) &&
            read.labels == made.labels && read.shape.sources == made.shape.sources &&
            read.shape.targets == made.shape.targets &&
            read.shape.bipartite == made.shape.bipartite);
      });
      INFO(spec << " on " << ranks << " ranks");
      for (const int result : same) CHECK(result == 1);
    }
  }
}

TEST_CASE("kronecker graphs are simple and skewed, uniform ones even", "[ranks]") {
  for (const char* name : {"kronecker", "uniform"}) {
    const auto degrees = run_ranks<std::vector<std::uint64_t>>(
        rank_counts().back(), [&](Transport& comm) -> std::vector<std::uint64_t> {
          const Generated made =
              generate(comm, parse_spec(fmt::format("{}:scale=12,degree=8", name)));
          const auto source = joined(comm, made.graph->edges.source);
          const auto target = joined(comm, made.graph->edges.target);
          std::set<std::pair<VertexId, VertexId>> pairs;
          std::vector<std::uint64_t> degree(4096);
          for (std::size_t i = 0; i < source.size(); ++i) {
            if (source[i] >= target[i] || !pairs.emplace(source[i], target[i]).second) return {};
            ++degree[source[i]];
            ++degree[target[i]];
          }
          std::sort(degree.rbegin(), degree.rend());
          return degree;
        })[0];
    REQUIRE(degrees.size() == 4096);
    INFO(name << ": largest degree " << degrees[0]);
    if (name[0] == 'k') {
      CHECK(degrees[0] > 300);
      CHECK(degrees[2048] < 8);
    } else {
      CHECK(degrees[0] < 40);
      CHECK(degrees[2048] > 13);
    }
  }
}

TEST_CASE("a grid has all pairs of neighbours, and lengths are spread over their range",
          "[ranks]") {
  using Edges = std::map<std::pair<VertexId, VertexId>, float>;
  const auto all = run_ranks<Edges>(rank_counts().back(), [](Transport& comm) {
    const Generated made = generate(comm, parse_spec("grid:side=40,lengths=50"));
    const auto source = joined(comm, made.graph->edges.source);
    const auto target = joined(comm, made.graph->edges.target);
    const auto value = joined(comm, made.graph->edges.value);
    Edges edges;
    for (std::size_t i = 0; i < source.size(); ++i)
      edges.emplace(std::pair(source[i], target[i]), value[i]);
    return source.size() == edges.size() && made.graph->shape.sources == 1600 ? edges : Edges();
  })[0];
  CHECK(all.size() == 2 * 40 * 39);
  std::map<float, int> times;
  for (const auto& [pair, length] : all) {
    const auto [a, b] = pair;
    const bool neighbours = (b - a == 1 && a / 40 == b / 40) || b - a == 40;
    CHECK(neighbours);
    ++times[length];
  }
  REQUIRE(times.size() == 50);  // 62 of each are to be expected
  CHECK(times.begin()->first == 1);
  CHECK(times.rbegin()->first == 50);
  for (const auto& [length, count] : times) CHECK((count > 30 && count < 100));
}

TEST_CASE("blobs lie around their centroids", "[ranks]") {
  const auto errors = run_ranks<double>(rank_counts().back(), [&](Transport& comm) {
    const Generated made = generate(comm, parse_spec("blobs:n=4000,d=2,k=4,spread=0.5"));
    const auto points = joined(comm, made.points->values);
    const auto centroids = all_truth(comm, made, "centroids");
    const auto assignments = all_truth(comm, made, "assignments");
    double square = 0;
    for (std::size_t i = 0; i < points.size(); ++i) {
      const double difference =
          points[i] - centroids.at(static_cast<std::size_t>(assignments.at(i / 2)) * 2 + i % 2);
      square += difference * difference;
    }
    return std::sqrt(square / static_cast<double>(points.size()));
  });
  CHECK(errors[0] == Approx(0.5).epsilon(0.03));
}

TEST_CASE("documents follow their mixtures", "[ranks]") {
  struct Fit {
    double word = 0, topics = 0, concentration = 0, tokens = 0;
  };
  const Fit fit = run_ranks<Fit>(rank_counts().back(), [&](Transport& comm) {
    const Generated made = generate(
        comm, parse_spec("lda:documents=2000,words=40,topics=4,length=50,alpha=0.5,beta=0.3"));
    const auto phi = all_truth(comm, made, "topic_word");
    const auto theta = all_truth(comm, made, "document_topic");
    const auto word = joined(comm, made.graph->edges.target);
    const auto count = joined(comm, made.graph->edges.value);
    const auto document = joined(comm, made.graph->edges.source);
    std::vector<double> expected(40), seen(40), length(2000);
    Fit result;
    for (std::size_t i = 0; i < word.size(); ++i) {
      seen[word[i]] += count[i];
      length[document[i]] += count[i];
      result.tokens += count[i];
    }
    for (std::size_t d = 0; d < 2000; ++d) {
      double sum = 0, square = 0;
      for (std::size_t k = 0; k < 4; ++k) {
        sum += theta[d * 4 + k];
        square += theta[d * 4 + k] * theta[d * 4 + k];
        for (std::size_t w = 0; w < 40; ++w)
          expected[w] += length[d] * theta[d * 4 + k] * phi[k * 40 + w];
      }
      result.topics = std::max(result.topics, std::abs(sum - 1));
      result.concentration += square / 2000;
    }
    for (std::size_t w = 0; w < 40; ++w)
      result.word = std::max(result.word, std::abs(seen[w] - expected[w]) / result.tokens);
    return result;
  })[0];
  CHECK(fit.tokens == Approx(100000).epsilon(0.05));
  CHECK(fit.topics < 1e-12);
  CHECK(fit.word < 0.01);
  CHECK(fit.concentration == Approx(0.5).epsilon(0.05));  // Σ θ² of Dirichlet: (α + 1) / (Kα + 1)
}

TEST_CASE("labels follow the planted weights", "[ranks]") {
  struct Fit {
    double wrong = 0, rows = 0;
    std::size_t informative = 0;
  };
  const Fit fit = run_ranks<Fit>(rank_counts().back(), [&](Transport& comm) {
    const Generated made = generate(
        comm,
        parse_spec("logistic:examples=4000,features=100,nonzeros=15,informative=50,noise=0.1"));
    const auto weights = all_truth(comm, made, "weights");
    const auto labels = joined(comm, made.graph->labels);
    const auto row = joined(comm, made.graph->edges.source);
    const auto column = joined(comm, made.graph->edges.target);
    const auto value = joined(comm, made.graph->edges.value);
    std::vector<double> margin(labels.size());
    for (std::size_t i = 0; i < row.size(); ++i) margin[row[i]] += weights[column[i]] * value[i];
    Fit result;
    for (std::size_t i = 0; i < labels.size(); ++i) {
      if (margin[i] == 0) continue;
      ++result.rows;
      result.wrong += (margin[i] > 0) != (labels[i] > 0) ? 1 : 0;
    }
    result.informative =
        100 - static_cast<std::size_t>(std::count(weights.begin(), weights.end(), 0.0));
    return result;
  })[0];
  CHECK(fit.rows > 3900);
  CHECK(fit.wrong / fit.rows == Approx(0.1).margin(0.02));
  CHECK(fit.informative == 50);
}

TEST_CASE("features of a group correlate as planted, and labels are w·x and noise", "[ranks]") {
  struct Fit {
    double left = 0, noise = 0, same = 0, apart = 0;
  };
  const Fit fit = run_ranks<Fit>(rank_counts().back(), [&](Transport& comm) {
    const Generated made = generate(comm, parse_spec("regression:examples=3000,features=40,"
                                                     "nonzeros=40,informative=10,noise=0.5,group=4,"
                                                     "correlation=0.75"));
    const auto weights = all_truth(comm, made, "weights");
    auto left = joined(comm, made.graph->labels);
    const auto row = joined(comm, made.graph->edges.source);
    const auto column = joined(comm, made.graph->edges.target);
    const auto value = joined(comm, made.graph->edges.value);
    std::vector<double> dense(3000 * 40);
    for (std::size_t e = 0; e < row.size(); ++e) {
      left[row[e]] -= weights[column[e]] * double{value[e]};
      dense[row[e] * 40 + column[e]] = double{value[e]};
    }
    Fit result;
    for (const double r : left) result.left += r / 3000, result.noise += r * r / 3000;
    const auto correlation = [&](std::size_t a, std::size_t b) {
      double ab = 0, aa = 0, bb = 0;
      for (std::size_t i = 0; i < 3000; ++i) {
        const double x = dense[i * 40 + a], y = dense[i * 40 + b];
        ab += x * y, aa += x * x, bb += y * y;
      }
      return ab / std::sqrt(aa * bb);
    };
    result.same = correlation(0, 3);
    result.apart = correlation(3, 4);
    return result;
  })[0];
  CHECK(fit.left == Approx(0).margin(0.05));
  CHECK(fit.noise == Approx(0.25).epsilon(0.1));
  CHECK(fit.same == Approx(0.75).margin(0.05));
  CHECK(fit.apart == Approx(0).margin(0.1));
}

TEST_CASE("ratings are products of the planted rows, as many as were asked for", "[ranks]") {
  struct Fit {
    double ratings = 0, squares = 0;
    std::size_t users = 0, items = 0;
  };
  const Fit fit = run_ranks<Fit>(rank_counts().back(), [&](Transport& comm) {
    const Generated made =
        generate(comm, parse_spec("ratings:users=300,items=200,rank=4,density=0.1,noise=0.5"));
    const auto users = all_truth(comm, made, "users"), items = all_truth(comm, made, "items");
    const auto user = joined(comm, made.graph->edges.source);
    const auto item = joined(comm, made.graph->edges.target);
    const auto value = joined(comm, made.graph->edges.value);
    Fit result;
    result.ratings = static_cast<double>(value.size());
    for (std::size_t e = 0; e < value.size(); ++e) {
      double noise = static_cast<double>(value[e]);
      for (std::size_t k = 0; k < 4; ++k) noise -= users[user[e] * 4 + k] * items[item[e] * 4 + k];
      result.squares += noise * noise;
    }
    result.users = std::set(user.begin(), user.end()).size();
    result.items = std::set(item.begin(), item.end()).size();
    return result;
  })[0];
  CHECK(fit.users == 300);
  CHECK(fit.items == 200);
  CHECK(fit.ratings == Approx(300 * 200 * 0.1 + 270).epsilon(0.05));
  CHECK(fit.squares / fit.ratings == Approx(0.25).epsilon(0.1));
}

TEST_CASE("with next to no density each user and each item has a rating, and no pair two",
          "[ranks]") {
  for (const char* density : {"0", "1e-17", "1e-300"}) {
    const auto pairs = run_ranks<std::vector<std::pair<VertexId, VertexId>>>(
        rank_counts().back(), [&](Transport& comm) {
          const std::string spec = "ratings:users=3,items=10,rank=2,density=";
          const Generated made = generate(comm, parse_spec(spec + density));
          const auto user = joined(comm, made.graph->edges.source);
          const auto item = joined(comm, made.graph->edges.target);
          std::vector<std::pair<VertexId, VertexId>> all;
          for (std::size_t e = 0; e < user.size(); ++e) all.emplace_back(user[e], item[e]);
          return all;
        })[0];
    CAPTURE(density);
    CHECK(pairs.size() == 10);
    CHECK(std::set(pairs.begin(), pairs.end()).size() == 10);
  }
}

TEST_CASE("specifications that cannot be") {
  const auto message = [](const char* spec) {
    return message_of("/x/", [&] { parse_spec(spec); });
  };
  CHECK(message("kroneker:scale=4") ==
        "unknown generator 'kroneker' (known: kronecker, uniform, grid, blobs, lda, logistic, "
        "regression, ratings); "
        "did you mean "
        "'kronecker'?");
  CHECK(message("blobs:m=4") ==
        "unknown key 'm' of the generator blobs (known: n, d, k, spread, seed)");
  CHECK(message("lda:topic=4").find("did you mean 'topics'?") != std::string::npos);
  CHECK(message("uniform:scale=40") ==
        "scale=40 of the generator uniform: expected a whole number from 1 to 31");
  CHECK(message("uniform:scale=4.5") ==
        "scale=4.5 of the generator uniform: expected a whole number from 1 to 31");
  CHECK(message("blobs:spread=nan") ==
        "spread=nan of the generator blobs: expected a number from 0 to 1000000");
  CHECK(message("blobs:k") == "'k' of the generator blobs: expected key=value");
  CHECK(message("blobs:k=3,k=4") == "k of the generator blobs is given twice");
  CHECK(message("blobs:seed=-1") == "seed=-1: expected a whole number below 2^64");
  CHECK(message("logistic:informative=50,features=40") ==
        "informative=50 of the generator logistic is more than features=40");
  CHECK(parse_spec("blobs").whole("n") == 10000);
  CHECK(parse_spec("blobs:n=1e6,seed=18446744073709551615").seed == ~std::uint64_t{0});
}
