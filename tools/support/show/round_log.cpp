#include "tools/support/show/round_log.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <utility>

#include "gas/base/error.hpp"

namespace gas::tools {

namespace fs = std::filesystem;

RoundLog::RoundLog(const std::string& path, bool resumes) : path_(path), resumes_(resumes) {
  if (resumes) drop_torn_line();
  file_.reset(open_to_write(path, resumes));
  if (file_) return;
  fail();
  throw RunError(*failure_);
}

void RoundLog::drop_torn_line() const {
  std::error_code error;
  const std::uintmax_t size =
      fs::is_regular_file(path_, error) && !is_written_to(path_) ? fs::file_size(path_, error) : 0;
  if (error || size == 0) return;
  constexpr std::uintmax_t longest = 1024;  // a line
  std::string end(std::min(size, longest), '\0');
  std::ifstream file(path_, std::ios::binary);
  file.seekg(static_cast<std::streamoff>(size - end.size()));
  if (!file.read(end.data(), static_cast<std::streamsize>(end.size()))) return;
  const std::string_view torn = std::string_view(end).substr(end.rfind('\n') + 1);  // npos + 1 is 0
  constexpr std::string_view begin = "{\"round\":";
  if (torn.starts_with(begin) || begin.starts_with(torn))
    fs::resize_file(path_, size - torn.size(), error);
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
