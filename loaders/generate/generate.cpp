#include "loaders/generate/generate.hpp"

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

}  // namespace gas::loaders
