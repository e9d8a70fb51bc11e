#pragma once

#include "gas/program/members.hpp"

namespace gas {

/// What the gathering vertex itself publishes: the last argument of a gather that asks for it, by
/// value or const&. A type of its own, so that it is taken for no edge and no neighbour's value.
/// Where it changes, the vertex is gathered again. A program with such a gather pulls.
template <class Published>
struct Own {
  typename ReadAs<Published>::type value{};
};

}  // namespace gas
