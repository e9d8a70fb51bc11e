#include "tools/kmeans/label_files.hpp"

#include <fmt/format.h>

#include <iterator>
#include <string>

#include "loaders/binary/npy_format.hpp"

namespace gas::tools {

LabelFiles::LabelFiles(Run& run, const std::filesystem::path& folder, std::uint64_t rows)
    : comm_(run.transport) {
  together(comm_, [&] {
    if (comm_.rank() != 0) return;
    array_.emplace(folder / "assignments.npy");
    array_->write(loaders::npy_header(loaders::NpyType::i4, std::span(&rows, 1)));
    if (run.options.text) table_.emplace(folder / "assignments.tsv");
  });
}

void LabelFiles::append(std::span<const std::int32_t> labels) {
  const auto ranks = all_gather(comm_, labels);
  together(comm_, [&] {
    if (!array_) return;
    for (const auto block : ranks) {
      const std::span<const std::int32_t> mine(block);
      array_->write({reinterpret_cast<const char*>(mine.data()), mine.size_bytes()});
      if (!table_) continue;
      std::string text;
      for (const std::int32_t label : mine)
        fmt::format_to(std::back_inserter(text), "{}\t{}\n", rows_++, label);
      table_->write(text);
    }
  });
}

void LabelFiles::finish() {
  together(comm_, [&] {
    if (array_) array_->finish();
    if (table_) table_->finish();
  });
}

}  // namespace gas::tools
