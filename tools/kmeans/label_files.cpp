#include "tools/kmeans/label_files.hpp"

#include <fmt/format.h>

#include <iterator>
#include <string>

#include "loaders/binary/npy_format.hpp"

namespace gas::tools {

LabelFiles::LabelFiles(Run& run, const std::filesystem::path& folder) : comm_(run.transport) {
  together(comm_, [&] {
    if (comm_.rank() != 0) return;
    array_.emplace(folder / "assignments.npy");
    array_->write(header());
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
      if (table_) {
        std::string text;
        for (std::size_t i = 0; i < mine.size(); ++i)
          fmt::format_to(std::back_inserter(text), "{}\t{}\n", rows_ + i, mine[i]);
        table_->write(text);
      }
      rows_ += mine.size();
    }
  });
}

void LabelFiles::finish() {
  together(comm_, [&] {
    if (array_) {
      array_->rewrite_start(header());
      array_->finish();
    }
    if (table_) table_->finish();
  });
}

std::string LabelFiles::header() const {
  return loaders::npy_header(loaders::NpyType::i4, std::span(&rows_, 1));
}

}  // namespace gas::tools
