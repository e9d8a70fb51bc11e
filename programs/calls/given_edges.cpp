#include "programs/calls/given_edges.hpp"

#include <fmt/format.h>

#include "gas/base/error.hpp"
#include "gas/base/page_array.hpp"

namespace gas::detail {

void GivenEdges::refuse_id(const std::string& id, std::size_t edge) {
  problem = fmt::format("edge {} of a rank's share: found {}, expected an id from 0 to {}", edge,
                        id, max_vertices - 1);
}
void GivenEdges::refuse_value(double value, std::size_t edge) {
  problem =
      fmt::format("edge {} of a rank's share: found {}, expected a finite number", edge, value);
}
std::string too_large(double value) {
  return fmt::format(
      "found a value of {}, expected one that a 32-bit float holds, at most 3.4e38 in size", value);
}
void GivenEdges::refuse_lengths(std::size_t from, std::size_t to, std::size_t values) {
  problem = fmt::format(
      "found lists of {} sources, {} targets and {} values, expected lists of one length, or no "
      "values",
      from, to, values);
}

std::vector<std::uint64_t> join(Communicator& comm, GivenEdges& given) {
  std::vector<std::uint64_t> first{0};
  for (const std::uint64_t rows : all_gather(comm, given.rows))
    first.push_back(first.back() + rows);
  if (first.back() >= max_vertices)
    given.problem =
        fmt::format("found {} rows, expected fewer than {}", first.back(), max_vertices);
  if (given.rows > 0 && given.problem.empty()) {
    const std::uint64_t before = first[static_cast<std::size_t>(comm.rank())];
    for (VertexId& source : given.edges.source) source += to_vertex_id(before);
    given.sources = before + given.rows;
  }
  EdgeList& edges = given.edges;
  const std::size_t bytes = all_max(comm, edges.value_bytes());
  if (bytes == sizeof(double) && edges.wide_value.empty()) {
    edges.wide_value.assign(edges.value.begin(), edges.value.end());
    release(edges.value);
  }
  if (bytes == sizeof(double)) edges.wide_value.resize(edges.target.size(), 1);
  if (bytes == sizeof(float)) edges.value.resize(edges.target.size(), 1);
  return first;
}

void check(Communicator& comm, const std::string& problem) {
  together(comm, [&] {
    if (!problem.empty()) throw InputError(problem);
  });
}

void check_vertices(Communicator& comm, std::uint64_t vertices) {
  constexpr double each = 28;  // rows, degrees, offsets, flags and a value: the least
  const double most = all_sum(comm, static_cast<double>(machine_memory())) / each;
  if (static_cast<double>(vertices) <= most) return;
  check(comm, fmt::format(
                  "found ids of {} vertices, which take {:.0f} GB or more, expected at most {:.2g} "
                  "vertices with these ranks' memory: number them from 0 on, without gaps",
                  vertices, static_cast<double>(vertices) * each * 1e-9, most));
}

void check_ranks(Communicator& comm, int made_on, const char* what) {
  together(comm, [&] {
    if (made_on != comm.size())
      throw UsageError(
          fmt::format("found a {0} made on {1} rank{2}, expected one made on all {3} ranks of this "
                      "call: each gives a share of it",
                      what, made_on, made_on == 1 ? "" : "s", comm.size()));
  });
}

Partition cut(Communicator& comm, const EdgeList& edges, const GraphShape& shape,
              partition::Options how) {
  together(comm, [&] { partition::find_method(how.method); });
  if (comm.size() == 1) return one_part(shape);
  how.parts = static_cast<Part>(comm.size());
  return partition::make_partition(comm, edges, shape, how);
}

}  // namespace gas::detail
