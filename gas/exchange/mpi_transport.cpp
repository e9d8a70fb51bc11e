#include "gas/exchange/mpi_transport.hpp"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <numeric>
#include <thread>
#include <utility>

#include "gas/base/error.hpp"
#include "gas/exchange/host/cores.hpp"
#include "gas/exchange/host/mpi_thread.hpp"

namespace gas {
namespace {

// A message is its bytes, padding to whole lines, and a header at the end: counted in lines, so
// that MPI's int counts reach to 128 GiB.
struct Header {
  std::uint64_t tag;
  std::uint64_t length;
  Purpose purpose;
};

constexpr int message_tag = 1;
constexpr int block_tag = 2;
constexpr std::size_t largest_piece = std::size_t{1} << 30;
constexpr std::size_t line_bytes = 64;

std::size_t index(int rank) { return static_cast<std::size_t>(rank); }

/// The number in `part` of each rank of `all`; −1: none.
std::vector<int> numbers_in(MPI_Comm part, MPI_Comm all) {
  int count = 0, ranks = 0;
  MPI_Comm_size(part, &count);
  MPI_Comm_size(all, &ranks);
  std::vector<int> numbers(index(count)), rank_of(numbers.size()), number_of(index(ranks), -1);
  std::iota(numbers.begin(), numbers.end(), 0);
  MPI_Group of_part = MPI_GROUP_NULL, of_all = MPI_GROUP_NULL;
  MPI_Comm_group(part, &of_part);
  MPI_Comm_group(all, &of_all);
  MPI_Group_translate_ranks(of_part, count, numbers.data(), of_all, rank_of.data());
  for (const int number : numbers) number_of[index(rank_of[index(number)])] = number;
  MPI_Group_free(&of_part);
  MPI_Group_free(&of_all);
  return number_of;
}

/// Of a process in which MPI has not ended.
boost::mpi::threading::level wanted_threads() {
  if (boost::mpi::environment::finalized())
    throw UsageError(
        "MpiTransport: MPI has ended in this process, with the first transport or by MPI_Finalize, "
        "and cannot start again: keep one transport until the end");
  return boost::mpi::threading::funneled;
}

}  // namespace

MpiTransport::MpiTransport(MPI_Comm communicator) : environment_(wanted_threads()) {
  if (boost::mpi::environment::thread_level() < boost::mpi::threading::funneled)
    throw RunError(
        "MPI was started without MPI_THREAD_FUNNELED, which worker threads need: ask for it in "
        "MPI_Init_thread, or let MpiTransport start MPI; if it does, use an MPI built with thread "
        "support");
  if (communicator == MPI_COMM_NULL)
    throw UsageError(
        "MpiTransport: found MPI_COMM_NULL, as ranks have that MPI_Comm_split leaves out; expected "
        "a communicator that this rank belongs to");
  int between = 0;
  MPI_Comm_test_inter(communicator, &between);
  if (between != 0) throw UsageError("MpiTransport: found an intercommunicator");
  MPI_Comm_dup(communicator, &communicator_);
  MPI_Comm_rank(communicator_, &rank_);
  int ranks = 1;
  MPI_Comm_size(communicator_, &ranks);
  MPI_Type_contiguous(static_cast<int>(line_bytes), MPI_BYTE, &line_);
  MPI_Type_commit(&line_);
  MPI_Comm host = MPI_COMM_NULL;
  MPI_Comm_split_type(communicator_, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host);
  MPI_Comm_size(host, &ranks_on_host_);
  cores_ = share_of_cores(host);
  doorbells_ = std::make_unique<Doorbells>(host);
  told_of_all_ = doorbells_->work() && ranks_on_host_ == ranks;
  number_on_host_ = numbers_in(host, communicator_);
  cores_are_short_ = ranks_on_host_ > sysconf(_SC_NPROCESSORS_ONLN);
  MPI_Comm_free(&host);
}

MpiTransport::~MpiTransport() {
  int finalized = 0;
  MPI_Finalized(&finalized);
  if (finalized) return;
  // After a run nothing is in flight; after an error the others may never receive, so cancel.
  reap();
  for (MPI_Request& request : leaving_) {
    MPI_Cancel(&request);
    MPI_Request_free(&request);
  }
  if (!leaving_.empty())  // MPI may still read the bytes until MPI_Finalize
    static_cast<void>(new std::vector<Bytes>(std::move(leaving_bytes_)));
  for (std::unique_ptr<Incoming>& in : incoming_) {
    int done = 0;
    MPI_Test(&in->request, &done, MPI_STATUS_IGNORE);
    if (done) continue;
    MPI_Request_free(&in->request);
    static_cast<void>(in.release());  // and may still write what comes in
  }
  MPI_Type_free(&line_);
  MPI_Comm_free(&communicator_);
  local_wait_for_mpi_thread();
}

void MpiTransport::local_abort(int exit_code) {
  MPI_Abort(communicator_, exit_code);
  std::abort();
}

void MpiTransport::gather_bytes(std::span<const std::byte> mine,
                                std::span<const std::uint64_t> sizes, std::byte* all) {
  const std::uint64_t total = std::accumulate(sizes.begin(), sizes.end(), std::uint64_t{0});
  if (total <= largest_piece) {
    std::vector<int> counts(sizes.begin(), sizes.end()), begins(sizes.size());
    std::exclusive_scan(counts.begin(), counts.end(), begins.begin(), 0);
    if (std::ranges::adjacent_find(counts, std::not_equal_to()) == counts.end())
      MPI_Allgather(mine.data(), counts[0], MPI_BYTE, all, counts[0], MPI_BYTE, communicator_);
    else
      MPI_Allgatherv(mine.data(), counts[index(rank_)], MPI_BYTE, all, counts.data(), begins.data(),
                     MPI_BYTE, communicator_);
    return;
  }
  // Beyond what MPI can count: one rank's after the other's.
  for (int root = 0; root < size(); ++root) {
    const std::span<std::byte> block(all, sizes[index(root)]);
    if (root == rank_) std::ranges::copy(mine, block.begin());
    broadcast_bytes(block, root);
    all += block.size();
  }
}

void MpiTransport::broadcast_bytes(std::span<std::byte> bytes, int root) {
  for (std::size_t at = 0; at < bytes.size(); at += largest_piece)
    MPI_Bcast(bytes.data() + at, static_cast<int>(std::min(largest_piece, bytes.size() - at)),
              MPI_BYTE, root, communicator_);
}

std::vector<std::uint64_t> MpiTransport::exchange_numbers(std::span<const std::uint64_t> numbers) {
  std::vector<std::uint64_t> in(numbers.size());
  MPI_Alltoall(numbers.data(), 1, MPI_UINT64_T, in.data(), 1, MPI_UINT64_T, communicator_);
  return in;
}

std::vector<Bytes> MpiTransport::exchange(std::vector<Bytes> out) {
  const auto ranks = static_cast<std::size_t>(size());
  std::vector<std::uint64_t> sizes;
  for (const Bytes& block : out) sizes.push_back(block.size());
  sizes = exchange_numbers(sizes);

  std::vector<Bytes> in(ranks);
  std::vector<std::span<const std::byte>> leaving(ranks);
  std::vector<std::span<std::byte>> arriving(ranks);
  for (std::size_t i = 0; i < ranks; ++i) {
    if (i == index(rank())) continue;
    in[i].resize(sizes[i]);
    leaving[i] = out[i];
    arriving[i] = in[i];
  }
  exchange_into(leaving, arriving);
  in[index(rank())] = std::move(out[index(rank())]);
  return in;
}

void MpiTransport::exchange_into(std::span<const std::span<const std::byte>> out,
                                 std::span<const std::span<std::byte>> in) {
  std::vector<MPI_Request> requests;
  const auto each_piece = [](auto block, auto&& use) {
    for (std::size_t at = 0; at < block.size(); at += largest_piece)
      use(block.data() + at, static_cast<int>(std::min(largest_piece, block.size() - at)));
  };
  for (int i = 0; i < size(); ++i) {
    if (i == rank()) continue;
    each_piece(in[index(i)], [&](std::byte* data, int count) {
      MPI_Irecv(data, count, MPI_BYTE, i, block_tag, communicator_, &requests.emplace_back());
    });
  }
  for (int i = 0; i < size(); ++i) {
    if (i == rank()) continue;
    each_piece(out[index(i)], [&](const std::byte* data, int count) {
      MPI_Isend(data, count, MPI_BYTE, i, block_tag, communicator_, &requests.emplace_back());
    });
  }
  std::ranges::copy(out[index(rank())], in[index(rank())].begin());
  MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
}

void MpiTransport::post(int to, Message message) {
  if (to == rank()) {
    to_self_.push_back(std::move(message));
    return;
  }
  Bytes& bytes = message.bytes;
  const Header header{message.tag, bytes.size(), message.purpose};
  const std::size_t lines = (bytes.size() + sizeof header + line_bytes - 1) / line_bytes;
  bytes.resize(lines * line_bytes);
  std::memcpy(bytes.data() + bytes.size() - sizeof header, &header, sizeof header);
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Isend(bytes.data(), static_cast<int>(lines), line_, to, message_tag, communicator_, &request);
  if (number_on_host_[index(to)] >= 0) doorbells_->ring(number_on_host_[index(to)]);
  int gone = 0;
  MPI_Test(&request, &gone, MPI_STATUS_IGNORE);  // small ones are
  if (gone) return;
  leaving_.push_back(request);
  leaving_bytes_.push_back(std::move(bytes));
}

void MpiTransport::reap() {
  if (leaving_.empty()) return;
  gone_.resize(leaving_.size());
  int count = 0;
  MPI_Testsome(static_cast<int>(leaving_.size()), leaving_.data(), &count, gone_.data(),
               MPI_STATUSES_IGNORE);
  for (int i = 0; i < count; ++i) leaving_bytes_[index(gone_[index(i)])] = {};
  if (count == 0) return;
  std::erase_if(leaving_bytes_, [](const Bytes& bytes) { return bytes.empty(); });
  std::erase(leaving_, MPI_REQUEST_NULL);
}

bool MpiTransport::local_receive(Message& message) {
  if (!to_self_.empty()) {
    message = std::move(to_self_.front());
    to_self_.pop_front();
    return true;
  }
  if (size() == 1) return false;  // nobody else sends
  reap();
  rings_ = doorbells_->rings();
  int arrived = 0;
  MPI_Status status;
  MPI_Message handle;
  // Open MPI looks at what has arrived, and then takes in more: a second look finds that. Where
  // cores are short a look in vain gives the core away, so few are made if nothing was sent: MPI
  // may have other things to do, such as to send what others than this transport have begun to.
  if (!told_of_all_ || rings_ != found_ || std::exchange(waited_in_vain_, false))
    for (int look = 0; look < 2 && !arrived; ++look)
      MPI_Improbe(MPI_ANY_SOURCE, message_tag, communicator_, &arrived, &handle, &status);
  if (arrived) {
    ++found_;
    int lines = 0;
    MPI_Get_count(&status, line_, &lines);
    auto in = std::make_unique<Incoming>();
    in->from = status.MPI_SOURCE;
    in->bytes.resize(static_cast<std::size_t>(lines) * line_bytes);
    MPI_Imrecv(in->bytes.data(), lines, line_, &handle, &in->request);
    incoming_.push_back(std::move(in));
  }
  if (incoming_.empty()) return false;
  int done = 0;
  MPI_Test(&incoming_.front()->request, &done, MPI_STATUS_IGNORE);
  if (!done) return false;
  message.bytes = std::move(incoming_.front()->bytes);
  message.from = incoming_.front()->from;
  incoming_.pop_front();
  Header header;
  std::memcpy(&header, message.bytes.data() + message.bytes.size() - sizeof header, sizeof header);
  message.bytes.resize(header.length);
  message.tag = header.tag;
  message.purpose = header.purpose;
  waiting_ = false;
  return true;
}

void MpiTransport::local_wait() {
  using std::chrono::microseconds;
  // Yield while a message is on its way, which only moves when it is asked about, and at first,
  // since an answer is often near. Then sleep until a message is sent; for a share of the time
  // waited so far where the doorbell does not tell of each, or something is still to be sent.
  const auto now = std::chrono::steady_clock::now();
  if (!waiting_) {
    waiting_ = true;
    waiting_since_ = now;
  }
  const auto waited = std::chrono::duration_cast<microseconds>(now - waiting_since_);
  if (!incoming_.empty() || waited < microseconds(cores_are_short_ ? 20 : 100))
    std::this_thread::yield();
  else if (told_of_all_ && rings_ == found_ && leaving_.empty())
    waited_in_vain_ = !doorbells_->wait(rings_, microseconds(1000));
  else
    doorbells_->wait(rings_, std::min(waited / 16, microseconds(500)));
}

}  // namespace gas
