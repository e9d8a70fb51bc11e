#pragma once

#include "gas/program/members.hpp"

namespace gas {

/// The published value of the gathering vertex itself. A gather that needs it takes it last, by
/// value or const&. Its type keeps it from being taken for an edge or a neighbour's value. If it
/// changes, the vertex gathers again. A program with such a gather pulls.
template <class Published>
struct Own {
  typename ReadAs<Published>::type value{};
};

}  // namespace gas
