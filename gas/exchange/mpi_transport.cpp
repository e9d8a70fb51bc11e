#include "gas/exchange/mpi_transport.hpp"

#include <algorithm>
#include <chrono>
#include <climits>
#include <thread>

#include "gas/graph/error.hpp"

namespace gas {
namespace {

// A message is a fixed header and its bytes; larger ones are refused by MPI's int counts, so they
// are cut.
struct Header {
  std::uint64_t tag;
  std::uint64_t length;
  Purpose purpose;
};

constexpr int message_tag = 1;
constexpr int block_tag = 2;
constexpr std::size_t largest_piece = std::size_t{1} << 30;
constexpr std::size_t largest_message = static_cast<std::size_t>(INT_MAX) - sizeof(Header);

}  // namespace

MpiTransport::MpiTransport() : environment_(boost::mpi::threading::funneled) {
  if (boost::mpi::environment::thread_level() < boost::mpi::threading::funneled)
    throw RunError("MPI offers no MPI_THREAD_FUNNELED, which is needed beside worker threads");
  MPI_Comm_dup(world_, &messages_);
  MPI_Comm host = MPI_COMM_NULL;
  MPI_Comm_split_type(world_, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host);
  MPI_Comm_size(host, &ranks_on_host_);
  MPI_Comm_free(&host);
}

MpiTransport::~MpiTransport() {
  // After a run nothing is in flight; after an error the others may never receive, so cancel.
  for (auto& out : outgoing_) {
    int done = 0;
    MPI_Test(&out->request, &done, MPI_STATUS_IGNORE);
    if (!done) {
      MPI_Cancel(&out->request);
      MPI_Request_free(&out->request);
      static_cast<void>(out.release());  // MPI may still read the bytes until MPI_Finalize
    }
  }
  MPI_Comm_free(&messages_);
}

void MpiTransport::local_abort(int exit_code) {
  MPI_Abort(world_, exit_code);
  std::abort();
}

std::vector<Bytes> MpiTransport::exchange(std::vector<Bytes> out) {
  const auto ranks = static_cast<std::size_t>(size());
  std::vector<std::uint64_t> out_sizes(ranks), in_sizes(ranks);
  for (std::size_t i = 0; i < ranks; ++i) out_sizes[i] = out[i].size();
  MPI_Alltoall(out_sizes.data(), 1, MPI_UINT64_T, in_sizes.data(), 1, MPI_UINT64_T, world_);

  std::vector<Bytes> in(ranks);
  std::vector<MPI_Request> requests;
  const auto each_piece = [](Bytes& block, auto&& use) {
    for (std::size_t at = 0; at < block.size(); at += largest_piece)
      use(block.data() + at, static_cast<int>(std::min(largest_piece, block.size() - at)));
  };
  for (std::size_t i = 0; i < ranks; ++i) {
    if (static_cast<int>(i) == rank()) continue;
    in[i].resize(in_sizes[i]);
    each_piece(in[i], [&](std::byte* data, int count) {
      MPI_Irecv(data, count, MPI_BYTE, static_cast<int>(i), block_tag, world_,
                &requests.emplace_back());
    });
  }
  for (std::size_t i = 0; i < ranks; ++i) {
    if (static_cast<int>(i) == rank()) continue;
    each_piece(out[i], [&](std::byte* data, int count) {
      MPI_Isend(data, count, MPI_BYTE, static_cast<int>(i), block_tag, world_,
                &requests.emplace_back());
    });
  }
  in[static_cast<std::size_t>(rank())] = std::move(out[static_cast<std::size_t>(rank())]);
  MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
  return in;
}

void MpiTransport::post(int to, Message message) {
  if (to == rank()) {
    to_self_.push_back(std::move(message));
    return;
  }
  if (message.bytes.size() > largest_message) throw RunError("a message of more than 2 GiB");
  auto out = std::make_unique<Outgoing>();
  const Header header{message.tag, message.bytes.size(), message.purpose};
  out->bytes = std::move(message.bytes);
  out->bytes.insert(out->bytes.end(), reinterpret_cast<const std::byte*>(&header),
                    reinterpret_cast<const std::byte*>(&header + 1));
  MPI_Isend(out->bytes.data(), static_cast<int>(out->bytes.size()), MPI_BYTE, to, message_tag,
            messages_, &out->request);
  outgoing_.push_back(std::move(out));
  reap();
}

void MpiTransport::reap() {
  while (!outgoing_.empty()) {
    int done = 0;
    MPI_Test(&outgoing_.front()->request, &done, MPI_STATUS_IGNORE);
    if (!done) return;
    outgoing_.pop_front();
  }
}

bool MpiTransport::local_receive(Message& message) {
  if (!to_self_.empty()) {
    message = std::move(to_self_.front());
    to_self_.pop_front();
    return true;
  }
  reap();
  int arrived = 0;
  MPI_Status status;
  MPI_Message handle;
  MPI_Improbe(MPI_ANY_SOURCE, message_tag, messages_, &arrived, &handle, &status);
  if (!arrived) return false;
  int count = 0;
  MPI_Get_count(&status, MPI_BYTE, &count);
  message.bytes.resize(static_cast<std::size_t>(count));
  MPI_Mrecv(message.bytes.data(), count, MPI_BYTE, &handle, MPI_STATUS_IGNORE);
  Header header;
  const std::size_t length = message.bytes.size() - sizeof header;
  std::memcpy(&header, message.bytes.data() + length, sizeof header);
  message.bytes.resize(length);
  message.from = status.MPI_SOURCE;
  message.tag = header.tag;
  message.purpose = header.purpose;
  idle_polls_ = 0;
  return true;
}

void MpiTransport::local_wait() {
  // Open MPI's blocking calls spin. Yield first, since an answer is often near; then sleep longer
  // and longer.
  const int polls = idle_polls_++;
  if (polls < 64) {
    std::this_thread::yield();
  } else {
    std::this_thread::sleep_for(std::chrono::microseconds(std::min(500, 10 * (polls - 63))));
  }
}

}  // namespace gas
