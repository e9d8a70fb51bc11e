#include "tools/support/sample/row_sample.hpp"

#include <fmt/format.h>

#include "gas/base/error.hpp"

namespace gas::tools {

RowSample::RowSample(std::uint64_t rows, double share, const std::string& name)
    : all_(rows), share_(share) {
  if (all_ > 0 && this->rows() == 0)
    throw located_error(name, 0, 0, fmt::format("{} rows", all_),
                        fmt::format("more rows, for a sample that is the share {} of them", share));
}

}  // namespace gas::tools
