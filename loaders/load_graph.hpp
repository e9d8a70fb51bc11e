#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "gas/base/communicator.hpp"
#include "gas/graph/edge_list.hpp"
#include "loaders/example_table.hpp"
#include "loaders/format.hpp"
#include "loaders/ids/declared_ids.hpp"
#include "loaders/ids/row_ids.hpp"
#include "loaders/text/table.hpp"
#include "loaders/text/text_input.hpp"

namespace gas::loaders {

/// The most occurrences: from one more on a float may stand for several whole numbers.
constexpr std::uint64_t largest_count = (std::uint64_t{1} << 24U) - 1;

struct GraphOptions {
  Format format = Format::automatic;
  Format fallback = Format::edges;  // what `automatic` means where nothing else tells
  TableOptions table = {};          // edges, csv: what the user says of columns
  ExampleTable examples = {};       // csv: what its columns are
  std::uint64_t index_base = 1;     // libsvm: the id of the first column, 0 or 1
  bool bipartite = false;           // edges, mtx: the two columns are separate id spaces
  // edges, mtx, metis, hmetis:
  bool counts = false;   // values are whole numbers from 0 to largest_count
  bool lengths = false;  // values are at least 0; without `wide` 0 or at least 1.2e-38
  bool wide = false;     // values that floats do not hold are doubles
  bool weights = false;  // metis: weights of vertices are kept; those of edges are whole numbers
                         // from 1 to 2^31 − 1, as METIS takes them
  std::uint64_t columns = 0;  // libsvm: this many parameter rows; features beyond are dropped.
                              // 0: as many as the largest column seen
  /// edges: which vertices there are, where the edges alone do not tell; of two kinds for both or
  /// neither.
  Declaration sources = {}, targets = {};
  unsigned threads = 1;  // of this rank, for parsing; names are parsed by one
  std::size_t block_bytes = TextInput::usual_block;  // of text at a time, per rank or thread
};

/// The ids that a first line `n m` of an edge list says exist: first, first + 1, …
struct SizeLine {
  std::uint64_t first = 0;
  std::uint64_t count = 0;  // 0: there is no such line
};

/// A graph as its file has it: repeated edges and self-loops are kept, nothing is symmetrised.
struct LoadedGraph {
  Format format = Format::edges;
  GraphShape shape;
  /// Each edge is a pair that counts in both directions, a loop once: metis, plain symmetric mtx.
  bool undirected = false;
  EdgeList edges;     // the shares of all ranks, by rank, are the file in its order
  RowIds source_ids;  // of the vertices, or of the data rows
  RowIds target_ids;  // bipartite only: of the parameter rows
  Names source_names,
      target_names;            // declared: of this rank's BlockDistribution of rows, if any has
  std::vector<double> labels;  // libsvm, vw, csv: of the data rows of this rank's
                               // BlockDistribution
  ExampleTable table = {};     // csv: its columns, on every rank
  std::uint64_t vertex_weights = 0;  // metis, where asked for: how many a vertex has in the file
  std::vector<std::uint32_t>
      weight;  // the first of them, of the rows of this rank's BlockDistribution
  std::vector<std::string> notes = {};  // what the user should know of how the files were read
};

/// Reads a graph from one file, or from several of one format as if they stood one behind the
/// other; plain, gzip or zstd, "-" for standard input. Collective. UsageError for a format that
/// holds no graph; InputError, the first in the files (a line `n m` comes last), for anything that
/// the format does not allow, and for several files of a format that declares its sizes.
///
/// edges: `source target [value]` between blanks, tabs, commas, semicolons or `::`; as many columns
/// in all lines as in the first; lines that begin with # or % are comments. Fields may stand in
/// quotation marks, but for those between blanks. `table` says what else there is: a header, other
/// columns. A header above numbers is found where commas, semicolons or tabs separate. Ids are
/// numbers (0 … 2⁶³ − 1) if both of the first edge are, otherwise names. A first line `n m` of a
/// plain graph is no edge if m edges follow, all between ids below n or from 1 to n (several files:
/// find_size_lines); then these ids are the rows. Otherwise the ids that occur are, ascending.
/// libsvm: `label column:value …`, columns from `index_base`; `qid:N` in front of them is skipped;
/// a row per line with a label; # begins a comment.
/// csv: a table whose first row names its columns, as `examples` says (formats/examples/csv.cpp).
/// Fields stand between commas or what else separates the first row's; in quotation marks they may
/// have line ends. An empty field is no feature. `table` may say which columns are features.
/// vw: `label 'tag|namespace[:scale] feature[:value] …`, see formats/vw.cpp. Features are named
/// `namespace^feature`.
/// ldac: `n word:count …` with n pairs, words from 0; a row per line.
/// docword: three lines with the numbers of documents, words and entries, then as many lines
/// `document word count`, all from 1.
/// mtx: MatrixMarket, coordinate, real, integer or pattern, general or symmetric. An entry is an
/// edge row → column; plain graphs must be square, of symmetric ones each entry is a pair.
/// metis: vertices and edges, perhaps which weights there are; a line per vertex with those that it
/// is joined to. A pair is one edge, where the lower vertex lists it; loops are refused, and so are
/// files in which only one end lists the other. Sizes of vertices and all weights but the first are
/// checked to be there, no more.
/// hmetis: nets and vertices, perhaps which weights there are; a line per net with its vertices,
/// then vertex weights, which are not used. Bipartite: vertices are the data side, nets the
/// parameters, an edge's value the net's weight.
LoadedGraph load_graph(Communicator& comm, std::span<const std::string> paths,
                       const GraphOptions& options = {});
inline LoadedGraph load_graph(Communicator& comm, const std::string& path,
                              const GraphOptions& options = {}) {
  return load_graph(comm, std::span(&path, 1), options);
}

}  // namespace gas::loaders
