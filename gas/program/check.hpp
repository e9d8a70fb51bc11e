#pragma once

namespace gas::checks {

template <class>
constexpr bool refused = false;

}  // namespace gas::checks

/// Within a function template that returns bool: refuses the program with one message if the
/// condition holds, and then looks no further, so that what follows from a mistake is not told.
/// `Subject` is one of the function's template parameters.
#define GAS_REFUSE(message, Subject, ...)                    \
  if constexpr (__VA_ARGS__) {                               \
    static_assert(::gas::checks::refused<Subject>, message); \
    return false;                                            \
  } else
