#include "tools/support/show/facts.hpp"

#include <algorithm>

#include "gas/base/error.hpp"

namespace gas::tools {

void Facts::set(const std::string& name, Value value) {
  for (auto& [known, held] : list_) {
    if (known == name) {
      held = std::move(value);
      return;
    }
  }
  list_.emplace_back(name, std::move(value));
}

bool Facts::has(const std::string& name) const {
  return std::ranges::any_of(list_, [&](const auto& held) { return held.first == name; });
}

template <class T>
const T& Facts::get(const std::string& name, const char* expected) const {
  for (const auto& [known, held] : list_)
    if (known == name)
      if (const T* const value = std::get_if<T>(&held)) return *value;
  throw located_error(path_, 0, 0, "a model without " + name, expected);
}

bool Facts::flag(const std::string& name) const { return get<bool>(name, "true or false"); }

std::uint64_t Facts::count(const std::string& name) const {
  return get<std::uint64_t>(name, "a whole number");
}

std::optional<std::uint64_t> Facts::count_or_none(const std::string& name) const {
  for (const auto& [known, held] : list_)
    if (known == name && std::holds_alternative<std::monostate>(held)) return std::nullopt;
  return count(name);
}

double Facts::number(const std::string& name) const { return get<double>(name, "a number"); }

}  // namespace gas::tools
