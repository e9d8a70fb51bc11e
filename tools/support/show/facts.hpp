#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace gas::tools {

/// A value of a summary or manifest; monostate is null.
using Value = std::variant<std::monostate, bool, std::uint64_t, double, std::string>;

/// What a folder's manifest keeps of a model beside its files, by name, in the order in which it
/// was set. Reading a name that is not there, or of another type, is an InputError that names the
/// manifest.
class Facts {
 public:
  Facts() = default;
  explicit Facts(std::string manifest_path) : path_(std::move(manifest_path)) {}

  void set(const std::string& name, Value value);
  bool flag(const std::string& name) const;
  std::uint64_t count(const std::string& name) const;
  double number(const std::string& name) const;
  bool has(const std::string& name) const;
  /// A count that may be null.
  std::optional<std::uint64_t> count_or_none(const std::string& name) const;

  bool empty() const { return list_.empty(); }
  const std::vector<std::pair<std::string, Value>>& list() const { return list_; }

 private:
  template <class T>
  const T& get(const std::string& name, const char* expected) const;

  std::string path_;
  std::vector<std::pair<std::string, Value>> list_;
};

}  // namespace gas::tools
