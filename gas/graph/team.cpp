#include "gas/graph/team.hpp"

#include <new>

#include "gas/graph/error.hpp"

namespace gas {
namespace {

enum class Failure : char { none, input, usage, run };

template <class Error>
struct Shared final : Error, ThrownTogether {
  using Error::Error;
};

}  // namespace

void Team::gather_bytes(std::span<const std::byte> mine, std::span<const std::uint64_t>,
                        std::byte* all) {
  const Bytes block(mine.begin(), mine.end());
  for (const Bytes& bytes : exchange(std::vector<Bytes>(static_cast<std::size_t>(size()), block)))
    all = std::ranges::copy(bytes, all).out;
}

void Team::broadcast_bytes(std::span<std::byte> bytes, int root) {
  std::vector<Bytes> out(static_cast<std::size_t>(size()));
  if (rank() == root)
    for (Bytes& block : out) block.assign(bytes.begin(), bytes.end());
  std::ranges::copy(exchange(std::move(out))[static_cast<std::size_t>(root)], bytes.begin());
}

void together(Team& team, const std::function<void()>& work) {
  Failure failure = Failure::none;
  std::string text;
  try {
    work();
  } catch (const InputError& error) {
    failure = Failure::input, text = error.what();
  } catch (const UsageError& error) {
    failure = Failure::usage, text = error.what();
  } catch (const std::bad_alloc&) {
    failure = Failure::run, text = "out of memory";
  } catch (const Abandoned&) {
    throw;
  } catch (const std::exception& error) {
    failure = Failure::run, text = error.what();
  }
  const std::vector<Failure> all = all_gather(team, failure);
  const auto first = std::ranges::find_if(all, [](Failure f) { return f != Failure::none; });
  if (first == all.end()) return;
  const std::vector<char> told =
      broadcast(team, std::span<const char>(text), static_cast<int>(first - all.begin()));
  const std::string message(told.begin(), told.end());
  if (*first == Failure::input) throw Shared<InputError>(message);
  if (*first == Failure::usage) throw Shared<UsageError>(message);
  throw Shared<RunError>(message);
}

}  // namespace gas
