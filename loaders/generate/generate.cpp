#include "loaders/generate/generate.hpp"

#include <algorithm>

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
  // Numbers: that each rank knows while it generates, and to the end; that are shared out; in the
  // largest file.
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
    known = 7 * spec.real("informative");  // words of a map's node
    file = shared = spec.real("features");
    wide = sizeof(double);
  }
  constexpr double number = sizeof(double);
  const double here = number * (known + shared / ranks);
  return {number * gathered + here, here + wide * file / ranks};
}

}  // namespace gas::loaders
