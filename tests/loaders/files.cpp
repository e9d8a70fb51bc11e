#include "tests/loaders/files.hpp"

#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include <sstream>
#include <stdexcept>

namespace gas_test {

TemporaryFolder::TemporaryFolder() {
  std::string name = (std::filesystem::temp_directory_path() / "gas_test_XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
  folder_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

std::string TemporaryFolder::file(const std::string& name, std::string_view content) const {
  std::ofstream out(path(name), std::ios::binary);
  out.write(content.data(), static_cast<std::streamsize>(content.size()));
  out.close();
  if (!out) throw std::runtime_error("cannot write " + name);
  return path(name);
}

std::string gzip(std::string_view text) {
  z_stream state{};
  if (deflateInit2(&state, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK)
    throw std::runtime_error("zlib");
  std::string packed(deflateBound(&state, text.size()), '\0');
  state.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  state.avail_in = static_cast<uInt>(text.size());
  state.next_out = reinterpret_cast<Bytef*>(packed.data());
  state.avail_out = static_cast<uInt>(packed.size());
  if (deflate(&state, Z_FINISH) != Z_STREAM_END) throw std::runtime_error("zlib");
  packed.resize(state.total_out);
  deflateEnd(&state);
  return packed;
}

std::string zstd(std::string_view text) {
  std::string packed(ZSTD_compressBound(text.size()), '\0');
  ZSTD_CCtx* const context = ZSTD_createCCtx();
  ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);  // as the command zstd does
  const std::size_t size =
      ZSTD_compress2(context, packed.data(), packed.size(), text.data(), text.size());
  ZSTD_freeCCtx(context);
  if (ZSTD_isError(size)) throw std::runtime_error("zstd");
  packed.resize(size);
  return packed;
}

std::string read_whole(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

std::string of_rank_0(gas::Communicator& comm, const std::string& path) {
  const std::vector<char> told = gas::broadcast(comm, std::span<const char>(path));
  return {told.begin(), told.end()};
}

}  // namespace gas_test
