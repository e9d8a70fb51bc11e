#pragma once

#include <boost/mpi/communicator.hpp>
#include <boost/mpi/environment.hpp>
#include <chrono>
#include <deque>
#include <memory>

#include "gas/exchange/transport.hpp"

namespace gas {

/// Messages over MPI: non-blocking sends of raw bytes, received by the thread that made the
/// transport (MPI is asked for MPI_THREAD_FUNNELED; less is refused with a RunError). One per
/// process, alive from before the first to after the last use of MPI.
class MpiTransport final : public Transport {
 public:
  MpiTransport();
  ~MpiTransport() override;

  int rank() const override { return world_.rank(); }
  int size() const override { return world_.size(); }
  int ranks_on_this_host() const { return ranks_on_host_; }

  std::vector<Bytes> exchange(std::vector<Bytes> out) override;
  bool local_receive(Message& message) override;
  void local_wait() override;

  /// Ends all ranks at once with this exit code: for a failure that the others cannot be told of.
  [[noreturn]] void local_abort(int exit_code);

 protected:
  void post(int to, Message message) override;

 private:
  struct Outgoing {
    Bytes bytes;
    MPI_Request request;
  };
  struct Incoming {
    int from;
    Bytes bytes;
    MPI_Request request;
  };
  void reap();

  boost::mpi::environment environment_;
  boost::mpi::communicator world_;
  MPI_Comm messages_ = MPI_COMM_NULL;
  int ranks_on_host_ = 1;
  std::deque<std::unique_ptr<Outgoing>> outgoing_;
  std::deque<std::unique_ptr<Incoming>> incoming_;  // in the order in which they were sent
  std::deque<Message> to_self_;
  MPI_Datatype line_ = MPI_DATATYPE_NULL;
  bool waiting_ = false;  // since the last message
  std::chrono::steady_clock::time_point waiting_since_;
};

}  // namespace gas
