#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

namespace gas {

/// Input that cannot be used: malformed, missing, unreadable, not finite, or a damaged folder.
/// `what()` is the whole message, "FILE:LINE:COLUMN: found …, expected …". Tools exit with 3.
struct InputError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Options that contradict each other or are out of range. Tools exit with 2.
struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A run that cannot go on: a published NaN, no memory, a file that cannot be written. Tools exit
/// with 1.
struct RunError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// What a rank throws alone where the others may wait for it in a collective, so that they cannot
/// throw it, too: the job is to be ended. Tools do so, and exit with 1.
struct FailedAlone : RunError {
  using RunError::RunError;
};

/// Thrown on the other ranks of an in-process communicator when one rank has failed, to end them.
struct Abandoned : std::runtime_error {
  Abandoned() : std::runtime_error("another rank failed") {}
};

/// "FILE:LINE:COLUMN: found FOUND, expected EXPECTED"; line and column count from 1; one that is 0
/// is left out.
InputError located_error(const std::string& file, std::uint64_t line, std::uint64_t column,
                         const std::string& found, const std::string& expected);

}  // namespace gas
