#include "loaders/generate/generate.hpp"

#include "loaders/generate/parts.hpp"

namespace gas::loaders {

Generated generate(Team& team, const GeneratorSpec& spec, std::optional<std::uint64_t> vertices) {
  if (spec.name == "blobs") return detail::generate_blobs(team, spec);
  if (spec.name == "lda") return detail::generate_documents(team, spec);
  if (spec.name == "logistic") return detail::generate_examples(team, spec);
  if (spec.name == "ratings") return detail::generate_ratings(team, spec);
  return detail::generate_pairs(team, spec, vertices);
}

}  // namespace gas::loaders
