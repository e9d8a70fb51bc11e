#pragma once

#include <string>
#include <string_view>

namespace gas::loaders {

/// InputError, with what to do about it, if a file that begins with the bytes `start` (after
/// decompression, at least 16 unless the file is shorter) is of a well-known kind that nothing here
/// reads: Parquet, HDF5, xz, bzip2, zip and npz, tar, UTF-16 and the like.
void refuse_foreign_bytes(const std::string& path, std::string_view start);

/// The same for text that is no table: JSON, XML, HTML, DIMACS.
void refuse_foreign_text(const std::string& path, std::string_view start);

}  // namespace gas::loaders
