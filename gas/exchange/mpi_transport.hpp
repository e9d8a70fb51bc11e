#pragma once

#include <mpi.h>

#include <boost/mpi/environment.hpp>
#include <chrono>
#include <deque>
#include <memory>

#include "gas/exchange/host/doorbells.hpp"
#include "gas/exchange/transport.hpp"

namespace gas {

/// Messages over MPI: non-blocking sends of raw bytes, and MPI's own collectives. The thread that
/// made the transport receives them: MPI_THREAD_FUNNELED is requested, and less is refused with a
/// RunError. The ranks are those of a communicator, by default MPI's world. All of them must make
/// the transport, and end it, together. It works on a duplicate, so its traffic never meets the
/// caller's or another transport's. If MPI is not running yet, the first transport of a process
/// starts it, and ends it in its destructor. After that there can be none: UsageError.
class MpiTransport final : public Transport {
 public:
  explicit MpiTransport(MPI_Comm communicator = MPI_COMM_WORLD);
  ~MpiTransport() override;

  int rank() const override { return rank_; }
  int size() const override { return static_cast<int>(number_on_host_.size()); }
  int ranks_on_this_host() const { return ranks_on_host_; }
  unsigned local_cores() const override { return cores_; }

  std::vector<Bytes> exchange(std::vector<Bytes> out) override;
  std::vector<std::uint64_t> exchange_numbers(std::span<const std::uint64_t> numbers) override;
  void exchange_into(std::span<const std::span<const std::byte>> out,
                     std::span<const std::span<std::byte>> in) override;
  void gather_bytes(std::span<const std::byte> mine, std::span<const std::uint64_t> sizes,
                    std::byte* all) override;
  void broadcast_bytes(std::span<std::byte> bytes, int root) override;
  bool local_receive(Message& message) override;
  void local_wait() override;

  /// Ends all ranks at once with this exit code. For failures that this rank cannot report to the
  /// others.
  [[noreturn]] void local_abort(int exit_code);

 protected:
  void post(int to, Message message) override;

 private:
  struct Incoming {
    int from;
    Bytes bytes;
    MPI_Request request;
  };
  void reap();

  boost::mpi::environment environment_;
  MPI_Comm communicator_ = MPI_COMM_NULL;
  int rank_ = 0;
  int ranks_on_host_ = 1;
  unsigned cores_ = 1;
  std::vector<int> number_on_host_;  // by rank; −1: it is elsewhere
  std::unique_ptr<Doorbells> doorbells_;
  bool cores_are_short_ = false;
  bool told_of_all_ = false;  // every message for this rank is told of
  std::uint32_t rings_ = 0;   // before the last look for messages
  bool waited_in_vain_ = false;
  std::uint32_t found_ = 0;           // messages that MPI had for this rank; compared with rings_
  std::vector<MPI_Request> leaving_;  // messages that MPI has not sent yet
  std::vector<Bytes> leaving_bytes_;  // their bytes
  std::vector<int> gone_;             // in reap
  std::deque<std::unique_ptr<Incoming>> incoming_;  // in the order in which they were sent
  std::deque<Message> to_self_;
  MPI_Datatype line_ = MPI_DATATYPE_NULL;
  bool waiting_ = false;  // since the last message
  std::chrono::steady_clock::time_point waiting_since_;
};

}  // namespace gas
