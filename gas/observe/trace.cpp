#include "gas/observe/trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <limits>
#include <map>
#include <memory>

#include "gas/base/error.hpp"
#include "gas/base/open_file.hpp"
#include "gas/observe/message_tag.hpp"

namespace gas {
namespace {

using What = Trace::What;

/// By how much each rank's clock is ahead of rank 0's, on rank 0. What cannot be told from the time
/// that messages take counts as no difference, so that ranks on one host share their clock exactly.
std::vector<std::int64_t> clocks_ahead(Communicator& comm) {
  const auto ranks = static_cast<std::size_t>(comm.size());
  std::vector<std::int64_t> to_here(ranks, std::numeric_limits<std::int64_t>::max());
  for (int i = 0; i < 8; ++i) {
    const std::vector<std::int64_t> sent = all_gather(comm, Trace::now());
    const std::int64_t now = Trace::now();
    for (std::size_t r = 0; r < ranks; ++r) to_here[r] = std::min(to_here[r], now - sent[r]);
  }
  const std::vector<std::int64_t> from_zero = all_gather(comm, to_here[0]);
  std::vector<std::int64_t> ahead(ranks);
  for (std::size_t r = 0; r < ranks; ++r) {
    const std::int64_t doubled = from_zero[r] - to_here[r];
    if (std::abs(doubled) > from_zero[r] + to_here[r]) ahead[r] = doubled / 2;
  }
  return ahead;
}

RunError cannot_write(const std::string& path) {
  return RunError(fmt::format("{}: cannot be written: {}", path, std::strerror(errno)));
}

class TraceFile {
 public:
  TraceFile(const std::string& path, std::FILE* opened)
      : path_(path), file_(opened != nullptr ? opened : open_to_write(path)) {
    if (!file_) throw cannot_write(path_);
    put("{\"traceEvents\":[\n");
  }
  void event(const std::string& text) {
    put(first_ ? text : ",\n" + text);
    first_ = false;
  }
  void close(std::uint64_t left_out) {
    put(fmt::format("\n],\"otherData\":{{\"events_left_out\":{}}}}}\n", left_out));
    if (std::fclose(file_.release()) != 0) fail();
  }

 private:
  /// Leaves no part of a file behind. What is no regular file stays, and one that standard output
  /// or another stream writes to.
  [[noreturn]] void fail() {
    const RunError error = cannot_write(path_);
    file_.reset();
    std::error_code ignored;
    const std::filesystem::path file = std::filesystem::canonical(path_, ignored);
    if (std::filesystem::is_regular_file(file, ignored) && !is_written_to(file.string()))
      std::filesystem::remove(file, ignored);
    throw error;
  }
  void put(const std::string& text) {
    if (std::fputs(text.c_str(), file_.get()) < 0) fail();
  }
  std::string path_;
  OwnedFile file_;
  bool first_ = true;
};

std::string content_of(std::uint64_t tag) {
  return tag < first_other_tag ? gas::name_of(channel_of(tag)) : "agreement";
}

std::string place_of(std::uint64_t tag) {
  return tag < first_other_tag
             ? fmt::format(R"("round":{},"step":{})", round_of(tag), step_of(tag) + 1)
             : "";
}

std::string name_of(const Trace::Event& event) {
  const std::uint64_t tag = event.tag;
  switch (event.what) {
    case What::round:
      return fmt::format("round {}", round_of(tag));
    case What::step:
      return fmt::format("step {}", step_of(tag) + 1);
    case What::sending:
      return fmt::format("send {}", gas::name_of(channel_of(tag)));
    case What::receiving:
      return fmt::format("take {}", gas::name_of(channel_of(tag)));
    case What::waiting:
      return fmt::format("wait for rank {}", event.peer);
    case What::starting:
      return "wait for all ranks";
    case What::dawdling:
      return "dawdle";
    case What::tasks:
      return "tasks";
    case What::sent:
      return fmt::format("{} to rank {}", content_of(tag), event.peer);
    case What::arrived:
      return fmt::format("{} of rank {}", content_of(tag), event.peer);
  }
  return "";
}

/// Writes the events of one rank.
class RankWriter {
 public:
  RankWriter(TraceFile& file, int rank, int ranks, std::int64_t origin)
      : file_(file), rank_(rank), ranks_(ranks), origin_(origin) {}

  void names(std::uint16_t lanes) {
    file_.event(
        fmt::format(R"({{"ph":"M","pid":{},"name":"process_name","args":{{"name":"rank {}"}}}})",
                    rank_, rank_));
    for (int lane = 0; lane < lanes; ++lane)
      file_.event(fmt::format(
          R"({{"ph":"M","pid":{},"tid":{},"name":"thread_name","args":{{"name":"{}"}}}})", rank_,
          lane, lane == 0 ? "main thread" : fmt::format("worker {}", lane - 1)));
  }

  void write(const Trace::Event& event) {
    if (event.what == What::sent || event.what == What::arrived)
      message(event);
    else
      file_.event(fmt::format(R"({{"ph":"X",{},"dur":{:.3f},"args":{{{}}}}})", head(event),
                              static_cast<double>(event.end - event.begin) * 1e-3,
                              event.what == What::tasks ? fmt::format(R"("tasks":{})", event.amount)
                                                        : place_of(event.tag)));
  }

 private:
  std::string head(const Trace::Event& event) const {
    return fmt::format(R"("pid":{},"tid":{},"ts":{:.3f},"name":"{}")", rank_, event.lane,
                       static_cast<double>(event.begin - origin_) * 1e-3, name_of(event));
  }

  /// Messages of a pair of ranks stay in order, so counting them on both sides names them.
  void message(const Trace::Event& event) {
    const bool sent = event.what == What::sent;
    const int from = sent ? rank_ : event.peer, to = sent ? event.peer : rank_;
    const std::string place = place_of(event.tag);
    file_.event(
        fmt::format(R"({{"ph":"i","s":"t",{},"args":{{"from":{},"to":{},"bytes":{}{}{}}}}})",
                    head(event), from, to, event.amount, place.empty() ? "" : ",", place));
    auto& counted = sent ? sent_ : arrived_;
    file_.event(fmt::format(
        R"({{"ph":"{}","bp":"e","cat":"message","id":{},"pid":{},"tid":0,"ts":{:.3f},"name":"message"}})",
        sent ? "s" : "f",
        (static_cast<std::uint64_t>(from) * static_cast<std::uint64_t>(ranks_) +
         static_cast<std::uint64_t>(to)) *
                (std::uint64_t{1} << 32U) +
            counted[event.peer]++,
        rank_, static_cast<double>(event.begin - origin_) * 1e-3));
  }

  TraceFile& file_;
  int rank_, ranks_;
  std::int64_t origin_;
  std::map<int, std::uint64_t> sent_, arrived_;
};

}  // namespace

void write_trace(Communicator& comm, const Trace& mine, const std::string& path,
                 std::FILE* opened) {
  const std::vector<std::int64_t> ahead = clocks_ahead(comm);
  std::int64_t first = std::numeric_limits<std::int64_t>::max();
  for (const Trace::Event& event : mine.events()) first = std::min(first, event.begin);
  if (mine.events().empty()) first = Trace::now();
  const std::vector<std::int64_t> firsts = all_gather(comm, first);
  std::int64_t origin = firsts[0];
  for (std::size_t r = 0; r < firsts.size(); ++r) origin = std::min(origin, firsts[r] - ahead[r]);
  const std::uint64_t left_out = all_sum(comm, mine.left_out());

  std::unique_ptr<TraceFile> file;
  together(comm, [&] {
    if (comm.rank() == 0) file = std::make_unique<TraceFile>(path, opened);
  });
  for (int rank = 0; rank < comm.size(); ++rank) {
    std::vector<Trace::Event> mine_or_none;
    if (rank == comm.rank()) mine_or_none = mine.events();
    const auto all = gather(comm, std::span<const Trace::Event>(mine_or_none));
    together(comm, [&] {
      if (comm.rank() != 0) return;
      const auto& events = all[static_cast<std::size_t>(rank)];
      RankWriter writer(*file, rank, comm.size(), origin + ahead[static_cast<std::size_t>(rank)]);
      std::uint16_t lanes = 1;
      for (const Trace::Event& event : events)
        lanes = std::max(lanes, static_cast<std::uint16_t>(event.lane + 1));
      writer.names(lanes);
      for (const Trace::Event& event : events) writer.write(event);
    });
  }
  together(comm, [&] {
    if (file) file->close(left_out);
  });
}

}  // namespace gas
