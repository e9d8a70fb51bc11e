#include "loaders/write.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <numeric>
#include <optional>
#include <utility>

#include "gas/base/error.hpp"
#include "gas/base/open_file.hpp"
#include "loaders/binary/npy_format.hpp"

namespace gas::loaders {
namespace {

constexpr std::size_t block_bytes = std::size_t{4} << 20;
constexpr std::size_t buffered_bytes = std::size_t{1} << 16;

template <class T>
constexpr NpyType npy_type() {
  if constexpr (std::is_same_v<T, float>) return NpyType::f4;
  if constexpr (std::is_same_v<T, double>) return NpyType::f8;
  if constexpr (std::is_same_v<T, std::int32_t>) return NpyType::i4;
  if constexpr (std::is_same_v<T, std::int64_t>) return NpyType::i8;
}

std::uint64_t width_of(std::span<const std::uint64_t> shape) {
  return std::accumulate(shape.begin() + 1, shape.end(), std::uint64_t{1}, std::multiplies<>());
}

std::string_view as_text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

OutputFile::OutputFile(const std::string& path) : path_(path), partial_(path + ".partial") {
  std::remove(partial_.c_str());  // what a killed run left, or a link that leads elsewhere
  descriptor_ = ::open(partial_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (descriptor_ < 0) fail();
}

OutputFile::~OutputFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (!partial_.empty()) std::remove(partial_.c_str());
}

void OutputFile::fail() const {
  throw RunError(fmt::format("{}: cannot write it: {}", path_, std::strerror(errno)));
}

void OutputFile::write(std::string_view bytes) {
  if (buffer_.size() + bytes.size() < buffered_bytes) {
    buffer_ += bytes;
    return;
  }
  flush();
  if (!write_all(descriptor_, bytes)) fail();
}

void OutputFile::flush() {
  if (!write_all(descriptor_, buffer_)) fail();
  buffer_.clear();
}

void OutputFile::rewrite_start(std::string_view bytes) {
  flush();
  if (::lseek(descriptor_, 0, SEEK_SET) != 0 || !write_all(descriptor_, bytes)) fail();
}

void OutputFile::finish() {
  flush();
  if (!sync_all(descriptor_) || ::close(std::exchange(descriptor_, -1)) != 0 ||
      std::rename(partial_.c_str(), path_.c_str()) != 0)
    fail();
  partial_.clear();
}

void write_file(Communicator& comm, const std::string& path,
                const std::function<void(OutputFile&)>& write) {
  together(comm, [&] {
    if (comm.rank() != 0) return;
    OutputFile file(path);
    write(file);
    file.finish();
  });
}

void write_text(Communicator& comm, const std::string& path, std::string_view text) {
  write_file(comm, path, [&](OutputFile& file) { file.write(text); });
}

std::vector<std::size_t> in_row_order(std::span<const VertexId> rows) {
  std::vector<std::size_t> order(rows.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto by_row = [&](std::size_t a, std::size_t b) { return rows[a] < rows[b]; };
  if (!std::is_sorted(rows.begin(), rows.end())) std::sort(order.begin(), order.end(), by_row);
  return order;
}

template <class T>
void write_npy(Communicator& comm, const std::string& path, std::span<const std::uint64_t> shape,
               std::span<const VertexId> rows, const FillRow<T>& fill) {
  const std::uint64_t width = width_of(shape);
  const auto row_bytes = static_cast<std::size_t>(width) * sizeof(T);
  const std::vector<std::size_t> order = in_row_order(rows);
  std::optional<OutputFile> file;
  together(comm, [&] {
    if (comm.rank() != 0) return;
    file.emplace(path);
    file->write(npy_header(npy_type<T>(), shape));
  });
  const std::uint64_t block =
      std::max<std::uint64_t>(1, block_bytes / (row_bytes + sizeof(VertexId)));
  std::size_t next = 0;
  std::vector<T> values(static_cast<std::size_t>(width));
  for (std::uint64_t first = 0; first < shape[0]; first += block) {
    const std::uint64_t count = std::min(block, shape[0] - first);
    std::vector<Bytes> out(static_cast<std::size_t>(comm.size()));
    for (; next < order.size() && rows[order[next]] < first + count; ++next) {
      const auto* row = reinterpret_cast<const std::byte*>(&rows[order[next]]);
      std::ranges::fill(values, T{0});
      fill(order[next], values);
      const auto* value = reinterpret_cast<const std::byte*>(values.data());
      out[0].insert(out[0].end(), row, row + sizeof(VertexId));
      out[0].insert(out[0].end(), value, value + row_bytes);
    }
    const std::vector<Bytes> in = comm.exchange(std::move(out));
    together(comm, [&] {
      if (comm.rank() != 0) return;
      Bytes assembled(static_cast<std::size_t>(count) * row_bytes);
      std::vector<bool> given(static_cast<std::size_t>(count));
      for (const Bytes& bytes : in) {
        for (std::size_t at = 0; at < bytes.size(); at += sizeof(VertexId) + row_bytes) {
          VertexId row = 0;
          std::memcpy(&row, bytes.data() + at, sizeof row);
          const auto i = static_cast<std::size_t>(row - first);
          if (row < first || given[i])
            throw RunError(fmt::format("{}: row {} is given twice", path, row));
          given[i] = true;
          std::copy_n(bytes.data() + at + sizeof row, row_bytes, assembled.data() + i * row_bytes);
        }
      }
      const auto missing = std::find(given.begin(), given.end(), false);
      if (missing != given.end())
        throw RunError(fmt::format("{}: row {} is missing", path,
                                   first + static_cast<std::uint64_t>(missing - given.begin())));
      file->write(as_text(assembled));
    });
  }
  together(comm, [&] {
    if (next < order.size())
      throw RunError(fmt::format("{}: row {} is beyond the last", path, rows[order[next]]));
    if (file) file->finish();
  });
}

template <class T>
void write_npy(Communicator& comm, const std::string& path, std::span<const std::uint64_t> shape,
               std::span<const VertexId> rows, std::span<const T> values) {
  const auto width = static_cast<std::size_t>(width_of(shape));
  write_npy<T>(comm, path, shape, rows, [&](std::size_t i, std::span<T> out) {
    std::ranges::copy(values.subspan(i * width, width), out.begin());
  });
}

template <class T>
void write_npy_blocks(Communicator& comm, const std::string& path,
                      std::span<const std::uint64_t> shape, std::span<const T> values) {
  const std::vector<VertexId> rows = ids_of_block(comm, shape[0]);
  write_npy(comm, path, shape, std::span<const VertexId>(rows), values);
}

template void write_npy(Communicator&, const std::string&, std::span<const std::uint64_t>,
                        std::span<const VertexId>, std::span<const float>);
template void write_npy(Communicator&, const std::string&, std::span<const std::uint64_t>,
                        std::span<const VertexId>, std::span<const double>);
template void write_npy(Communicator&, const std::string&, std::span<const std::uint64_t>,
                        std::span<const VertexId>, std::span<const std::int32_t>);
template void write_npy(Communicator&, const std::string&, std::span<const std::uint64_t>,
                        std::span<const VertexId>, std::span<const std::int64_t>);
template void write_npy(Communicator&, const std::string&, std::span<const std::uint64_t>,
                        std::span<const VertexId>, const FillRow<float>&);
template void write_npy(Communicator&, const std::string&, std::span<const std::uint64_t>,
                        std::span<const VertexId>, const FillRow<double>&);
template void write_npy(Communicator&, const std::string&, std::span<const std::uint64_t>,
                        std::span<const VertexId>, const FillRow<std::int32_t>&);
template void write_npy(Communicator&, const std::string&, std::span<const std::uint64_t>,
                        std::span<const VertexId>, const FillRow<std::int64_t>&);
template void write_npy_blocks(Communicator&, const std::string&, std::span<const std::uint64_t>,
                               std::span<const float>);
template void write_npy_blocks(Communicator&, const std::string&, std::span<const std::uint64_t>,
                               std::span<const double>);
template void write_npy_blocks(Communicator&, const std::string&, std::span<const std::uint64_t>,
                               std::span<const std::int32_t>);
template void write_npy_blocks(Communicator&, const std::string&, std::span<const std::uint64_t>,
                               std::span<const std::int64_t>);

void write_text_by_rank(Communicator& comm, const std::string& path,
                        const std::function<std::string()>& next) {
  std::optional<OutputFile> file;
  together(comm, [&] {
    if (comm.rank() == 0) file.emplace(path);
  });
  for (int from = 0; from < comm.size(); ++from) {
    while (true) {
      std::vector<Bytes> out(static_cast<std::size_t>(comm.size()));
      together(comm, [&] {
        if (comm.rank() == from) out[0] = to_bytes(std::span<const char>(next()));
      });
      const bool mine_goes_on = !out[0].empty();
      const std::vector<Bytes> in = comm.exchange(std::move(out));
      together(comm, [&] {
        if (file) file->write(as_text(in[static_cast<std::size_t>(from)]));
      });
      if (all_max(comm, static_cast<int>(mine_goes_on)) == 0) break;
    }
  }
  together(comm, [&] {
    if (file) file->finish();
  });
}

}  // namespace gas::loaders
