#pragma once

#include <atomic>
#include <type_traits>

#include "gas/program/hooks.hpp"

namespace gas {

/// Published values that other threads write meanwhile: each is read whole.
template <class T>
struct SharedValues {
  T* values;
  T operator[](LocalId v) const {
    return std::atomic_ref<T>(values[v]).load(std::memory_order_relaxed);
  }
};

template <class T>
constexpr bool can_be_shared = false;
template <class T>
requires std::is_trivially_copyable_v<T> &&(sizeof(T) <= 8) &&
    (!is_span<T>)constexpr bool can_be_shared<T> =
    std::atomic_ref<T>::is_always_lock_free && alignof(T) >= std::atomic_ref<T>::required_alignment;

}  // namespace gas
