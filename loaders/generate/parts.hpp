#pragma once

#include "loaders/generate/generate.hpp"

namespace gas::loaders::detail {

/// The pairs of kronecker, uniform and grid by id, ascending over the ranks. Collective.
EdgeList draw_pairs(Communicator& comm, const GeneratorSpec& spec);

// Each collective, of the specifications that its name says.
Generated generate_pairs(Communicator& comm, const GeneratorSpec& spec,
                         std::optional<std::uint64_t> vertices);
Generated generate_blobs(Communicator& comm, const GeneratorSpec& spec);
Generated generate_documents(Communicator& comm, const GeneratorSpec& spec);
Generated generate_examples(Communicator& comm, const GeneratorSpec& spec);
Generated generate_ratings(Communicator& comm, const GeneratorSpec& spec);

}  // namespace gas::loaders::detail
