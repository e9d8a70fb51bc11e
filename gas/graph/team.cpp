#include "gas/graph/team.hpp"

#include <new>

#include "gas/graph/error.hpp"

namespace gas {
namespace {

enum class Failure : char { none = 'n', input = 'i', usage = 'u', run = 'r' };

template <class Error>
struct Shared final : Error, ThrownTogether {
  using Error::Error;
};

}  // namespace

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
  text.insert(text.begin(), static_cast<char>(failure));
  for (const std::vector<char>& told : all_gather(team, std::span<const char>(text))) {
    const std::string message(told.begin() + 1, told.end());
    switch (static_cast<Failure>(told[0])) {
      case Failure::none:
        break;
      case Failure::input:
        throw Shared<InputError>(message);
      case Failure::usage:
        throw Shared<UsageError>(message);
      case Failure::run:
        throw Shared<RunError>(message);
    }
  }
}

}  // namespace gas
