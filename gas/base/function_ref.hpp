#pragma once

#include <concepts>
#include <functional>
#include <memory>
#include <type_traits>

namespace gas {

template <class Signature>
class FunctionRef;

/// A reference to a callable object, a lambda for one: a parameter that is called only until the
/// function returns. Unlike std::function it copies and allocates nothing, and is less to compile.
/// What it refers to must outlive it.
template <class Result, class... Arguments>
class FunctionRef<Result(Arguments...)> {
 public:
  template <class Callable>
  requires(!std::same_as<std::remove_cvref_t<Callable>, FunctionRef> &&
           std::is_invocable_r_v<Result, Callable&, Arguments...>) FunctionRef(Callable&& callable)
      : object_(const_cast<void*>(static_cast<const void*>(std::addressof(callable)))),
        call_([](void* object, Arguments... arguments) -> Result {
          return (*static_cast<std::remove_reference_t<Callable>*>(object))(
              static_cast<Arguments>(arguments)...);
        }) {}

  Result operator()(Arguments... arguments) const {
    return call_(object_, static_cast<Arguments>(arguments)...);
  }

 private:
  void* object_;
  Result (*call_)(void*, Arguments...);
};

}  // namespace gas
