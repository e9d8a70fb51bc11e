#include "gas/engine/checks/check_options.hpp"

#include <fmt/format.h>

#include <string>

#include "gas/base/alike.hpp"
#include "gas/base/error.hpp"

namespace gas {
namespace {

/// Why a program does not take this bound.
std::string refused_staleness(const ProgramFacts& program, std::uint64_t bound) {
  const Stands& stands = program.stands;
  if (!program.declares_stands)
    return fmt::format(
        "staleness {}: the program declares no `stands`, so it runs at staleness 0 only; if it "
        "tolerates more, declare static constexpr gas::Stands stands{{.bound = 2}};",
        bound == Staleness::async ? "async" : std::to_string(bound));
  const std::string most = stands.async                  ? "any"
                           : stands.bound == Stands::any ? "any bound, but not async"
                           : stands.bound == 0           ? "staleness 0 only"
                                                         : fmt::format("at most {}", stands.bound);
  return fmt::format("staleness {}: the program declares that it tolerates {}{}{}",
                     bound == Staleness::async ? "async" : std::to_string(bound), most,
                     *stands.reason != 0 ? ": " : "", stands.reason);
}

}  // namespace

void check_options(const RunOptions& options, const ProgramFacts& program) {
  const bool async = options.staleness.bound == Staleness::async;
  const auto refuse_if = [](bool refused, const char* why) {
    if (refused) throw UsageError(why);
  };
  refuse_if(options.order > Order::priority,
            "found an order that has no name, expected sweep or priority");
  refuse_if(
      options.consistency > Consistency::edge,
      "found a consistency that has no name, expected by_staleness, snapshot, vertex or edge");
  refuse_if(options.topology > Topology::tree,
            "found a topology that has no name, expected automatic, flat, groups or tree");
  refuse_if(!(options.watchdog.seconds >= 0),
            "watchdog.seconds: expected at least 0; 0 never tells of waits");
  refuse_if(!(options.checkpoint.every_seconds >= 0),
            "checkpoint.every_seconds: expected at least 0; 0 sets no time");
  refuse_if(options.watchdog.seconds > 0 && !options.watchdog.tell,
            "watchdog.seconds needs watchdog.tell, which is told of long waits");
  const CheckpointOptions& checkpoint = options.checkpoint;
  refuse_if(
      checkpoint.folder.empty() &&
          (checkpoint.resume || checkpoint.every_rounds > 0 || checkpoint.every_seconds > 0),
      "found checkpoint.resume, every_rounds or every_seconds, expected checkpoint.folder, too");
  const Stands& stands = program.stands;
  if (async ? !stands.async : options.staleness.bound > stands.bound)
    throw UsageError(refused_staleness(program, options.staleness.bound));
  if (options.order == Order::priority) {
    refuse_if(!program.names_priority, "order priority: the program has no priority(before, now)");
    refuse_if(!async && options.staleness.bound > 0,
              "order priority needs staleness 0 or async: a round at another bound visits all "
              "active vertices, so their order changes nothing; choose order sweep");
    refuse_if(!async && !program.visits_by_bucket,
              "order priority needs staleness async, or vertices that declare gathers_changes: "
              "others gather from all their neighbours in a round, so their order changes nothing");
    refuse_if(
        async && !program.visits_in_place,
        "order priority in async needs vertices of one kind that gather single values, without "
        "scatter, which threads can share (up to 8 bytes, aligned to their size): other programs "
        "make steps, so their order changes nothing");
    refuse_if(!async && program.names_converged,
              "order priority at staleness 0 and converged() exclude each other: a round visits "
              "one bucket, so its Summary lacks the vertices that wait in other buckets");
    refuse_if(!async && options.consistency != Consistency::by_staleness,
              "if order is priority and staleness is 0, leave out consistency: vertices of a "
              "bucket always see at once what others publish");
  }
  refuse_if(async && program.visits_in_place && options.staleness.eager,
            "eager and staleness async exclude each other in this program: its vertices show "
            "values at once on their rank, and send them at the end of the round");
  refuse_if((options.topology == Topology::groups || options.topology == Topology::tree) &&
                options.staleness.bound > 0,
            "a topology other than flat needs staleness 0: ranks forward values together with "
            "their own, so each would wait for the slowest rank anyway");
  refuse_if(
      program.pushes_once && options.order != Order::priority,
      "the program has running accumulators (kept from round to round): choose order priority");
  switch (options.consistency) {
    case Consistency::by_staleness:
      break;
    case Consistency::snapshot:
      refuse_if(async && program.visits_in_place,
                "consistency snapshot needs a finite staleness: at async, ranks share no step from "
                "whose start values could be taken");
      break;
    case Consistency::vertex:
      refuse_if(!async || !program.visits_in_place,
                "consistency vertex needs staleness async and one kind of vertices that publish "
                "numbers: otherwise neighbours publish between steps only");
      break;
    case Consistency::edge:
      refuse_if(options.staleness.bound > 0,
                "consistency edge needs staleness 0: at other bounds, ranks apply vertices while "
                "neighbours on other ranks are visited");
      refuse_if(program.by_id,
                "consistency edge is not possible: it orders visits of neighbours only, but this "
                "program also reads vertices by id or offers values to them");
      if (!stands.edge)
        throw UsageError(
            fmt::format("consistency edge is not possible: the program declares that it needs the "
                        "values from before the round{}{}",
                        *stands.reason != 0 ? ": " : "", stands.reason));
      refuse_if(!program.two_kinds && !program.can_be_coloured,
                "consistency edge needs vertices that gather what their neighbours publish");
      break;
  }
}

}  // namespace gas
