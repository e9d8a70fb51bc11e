#include "loaders/read_small.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <system_error>

#include "gas/base/error.hpp"
#include "loaders/binary/npy_format.hpp"
#include "loaders/ids/keys.hpp"
#include "loaders/text/text_input.hpp"

namespace gas::loaders {
namespace {

NpyArray local_read(const std::string& path, TextInput& input) {
  const std::string file = shown(path);
  const NpyHeader header = parse_npy_header(file, input.local_peek(npy_header_limit));
  NpyArray array{header.shape, {}};
  if (header.fortran_order && header.shape.size() > 1)
    throw located_error(file, 0, 0, "an array in Fortran order", "C order");
  input.local_skip(static_cast<std::size_t>(header.bytes));
  const std::size_t size = npy_size(header.type);
  const std::uint64_t elements = header.elements();
  const auto wrong_size = [&](const char* found) {
    return located_error(file, 0, 0, found,
                         fmt::format("{} bytes of data, as the header declares", elements * size));
  };
  std::error_code unknown;  // no length is trusted before there are bytes for it
  const std::uint64_t bytes = std::filesystem::file_size(path, unknown);
  if (!unknown && elements <= bytes / size) array.values.reserve(elements);
  while (array.values.size() < elements) {
    const auto wanted = static_cast<std::size_t>(
        std::min<std::uint64_t>(elements - array.values.size(), std::uint64_t{1} << 20));
    const std::string data = input.local_take(wanted * size);
    if (data.size() < wanted * size) throw wrong_size("a truncated file");
    for (std::size_t i = 0; i < wanted; ++i) {
      array.values.push_back(npy_value(header.type, data.data(), i));
      if (!std::isfinite(array.values.back()))
        throw located_error(
            file, 0, 0,
            fmt::format("{} as element {} (from 0)", array.values.back(), array.values.size() - 1),
            "finite numbers");
    }
  }
  if (!input.local_take(1).empty()) throw wrong_size("more data");
  return array;
}

}  // namespace

NpyArray read_npy(Communicator& comm, const std::string& path) {
  TextInput input(comm, path);
  NpyArray array;
  together(comm, [&] {
    if (comm.rank() == 0) array = local_read(path, input);
  });
  array.shape = broadcast(comm, std::span<const std::uint64_t>(array.shape));
  if (comm.size() > 1) array.values = broadcast(comm, std::span<const double>(array.values));
  return array;
}

namespace {

/// The lines, on rank 0. Collective.
Names lines_of(Communicator& comm, const std::string& path) {
  TextInput input(comm, path);
  Names names;
  input.read_head([&](std::string_view line, std::uint64_t) {
    const std::size_t nul = line.find('\0');
    if (nul != std::string_view::npos) throw BadText{line.data() + nul, "a NUL byte", "text"};
    names.push_back(line);
    return true;
  });
  return names;
}

}  // namespace

std::vector<std::string> read_lines(Communicator& comm, const std::string& path) {
  const Names names = lines_of(comm, path);
  Bytes bytes;
  if (comm.rank() == 0) names.append_to(bytes, 0, names.size());
  Names all;
  all.add(broadcast(comm, std::span<const std::byte>(bytes)));
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < all.size(); ++i) lines.emplace_back(all[i]);
  return lines;
}

Names read_block_lines(Communicator& comm, const std::string& path, std::uint64_t rows) {
  const Names names = lines_of(comm, path);
  together(comm, [&] {
    if (comm.rank() == 0 && names.size() != rows)
      throw located_error(shown(path), 0, 0, fmt::format("{} lines", names.size()),
                          fmt::format("{}, one per row", rows));
  });
  std::vector<Bytes> out(static_cast<std::size_t>(comm.size()));
  const BlockDistribution blocks{rows, comm.size()};
  for (int rank = 0; rank < comm.size() && comm.rank() == 0; ++rank)
    names.append_to(out[static_cast<std::size_t>(rank)],
                    static_cast<std::size_t>(blocks.first(rank)),
                    static_cast<std::size_t>(blocks.first(rank + 1)));
  Names mine;
  mine.add(comm.exchange(std::move(out))[0]);
  return mine;
}

}  // namespace gas::loaders
