#pragma once

#include "gas/program/members.hpp"

namespace gas {

/// The published value of the gathering vertex itself. A gather that needs it takes it as its last
/// argument, by value or const&. It is a separate type so that it is not mistaken for an edge or a
/// neighbour's value. When the value changes, the vertex gathers again. A program with such a
/// gather pulls.
template <class Published>
struct Own {
  typename ReadAs<Published>::type value{};
};

}  // namespace gas
