#pragma once

#include "gas/base/types.hpp"

namespace gas::checks {

/// Is f of local_for_each given a copy of the vertex?
template <class F, class K>
concept TakesCopy = requires {
  static_cast<void (F::*)(VertexId, K) const>(&F::operator());
}
|| requires { static_cast<void (F::*)(VertexId, K)>(&F::operator()); };

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
