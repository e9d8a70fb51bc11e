#include "loaders/generate/generate.hpp"

#include <algorithm>

#include "gas/base/page_array.hpp"
#include "loaders/generate/parts.hpp"

namespace gas::loaders {

Generated generate(Communicator& comm, const GeneratorSpec& spec,
                   std::optional<std::uint64_t> vertices) {
  if (spec.name == "blobs") return detail::generate_blobs(comm, spec);
  if (spec.name == "lda") return detail::generate_documents(comm, spec);
  if (spec.name == "logistic" || spec.name == "regression")
    return detail::generate_examples(comm, spec);
  if (spec.name == "ratings") return detail::generate_ratings(comm, spec);
  return detail::generate_pairs(comm, spec, vertices);
}

PlantedBytes planted_bytes(const GeneratorSpec& spec, double ranks) {
  // Numbers: that each rank knows, gathered from all or not; that are shared out; in a file.
  double gathered = 0, known = 0, shared = 0, file = 0, wide = sizeof(float);
  if (spec.name == "blobs") {
    known = spec.real("k") * spec.real("d");
    shared = spec.real("n");
    file = std::max(known, shared);
  } else if (spec.name == "lda") {
    const double topics = spec.real("topics"), documents = topics * spec.real("documents");
    gathered = topics * spec.real("words");
    shared = gathered + documents;
    file = std::max(gathered, documents);
  } else if (spec.name == "ratings") {
    const double rank = spec.real("rank"), users = rank * spec.real("users");
    gathered = rank * spec.real("items");
    shared = gathered + users;
    file = std::max(gathered, users);
  } else if (!spec.undirected()) {
    known = 7 * spec.real("informative");  // of a map
    file = shared = spec.real("features");
    wide = sizeof(double);
  }
  constexpr double number = sizeof(double);
  const double here = number * (known + shared / ranks), all = number * gathered;
  const double gathering = ranks > 1 ? 2 * all + (spec.name == "ratings" ? here : 0) : 0;
  return {std::max(gathering, all + here), here + wide * file / ranks};
}

namespace detail {

std::vector<double> of_all_ranks(Communicator& comm, std::vector<double> mine) {
  if (comm.size() == 1) return mine;
  const auto blocks = all_gather(comm, std::span<const double>(mine));
  release(mine);
  std::size_t count = 0;
  for (const auto& block : blocks) count += block.size();
  std::vector<double> all;
  all.reserve(count);
  for (const auto& block : blocks) all.insert(all.end(), block.begin(), block.end());
  return all;
}

}  // namespace detail

}  // namespace gas::loaders
