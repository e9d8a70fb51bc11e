#pragma once

#include <cstddef>
#include <cstdint>

namespace gas {

using VertexId = std::uint32_t;    // a vertex's global id: its row within its kind, 0 … n−1
using LocalId = std::uint32_t;     // a vertex's index in one rank's arrays
using EdgeOffset = std::uint64_t;  // a position in one rank's edge array
using Part = std::uint32_t;        // a piece of a partition, 0 … parts−1

/// The largest number of vertices of one kind.
constexpr std::uint64_t max_vertices = 0xFFFF'FFFF;

/// Converts a row number, which must be below max_vertices.
constexpr VertexId to_vertex_id(std::uint64_t number) { return static_cast<VertexId>(number); }

}  // namespace gas
