#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>

#include "gas/program/row.hpp"

namespace gas {

// The members of a program: its kinds of vertices, and the types that it and its kinds declare.

/// "No row": the `before` of a push by a data vertex that has not pushed yet.
constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

struct NoType {};

#define GAS_MEMBER_TYPE(Name, Default)    \
  template <class T>                      \
  struct Name##Member {                   \
    using type = Default;                 \
  };                                      \
  template <class T>                      \
  requires requires { typename T::Name; } \
  struct Name##Member<T> {                \
    using type = typename T::Name;        \
  };                                      \
  template <class T>                      \
  using Name##Type = typename Name##Member<T>::type;

GAS_MEMBER_TYPE(Vertex, NoType)
GAS_MEMBER_TYPE(Data, NoType)
GAS_MEMBER_TYPE(Parameter, NoType)
GAS_MEMBER_TYPE(Edge, NoType)
GAS_MEMBER_TYPE(Published, NoType)
GAS_MEMBER_TYPE(Accumulator, NoType)
GAS_MEMBER_TYPE(Offers, NoType)
GAS_MEMBER_TYPE(Input, NoType)
GAS_MEMBER_TYPE(Summary, NoType)
GAS_MEMBER_TYPE(Scratch, NoType)
GAS_MEMBER_TYPE(Packed, NoType)
#undef GAS_MEMBER_TYPE

template <class T>
constexpr bool present = !std::is_same_v<T, NoType>;

template <class P>
concept OneKind = present<VertexType<P>>;
template <class P>
concept TwoKinds = present<DataType<P>> && present<ParameterType<P>>;

template <class P, class K>
constexpr bool is_kind = std::is_same_v<K, VertexType<P>> || std::is_same_v<K, DataType<P>> ||
                         std::is_same_v<K, ParameterType<P>>;

template <class P>
using FirstKind = std::conditional_t<TwoKinds<P>, DataType<P>, VertexType<P>>;

/// The kind at the other end of the edges of kind K.
template <class P, class K>
struct Opposite {
  using type = K;
};
template <TwoKinds P, class K>
struct Opposite<P, K> {
  using type = std::conditional_t<std::is_same_v<K, DataType<P>>, ParameterType<P>, DataType<P>>;
};
template <class P, class K>
using OppositeOf = typename Opposite<P, K>::type;

/// What a hook receives for a published value: the value itself, or a view of a row or list.
template <class Published>
struct ReadAs {
  using type = Published;
};
template <class T>
struct ReadAs<RowOf<T>> {
  using type = RowView<const T>;
};
template <class T>
struct ReadAs<ListOf<T>> {
  using type = std::span<const T>;
};
template <class K>
using PublishedRead = typename ReadAs<PublishedType<K>>::type;

template <class K>
constexpr bool has_accumulator = present<AccumulatorType<K>>;

/// When a vertex is visited. With `static constexpr auto activity = gas::Active::every_round;` in
/// its kind: in every round. Otherwise: in round 1, unless initially_active returns false for it,
/// and whenever a value that it gathers has changed.
enum class Active { changed, every_round };

template <class K>
constexpr Active activity_of = [] {
  if constexpr (requires { K::activity; }) return K::activity;
  return Active::changed;
}();
/// Along which edges the vertices of a plain graph gather: `static constexpr auto gathers_along =
/// gas::Along::out;` in the kind. `both`: each edge counts at both of its ends, so a self-loop
/// twice.
enum class Along { in, out, both };

template <class K>
constexpr Along along_of = [] {
  if constexpr (requires { K::gathers_along; }) return K::gathers_along;
  return Along::in;
}();

/// `static constexpr bool gathers_changes = true;` in a kind: its apply needs only the values that
/// neighbours have newly published. The accumulator may contain earlier ones or not.
template <class K>
constexpr bool gathers_changes = [] {
  if constexpr (requires { K::gathers_changes; }) return bool(K::gathers_changes);
  return false;
}();

template <class P, class K>
constexpr bool always_active = activity_of<K> == Active::every_round;

}  // namespace gas
