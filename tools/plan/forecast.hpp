#pragma once

#include <optional>
#include <vector>

#include "tools/plan/samples.hpp"

namespace gas::tools {

/// A machine that holds one rank.
struct Host {
  double cores = 1;
  double bandwidth = 0;  // bytes per second of a rank; 0: no limit
  double latency = 0;    // seconds per message
  double price = 0;      // per hour
};

/// What a run on so many ranks is expected to take.
struct Forecast {
  int ranks = 1;
  bool run = false;              // such ranks were run, on a share
  double set_up = 0, round = 0;  // seconds: loading, cutting, and beyond the rounds; a round
  double seconds = 0;            // of all
  double bytes = 0;              // sent by all ranks in all
  bool exact_bytes = false;
  std::optional<double> memory = {};  // bytes of the largest rank
  double price = 0;
};

/// Forecasts from samples of several shares and numbers of ranks (Ernest: Venkataraman et al.,
/// NSDI 2016). A round on P ranks, of which all of INPUT was not run, takes a + b × share. Other
/// numbers of ranks follow from those: a + b / cores in use + c log₂ P + d P. Bytes of a round are
/// to those that a run without rounds sends as in the largest sample.
class Forecaster {
 public:
  /// `cores` of this machine, `threads` of each rank; 0: ranks share the cores. There are samples
  /// of one rank, for each number of ranks one of a share of 1 without rounds, and beside samples
  /// of several ranks with rounds one of their largest share without. Of samples of a share of 1
  /// with rounds, the first ran for the most.
  Forecaster(const std::vector<Sample>& samples, double cores, double threads);

  /// On this machine.
  Forecast here(int ranks, double rounds) const;
  /// On a rank per host: what one rank computes here in a core's seconds is shared out over all
  /// their cores, as far as there are threads, and what ranks send takes bandwidth and latency.
  /// Loading and the rest go as fast per core as here.
  Forecast on(const Host& host, int ranks, double rounds) const;

 private:
  struct Whole {  // of a number of ranks; 0: not known
    int ranks;
    double set_up, round, messages;
    double bytes;        // sent without rounds
    double first_bytes;  // sent beside what each round sends
    double round_bytes;  // sent in a round
    bool run;            // for some rounds
    bool exact_bytes;
  };
  static Whole whole_of(const std::vector<Sample>& samples, int ranks);
  static void count_bytes(Whole& whole, const std::vector<Sample>& rounds,
                          const std::vector<Sample>& none);
  const Whole* find(int ranks) const;
  double cores_of(int ranks) const;
  /// Of a number of ranks, from those that were run.
  template <class Value, class Terms>
  double follow(int ranks, Value value, Terms terms) const;
  void tell_bytes(Forecast& forecast, double rounds) const;

  double cores_, threads_;
  std::vector<Whole> wholes_;
};

}  // namespace gas::tools
