#pragma once

#include <chrono>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tools/run/cause.hpp"
#include "tools/run/child.hpp"
#include "tools/run/frame.hpp"
#include "tools/support/process/exit_code.hpp"

namespace gas::tools {

/// How a job is started.
struct Launch {
  std::vector<std::string> mpirun;  // the words behind "mpirun -n P"
  double patience = 0;              // --hang-after
  double start_within = 0;          // --start-within
};

/// How a job has ended.
struct Ending {
  int code = 0;
  bool died = false;      // a rank did, or mpirun: it might go well another time
  std::string text;       // why, where nobody else has said it
  bool complete = false;  // the results are written all the same
};

/// One run of the tool: mpirun, a watcher per rank, the ranks. Speaks for nobody: what ranks write
/// to standard error is handed on in whole lines; what mpirun writes is kept back unless nothing
/// else says why the job ended. What Open MPI writes in a rank is handed on 3 seconds later, unless
/// it is known by then what ended the job.
class Job {
 public:
  Job(const Launch& launch, int ranks, const std::vector<std::string>& tool);
  ~Job();
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;

  /// For poll(2): something is to be read.
  int file() const { return words_; }
  void read();
  /// To be called now and then: sees to the limits of time.
  void look();
  /// Sends the ranks this signal, as soon as all of them can take it.
  void forward(int signal);
  /// Ends all ranks, which get half a second to tidy up.
  void end_at_once();

  bool over() const { return over_; }
  /// All ranks have started.
  bool began() const { return started_ == ranks_; }
  Ending ending() const;

 private:
  using Clock = std::chrono::steady_clock;

  void start(const Launch& launch, const std::vector<std::string>& tool);
  void take(const Frame& frame);
  void hand_on(int rank, std::string_view text);
  void hand_on_held();
  void rank_ended(int rank, const Report& report);
  void died(std::string text);
  std::string words_of_mpirun() const;

  const SessionFolder session_;
  const int ranks_;
  const double patience_, start_within_;
  const std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
  int mpirun_ = 0, words_ = -1;
  FrameReader reader_;
  std::map<int, std::string> lines_;  // begun, by rank
  std::string held_;                  // lines of Open MPI in a rank
  Clock::time_point held_since_;
  std::string mpirun_says_;
  int started_ = 0;
  std::deque<int> to_forward_;
  bool interrupted_ = false;  // the ranks were told to stop
  struct Ended {
    int rank;
    Report report;
  };
  std::vector<Ended> ended_;                     // in this order
  std::optional<Clock::time_point> first_code_;  // a rank has ended by itself, not with 0
  std::vector<Stuck> stuck_;
  Clock::time_point stuck_since_;
  std::optional<std::string> death_;
  std::optional<Clock::time_point> ending_;
  bool told_mpirun_ = false;
  int status_of_mpirun_ = 0;
  bool over_ = false;
};

}  // namespace gas::tools
