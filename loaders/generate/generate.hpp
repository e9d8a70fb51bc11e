#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gas/base/communicator.hpp"
#include "loaders/binary/npy_format.hpp"
#include "loaders/generate/spec.hpp"
#include "loaders/load_graph.hpp"
#include "loaders/load_points.hpp"

namespace gas::loaders {

/// What was planted: an array of which this rank has the rows of its BlockDistribution.
struct TruthArray {
  std::string name;  // of its file: truth_NAME.npy
  NpyType type = NpyType::f4;
  std::vector<std::uint64_t> shape;
  std::vector<double> values;
};

struct Generated {
  std::optional<LoadedGraph> graph;    // all but blobs
  std::optional<LoadedPoints> points;  // blobs
  bool undirected = false;             // kronecker, uniform, grid: each pair is there once
  std::vector<TruthArray> truth;
};

/// The data of a specification, as the loaders give them, spread over the ranks. The same
/// specification gives the same data on any machine and any number of ranks. Collective.
///
/// kronecker: each pair is drawn bit by bit with A .57, B .19, C .19 (Graph500), ids are scrambled,
/// loops and repeats left out, the smaller id comes first, pairs ascend; uniform: the same with
/// independent ends. grid: vertex `side`·y + x and the next one in its row and in its column. All
/// three: with `lengths` each pair has a whole number from 1 to `lengths`, else no value. blobs: a
/// uniform centroid per point and `spread` times a normal vector around it. lda: topics from
/// Dirichlet(beta), mixtures from Dirichlet(alpha), documents of length/2 to 3·length/2 tokens.
/// logistic: `nonzeros` draws of a feature per example, the first ones more often (repeats once),
/// normal values; `informative` of the features have a normal weight, the label is the side of w·x,
/// turned with probability `noise`, and a coin's where w·x is 0. regression: the same, but the
/// label is w·x and `noise` times a normal number, and features come in groups of `group`
/// neighbours, whose values have the given `correlation`. ratings: users and items have `rank`
/// normal values each; a user rates an item with probability `density`, by the product of their
/// values and `noise` times a normal number; besides, user u rates item u mod items, and item i is
/// rated by user i mod users, so that all occur.
///
/// kronecker, uniform, grid: with `vertices` ids 0 … vertices − 1 all exist, otherwise those that
/// occur; InputError for an id beyond.
Generated generate(Communicator& comm, const GeneratorSpec& spec,
                   std::optional<std::uint64_t> vertices = {});

/// Bytes that a rank holds at most of what is planted, beside the data: about.
struct PlantedBytes {
  double generating = 0, writing = 0;
};
PlantedBytes planted_bytes(const GeneratorSpec& spec, double ranks);

/// Writes the data into a folder that exists: graph.txt, points.npy, docword.txt and vocab.txt,
/// data.svm, or ratings.txt, and truth_NAME.npy. Collective. RunError if it cannot be written.
void write_generated(Communicator& comm, const GeneratorSpec& spec, const std::string& folder);

/// The names of the files that write_generated writes.
std::vector<std::string> generated_files(const GeneratorSpec& spec);

}  // namespace gas::loaders
