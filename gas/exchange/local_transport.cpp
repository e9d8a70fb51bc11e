#include "gas/exchange/local_transport.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <thread>

#include "gas/base/error.hpp"
#include "gas/exchange/host/cores.hpp"

namespace gas {
namespace {

struct Inbox {
  std::mutex mutex;
  std::condition_variable arrived;
  std::deque<Message> messages;
  std::vector<std::deque<Bytes>> collective;  // by sender
  std::size_t senders = 0;                    // of which something is there
  bool abandoned = false;
};

using Inboxes = std::vector<Inbox>;  // by rank

std::shared_ptr<Inboxes> make_inboxes(int ranks) {
  const auto boxes = std::make_shared<Inboxes>(static_cast<std::size_t>(ranks));
  for (Inbox& box : *boxes) box.collective.resize(boxes->size());
  return boxes;
}

class LocalTransport final : public Transport {
 public:
  LocalTransport(int rank, std::shared_ptr<Inboxes> boxes)
      : rank_(rank), owner_(std::move(boxes)), boxes_(*owner_) {}

  int rank() const override { return rank_; }
  int size() const override { return static_cast<int>(boxes_.size()); }
  unsigned local_cores() const override {
    return std::max(1U, usable_cores() / static_cast<unsigned>(boxes_.size()));
  }

  std::vector<Bytes> exchange(std::vector<Bytes> out) override {
    // A rank that waits is woken once, when the last one's bytes are there.
    for (std::size_t to = 0; to < boxes_.size(); ++to) {
      Inbox& box = boxes_[to];
      std::unique_lock lock(box.mutex);
      if (box.collective[index()].empty()) ++box.senders;
      box.collective[index()].push_back(std::move(out[to]));
      const bool all = box.senders == boxes_.size();
      lock.unlock();
      if (all) box.arrived.notify_one();
    }
    Inbox& mine = boxes_[index()];
    std::vector<Bytes> in(boxes_.size());
    std::unique_lock lock(mine.mutex);
    mine.arrived.wait(lock, [&] { return mine.abandoned || mine.senders == boxes_.size(); });
    if (mine.senders != boxes_.size()) throw Abandoned();
    for (std::size_t from = 0; from < boxes_.size(); ++from) {
      in[from] = std::move(mine.collective[from].front());
      mine.collective[from].pop_front();
      if (mine.collective[from].empty()) --mine.senders;
    }
    return in;
  }

  bool local_receive(Message& message) override {
    Inbox& mine = boxes_[index()];
    const std::lock_guard lock(mine.mutex);
    if (mine.messages.empty()) {
      if (mine.abandoned) throw Abandoned();
      return false;
    }
    message = std::move(mine.messages.front());
    mine.messages.pop_front();
    return true;
  }

  void local_wait() override {
    Inbox& mine = boxes_[index()];
    std::unique_lock lock(mine.mutex);
    mine.arrived.wait_for(lock, std::chrono::milliseconds(10),
                          [&] { return mine.abandoned || !mine.messages.empty(); });
  }

 protected:
  void post(int to, Message message) override {
    Inbox& box = boxes_[static_cast<std::size_t>(to)];
    {
      const std::lock_guard lock(box.mutex);
      box.messages.push_back(std::move(message));
    }
    box.arrived.notify_one();  // who wakes finds the mutex free
  }

 private:
  std::size_t index() const { return static_cast<std::size_t>(rank_); }

  int rank_;
  std::shared_ptr<Inboxes> owner_;
  Inboxes& boxes_;
};

}  // namespace

void run_local_ranks(int ranks, FunctionRef<void(Transport&)> rank_main) {
  const std::shared_ptr<Inboxes> boxes = make_inboxes(ranks);
  std::exception_ptr first_error;
  std::mutex error_mutex;
  const auto guarded = [&](const auto& work) {  // what it throws ends all ranks
    try {
      work();
    } catch (const Abandoned&) {
    } catch (...) {
      {
        const std::lock_guard lock(error_mutex);
        if (!first_error) first_error = std::current_exception();
      }
      for (Inbox& box : *boxes) {
        const std::lock_guard lock(box.mutex);
        box.abandoned = true;
        box.arrived.notify_all();
      }
    }
  };
  {
    std::vector<std::jthread> threads;
    guarded([&] {
      for (int rank = 0; rank < ranks; ++rank)
        threads.emplace_back([&, rank] {
          guarded([&] {
            LocalTransport transport(rank, boxes);
            rank_main(transport);
          });
        });
    });
  }
  if (first_error) std::rethrow_exception(first_error);
}

std::unique_ptr<Transport> make_lone_transport() {
  return std::make_unique<LocalTransport>(0, make_inboxes(1));
}

}  // namespace gas
