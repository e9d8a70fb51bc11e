#include "gas/base/communicator.hpp"

#include <algorithm>
#include <new>

#include "gas/base/error.hpp"

namespace gas {
namespace {

enum class Failure : char { none, input, usage, run };

/// The most bytes that a rank hands to each other one at a time where a transport has no broadcast
/// or gather of its own.
constexpr std::uint64_t piece_bytes = 1U << 22U;

template <class Error>
struct Shared final : Error, ThrownTogether {
  using Error::Error;
};

}  // namespace

std::vector<std::uint64_t> Communicator::exchange_numbers(std::span<const std::uint64_t> numbers) {
  std::vector<Bytes> out;
  for (const std::uint64_t& number : numbers) out.push_back(to_bytes(std::span(&number, 1)));
  std::vector<std::uint64_t> in;
  for (const Bytes& bytes : exchange(std::move(out)))
    in.push_back(from_bytes<std::uint64_t>(bytes)[0]);
  return in;
}

void Communicator::exchange_into(std::span<const std::span<const std::byte>> out,
                                 std::span<const std::span<std::byte>> in) {
  std::vector<Bytes> blocks;
  for (const auto& block : out) blocks.emplace_back(block.begin(), block.end());
  const std::vector<Bytes> told = exchange(std::move(blocks));
  for (std::size_t from = 0; from < told.size(); ++from)
    std::ranges::copy(told[from], in[from].begin());
}

void Communicator::gather_bytes(std::span<const std::byte> mine,
                                std::span<const std::uint64_t> sizes, std::byte* all) {
  const std::uint64_t longest = sizes.empty() ? 0 : std::ranges::max(sizes);
  for (std::uint64_t at = 0; at < longest; at += piece_bytes) {
    const auto here = [&](std::uint64_t length) {
      return std::min(piece_bytes, length - std::min(at, length));
    };
    const auto first =
        mine.begin() + static_cast<std::ptrdiff_t>(std::min<std::uint64_t>(at, mine.size()));
    const Bytes block(first, first + static_cast<std::ptrdiff_t>(here(mine.size())));
    const std::vector<Bytes> in =
        exchange(std::vector<Bytes>(static_cast<std::size_t>(size()), block));
    std::byte* begin = all;
    for (std::size_t i = 0; i < in.size(); begin += sizes[i++])
      std::ranges::copy(in[i], begin + std::min(at, sizes[i]));
  }
}

void Communicator::broadcast_bytes(std::span<std::byte> bytes, int root) {
  for (std::size_t at = 0; at < bytes.size(); at += piece_bytes) {
    const auto part = bytes.subspan(at, std::min<std::size_t>(piece_bytes, bytes.size() - at));
    std::vector<Bytes> out(static_cast<std::size_t>(size()));
    if (rank() == root)
      for (Bytes& block : out) block.assign(part.begin(), part.end());
    std::ranges::copy(exchange(std::move(out))[static_cast<std::size_t>(root)], part.begin());
  }
}

std::string broadcast_text(Communicator& comm, std::string_view text, int root) {
  std::uint64_t length = text.size();
  comm.broadcast_bytes(std::as_writable_bytes(std::span(&length, 1)), root);
  std::string told(length, '\0');
  if (comm.rank() == root) told = text;
  comm.broadcast_bytes(std::as_writable_bytes(std::span(told)), root);
  return told;
}

std::string out_of_memory(const Communicator& comm) {
  const std::string rank = "rank " + std::to_string(comm.rank()) + ": ";
  return (comm.size() > 1 ? rank : "") + "out of memory";
}

void together(Communicator& comm, FunctionRef<void()> work) {
  Failure failure = Failure::none;
  std::string text;
  try {
    work();
  } catch (const InputError& error) {
    failure = Failure::input, text = error.what();
  } catch (const UsageError& error) {
    failure = Failure::usage, text = error.what();
  } catch (const std::bad_alloc&) {
    failure = Failure::run, text = out_of_memory(comm);
  } catch (const Abandoned&) {
    throw;
  } catch (const std::exception& error) {
    failure = Failure::run, text = error.what();
  } catch (...) {
    failure = Failure::run, text = "an exception that is not derived from std::exception";
  }
  const std::vector<Failure> all = all_gather(comm, failure);
  const auto first = std::ranges::find_if(all, [](Failure f) { return f != Failure::none; });
  if (first == all.end()) return;
  const std::string message = broadcast_text(comm, text, static_cast<int>(first - all.begin()));
  if (*first == Failure::input) throw Shared<InputError>(message);
  if (*first == Failure::usage) throw Shared<UsageError>(message);
  throw Shared<RunError>(message);
}

void between_collectives(Communicator& comm, FunctionRef<void()> work) {
  if (comm.size() == 1) return work();
  try {
    work();
  } catch (const ThrownTogether&) {
    throw;
  } catch (const Abandoned&) {
    throw;
  } catch (const std::bad_alloc&) {
    throw FailedAlone("out of memory");
  } catch (const std::exception& error) {
    throw FailedAlone(error.what());
  } catch (...) {
    throw FailedAlone("an exception that is not derived from std::exception");
  }
}

}  // namespace gas
