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

/// The largest count. Above it, one float may stand for several whole numbers.
constexpr std::uint64_t largest_count = (std::uint64_t{1} << 24U) - 1;

struct GraphOptions {
  Format format = Format::automatic;
  Format fallback = Format::edges;  // what `automatic` means if nothing else tells
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
  /// edges: declares which vertices exist, if the edges alone do not tell. Of two kinds, for both
  /// or neither.
  Declaration sources = {}, targets = {};
  bool excerpt = false;  // edges: of a file; a line `n m` that is no edge is left out, whatever m
  unsigned threads = 1;  // of this rank, for parsing; names are parsed by one
  std::size_t block_bytes = TextInput::usual_block;  // of text at a time, per rank or thread
};

/// The ids that a first line `n m` of an edge list declares: first, first + 1, …
struct SizeLine {
  std::uint64_t first = 0;
  std::uint64_t count = 0;  // 0: there is no such line
};

/// A graph exactly as in its file: repeated edges and self-loops are kept, nothing is symmetrised.
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

/// Reads a graph from one file, or from several of one format, which are read as if concatenated.
/// Files are plain, gzip or zstd; "-" is standard input. Collective. UsageError for a format that
/// holds no graph. InputError for anything that the format does not allow (the first such place in
/// the files is reported; a line `n m` is checked last), and for several files of a format that
/// declares its sizes.
///
/// edges: lines `source target [value]`, separated by blanks, tabs, commas, semicolons or `::`. All
/// lines have as many columns as the first. Lines that begin with # or % are comments. Fields may
/// be in quotation marks, unless blanks separate them. `table` declares a header and other columns.
/// A header above numbers is recognised if commas, semicolons or tabs separate. Ids are numbers (0
/// … 2⁶³ − 1) if both of the first edge are, otherwise names. A first line `n m` of a plain graph
/// is no edge if m edges follow, all with ids below n or all from 1 to n (several files:
/// find_size_lines); then these ids are the rows. Otherwise the rows are the ids that occur,
/// ascending.
/// libsvm: `label column:value …`, columns counted from `index_base`. `qid:N` before them is
/// skipped. Each line with a label is a row. # begins a comment.
/// csv: a table whose first row names its columns, as `examples` says (formats/examples/csv.cpp).
/// Commas separate fields, or whatever separates those of the first row. Fields in quotation marks
/// may contain line ends. An empty field is no feature. `table` may say which columns are features.
/// vw: `label 'tag|namespace[:scale] feature[:value] …`, see formats/vw.cpp. Features are named
/// `namespace^feature`.
/// ldac: `n word:count …` with n pairs, words counted from 0. Each line is a row.
/// docword: three lines with the numbers of documents, words and entries, then a line `document
/// word count` per entry, all counted from 1.
/// mtx: MatrixMarket, coordinate, real, integer or pattern, general or symmetric. An entry is an
/// edge row → column; the matrix of a plain graph must be square; if it is symmetric, each entry is
/// a pair.
/// metis: a line with the numbers of vertices and edges, and perhaps which weights there are; then
/// a line per vertex with its neighbours. A pair is one edge, read where the lower vertex lists it.
/// Loops are refused, and so are files in which only one end lists the other. Vertex sizes, and
/// weights other than the first, must be there but are not used.
/// hmetis: a line with the numbers of nets and vertices, and perhaps which weights there are; then
/// a line per net with its vertices, then vertex weights, which are not used. The graph is
/// bipartite: vertices are the data side, nets the parameters; an edge's value is the net's weight.
LoadedGraph load_graph(Communicator& comm, std::span<const std::string> paths,
                       const GraphOptions& options = {});
inline LoadedGraph load_graph(Communicator& comm, const std::string& path,
                              const GraphOptions& options = {}) {
  return load_graph(comm, std::span(&path, 1), options);
}

}  // namespace gas::loaders
