#include "tools/support/show/round_log.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cmath>
#include <cstring>
#include <utility>

#include "gas/base/error.hpp"
#include "gas/base/open_file.hpp"

namespace gas::tools {

RoundLog::RoundLog(const std::string& path, bool resumes) : path_(path), resumes_(resumes) {
  file_.reset(open_to_write(path, resumes));
  if (file_) return;
  fail();
  throw RunError(*failure_);
}

void RoundLog::round(std::uint64_t round, double seconds, std::optional<double> objective) {
  if (failure_) return;
  const std::string value =
      objective && std::isfinite(*objective) ? fmt::format("{}", *objective) : "null";
  const std::string line =
      fmt::format("{{\"round\":{},\"seconds\":{:.6f},\"objective\":{}{}}}\n", round, seconds, value,
                  std::exchange(resumes_, false) ? ",\"resumed\":true" : "");
  if (std::fputs(line.c_str(), file_.get()) < 0 || std::fflush(file_.get()) != 0) fail();
}

std::optional<std::string> RoundLog::close() {
  if (std::fclose(file_.release()) != 0 && !failure_) fail();
  return failure_;
}

void RoundLog::fail() {
  failure_ = fmt::format("{}: cannot be written: {}", path_, std::strerror(errno));
}

}  // namespace gas::tools
