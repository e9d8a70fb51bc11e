#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <type_traits>
#include <variant>

#include "tools/support/show/facts.hpp"

namespace gas::tools {

template <class T>
nlohmann::ordered_json or_null(const std::optional<T>& value) {
  return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json();
}

inline nlohmann::ordered_json json_of(const Value& value) {
  return std::visit(
      []<class T>(const T& one) {
        if constexpr (std::is_same_v<T, std::monostate>)
          return nlohmann::ordered_json();
        else
          return nlohmann::ordered_json(one);
      },
      value);
}

/// The reverse; lists and objects become null.
inline Value to_value(const nlohmann::ordered_json& json) {
  if (json.is_boolean()) return json.get<bool>();
  if (json.is_number_unsigned()) return json.get<std::uint64_t>();
  if (json.is_number()) return json.get<double>();
  if (json.is_string()) return json.get<std::string>();
  return {};
}

}  // namespace gas::tools
