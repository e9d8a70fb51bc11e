#pragma once

#include "loaders/generate/generate.hpp"

namespace gas::loaders::detail {

/// The pairs of kronecker and uniform by id, ascending over the ranks. Collective.
EdgeList draw_pairs(Team& team, const GeneratorSpec& spec);

// Each collective, of the specifications that its name says.
Generated generate_pairs(Team& team, const GeneratorSpec& spec,
                         std::optional<std::uint64_t> vertices);
Generated generate_blobs(Team& team, const GeneratorSpec& spec);
Generated generate_documents(Team& team, const GeneratorSpec& spec);
Generated generate_examples(Team& team, const GeneratorSpec& spec);
Generated generate_ratings(Team& team, const GeneratorSpec& spec);

}  // namespace gas::loaders::detail
