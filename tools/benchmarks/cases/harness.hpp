#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "gas/base/communicator.hpp"
#include "gas/graph/local_graph.hpp"
#include "loaders/generate/generate.hpp"
#include "tools/benchmarks/loops/pair_loops.hpp"

namespace gas::bench {

/// What a kernel benchmark is asked for: `--threads 1,2 --repeats 5 --size tiny|quick|full
/// --least 0.05 --edges FILE`.
struct Options {
  std::vector<int> threads{1, 2};
  int repeats = 5;
  std::string size = "full";
  // Seconds of a timed go: short work is done again and again in it. 0: once, and goes follow each
  // other without a pause.
  double least = 0.05;
  // Graphs: pairs of ids, and perhaps whole lengths, in place of the graphs that the kernel makes.
  std::string edges;

  /// The one of the three that `size` names.
  template <class T>
  T pick(T tiny, T quick, T full) const {
    return size == "tiny" ? tiny : size == "quick" ? quick : full;
  }
};

/// Does a kernel take --edges?
enum class Given : std::uint8_t { no_graph, graph };

/// Parses the command line, runs `body`, and turns errors into a message and exit code 1.
int run_benchmark(int argc, char* argv[], const std::string& what,
                  const std::function<void(const Options&)>& body, Given given = Given::no_graph);

/// Seconds that f() takes.
double seconds_of(const std::function<void()>& f);

/// Several ways to do the same work, run by turns: one untimed go, then the timed ones, whose
/// seconds are those of doing the work once.
class Contest {
 public:
  /// `work` units (arcs, tokens, …) are done in each go.
  Contest(std::string kernel, std::string name, int threads, double work, std::string unit,
          int ranks = 1)
      : kernel_(std::move(kernel)),
        case_(std::move(name)),
        threads_(threads),
        ranks_(ranks),
        work_(work),
        unit_(std::move(unit)) {}

  /// `go` does the work once and returns its seconds. The first to be added says how often a timed
  /// go calls it, and all that come after do as much.
  void add(std::string who, std::function<double()> go);
  void run(const Options& options);
  /// What `who` found differs from the reference by `difference`, at most `most` is right: throws
  /// RunError if it is more. Called after run() and before print(), for all.
  void check(const std::string& who, double difference, double most);
  /// A line of JSON for each: {kernel, case, who, threads, ranks, seconds, work, unit, check}.
  void print() const;

 private:
  struct Contender {
    std::string who;
    std::function<double()> go;
    std::vector<double> seconds{};
    double difference = -1;  // not checked yet
  };
  std::string kernel_, case_;
  int threads_, ranks_;
  double work_;
  std::string unit_;
  std::vector<Contender> contenders_;
};

/// Ours and a loop compiled in both ways, each of which leaves what it found, to the bit the same,
/// in an empty Result: run, checked and printed.
template <class Result, class Ours, class Portable, class Native>
void beside_loops(Contest contest, const Options& options, Ours ours, Portable portable,
                  Native native) {
  Result found, plain, other;
  const auto add = [&](const char* who, auto& find, Result& result) {
    contest.add(who, [&] {
      result = {};
      return seconds_of([&] { find(result); });
    });
  };
  add("ours", ours, found);
  add("loop -O3", portable, plain);
  add("loop -O3 -march=native", native, other);
  contest.run(options);
  contest.check("ours", found == plain ? 0 : 1, 0);
  contest.check("loop -O3", 0, 0);
  contest.check("loop -O3 -march=native", other == plain ? 0 : 1, 0);
  contest.print();
}

struct BenchGraph {
  std::shared_ptr<const LocalGraph> graph;
  std::vector<double> labels;  // logistic: by row
};

/// Of the arcs of a graph: none, or for each pair a whole number from 1 to 255, both ways.
enum class Lengths : std::uint8_t { none, whole };
constexpr double mean_length = 128;

/// The graph of a generator specification, all on one rank. Pairs become arcs in both directions.
BenchGraph make_graph(Communicator& comm, const std::string& spec, Repeats repeats,
                      Lengths lengths = Lengths::none);

/// Side × side vertices, row by row, each of which is a pair with its neighbours in row and column.
std::shared_ptr<const LocalGraph> make_grid(Communicator& comm, VertexId side,
                                            Lengths lengths = Lengths::none);

/// Vertices 0, 1, …, each of which is a pair with the next.
std::shared_ptr<const LocalGraph> make_chain(Communicator& comm, VertexId length);

/// The graph of a file of pairs, with arcs in both directions.
std::shared_ptr<const LocalGraph> read_graph(Communicator& comm, const std::string& path,
                                             Repeats repeats);

/// What the loops read of a graph that is all on one rank.
PairGraph pairs_of(const LocalGraph& graph);

/// Σ |a − b| / Σ |b|.
template <class A, class B>
double relative_difference(const A& a, const B& b) {
  double off = 0, all = 0;
  for (std::size_t i = 0; i < b.size(); ++i) {
    const auto x = static_cast<double>(a[i]), y = static_cast<double>(b[i]);
    off += x > y ? x - y : y - x;
    all += y > 0 ? y : -y;
  }
  return all > 0 ? off / all : off;
}

}  // namespace gas::bench
