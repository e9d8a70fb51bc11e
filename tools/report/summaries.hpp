#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "gas/base/communicator.hpp"
#include "tools/support/show/facts.hpp"

namespace gas::tools {

/// A run as its summary tells it.
struct ToldRun {
  std::string name;  // of the file; with the line where that has several
  std::vector<std::pair<std::string, Value>> values;  // "a.b" is key b of object a; null left out
  std::vector<std::string> warnings;

  /// monostate if it is not there.
  const Value& value(const std::string& key) const;
};

/// Every line of these files, as --summary json prints it. InputError for anything else.
/// Collective.
std::vector<ToldRun> read_summaries(Communicator& comm, const std::vector<std::string>& files);

/// The keys that runs have, in the order in which they first occur.
std::vector<std::string> keys_of(const std::vector<ToldRun>& runs);

}  // namespace gas::tools
