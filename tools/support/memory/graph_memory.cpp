#include "tools/support/memory/graph_memory.hpp"

#include <algorithm>
#include <cmath>

#include "gas/graph/partition.hpp"
#include "loaders/generate/generate.hpp"
#include "loaders/text/text_input.hpp"
#include "partition/folder/folder.hpp"
#include "partition/incidence.hpp"
#include "tools/support/graph/graph_input.hpp"
#include "tools/support/graph/stored_graph.hpp"

namespace gas::tools {
namespace {

constexpr double id = sizeof(VertexId), offset = sizeof(EdgeOffset), part = sizeof(Part);
constexpr double mebibyte = 1 << 20;

double number(std::uint64_t count) { return static_cast<double>(count); }

GraphSource from_folder(const partition::Manifest& manifest) {
  GraphSource source;
  source.from = GraphSource::From::folder;
  loaders::GraphSizes& sizes = source.sizes;
  sizes.bipartite = manifest.shape.bipartite;
  sizes.edges = number(manifest.edges);
  sizes.value_bytes = number(manifest.value_bytes);
  sizes.source.count = number(manifest.shape.sources);
  sizes.target.count = number(manifest.shape.targets);
  sizes.source.ends = sizes.target.ends = sizes.edges;
  sizes.source.dense = manifest.sources.kind == IdKind::consecutive;
  sizes.target.dense = manifest.targets.kind == IdKind::consecutive;
  source.parts = manifest.parts;
  source.undirected = manifest.how.undirected;
  for (const partition::FileEntry& file : manifest.part_files)
    source.part_bytes = std::max(source.part_bytes, number(file.bytes));
  const auto& copies = manifest.quality.replication_factor;
  source.source_copies = sizes.bipartite ? copies.data : copies.all;
  source.target_copies = copies.parameter.value_or(1);
  return source;
}

/// By what the keys say; of drawn pairs a few are loops or repeats.
GraphSource from_spec(const loaders::GeneratorSpec& spec) {
  GraphSource source;
  source.from = GraphSource::From::generator;
  source.spec = spec;
  loaders::GraphSizes& sizes = source.sizes;
  double& rows = sizes.source.count;
  double& columns = sizes.target.count;
  sizes.bipartite = !spec.undirected();
  sizes.by_owner = sizes.bipartite;
  sizes.value_bytes = sizes.bipartite || spec.real("lengths") > 0 ? sizeof(float) : 0;
  if (spec.name == "grid") {
    rows = columns = spec.real("side") * spec.real("side");
    sizes.edges = 2 * rows;
  } else if (spec.undirected()) {
    rows = columns = std::exp2(spec.real("scale"));
    sizes.edges = spec.real("degree") * rows;
  } else if (spec.name == "lda") {
    rows = spec.real("documents");
    columns = spec.real("words");
    sizes.edges = rows * spec.real("length");
  } else if (spec.name == "logistic" || spec.name == "regression") {
    rows = spec.real("examples");
    columns = spec.real("features");
    sizes.edges = rows * spec.real("nonzeros");
  } else {
    rows = spec.real("users");
    columns = spec.real("items");
    const double all = rows * columns;  // each user and each item occurs
    sizes.edges = std::min(all, all * spec.real("density") + rows + columns);
  }
  for (loaders::IdSizes* ids : {&sizes.source, &sizes.target})
    ids->ends = ids->seen = sizes.edges, ids->different = ids->count;
  return source;
}

/// Of names or scattered numbers, one rank's block of each kind.
double kept_ids(const loaders::IdSizes& ids, const Machine& machine) {
  const double each = ids.name_bytes + sizeof(std::uint64_t);
  return ids.dense ? 0 : each * ids.count / machine.ranks;
}

/// While ids are numbered: a bit per number where they are dense, with a count per word of bits
/// and on several ranks two copies on the way; else a table of the ids that a rank has seen, which
/// then travel to the ranks that own them and back: twice the ids, with two numbers of each.
double numbering(const loaders::GraphSizes& sizes, const Machine& machine) {
  const auto of_kind = [&](const loaders::IdSizes& ids, double columns) {
    const double ends = columns * ids.ends / machine.ranks;
    const double words = std::max(ids.count, ids.largest) / 64;
    if (ids.name_bytes == 0 && words <= ends + 1024)
      return words * (sizeof(std::uint64_t) + sizeof(std::uint32_t)) * (machine.ranks > 1 ? 3 : 1);
    const double key = ids.name_bytes + sizeof(std::uint64_t);
    double most = ids.different_in(ends) * (2 * key + 2 * id);
    if (ids.name_bytes == 0 && ids.largest >= 0x1p32)  // numbers of 8 bytes, until they are rows
      for (double left = 0; left <= 1; left += 0.125)
        most = std::max(most, left * ends * (sizeof(std::uint64_t) - id) +
                                  ids.different_in((1 - left) * ends) * (key + 2 * id));
    return most;
  };
  if (sizes.bipartite) return of_kind(sizes.source, 1) + of_kind(sizes.target, 1);
  return of_kind(sizes.target, 2);
}

/// What text is read into: blocks of a part of the file, one per thread; of a stream, by rank 0, a
/// block for each rank beside what is unpacked, on its way, and parsed.
double text_buffers(const loaders::GraphSizes& sizes, const Machine& machine) {
  const auto usual = static_cast<double>(loaders::TextInput::usual_block);
  const double share = sizes.text_bytes / machine.ranks;
  if (sizes.streamed) {
    const auto round = static_cast<double>(loaders::TextInput::round_bytes(
        loaders::TextInput::usual_block, static_cast<std::uint64_t>(share)));
    return std::min(sizes.text_bytes, round * (machine.ranks + 3));
  }
  return std::min(share, machine.threads * std::clamp(share / 2048, mebibyte, usual));
}

/// Bytes of an edge in a list, with the value that stays.
double edge_bytes(const GraphSource& source, const GraphWish& wish) {
  const bool wide = wish.values == Values::wide_lengths || wish.values == Values::as_stored;
  const double most = wish.values == Values::unused ? 0 : wide ? sizeof(double) : sizeof(float);
  return 2 * id + std::min(most, source.sizes.value_bytes);
}

/// How a run's graph is cut and laid out.
struct Piece {
  PieceSizes sizes;
  double list = 0;     // edges on a rank as they were read
  double asked = 0;    // rows whose number of edges a method looks up on a rank
  double arcs = 0;     // on a rank, as they travel and are stored before repeats are seen to
  bool pairs = false;  // both arcs of an edge lie on the same rank
  bool moves = false;  // edges leave the rank that read them
};

Piece lay_out_piece(const Run& run, const GraphSource& source, const GraphWish& wish,
                    const Machine& machine) {
  const loaders::GraphSizes& in = source.sizes;
  const double ranks = machine.ranks;
  const bool folder = source.from == GraphSource::From::folder;
  const bool wished = wish.arcs != Arcs::given;
  const bool both =
      folder ? wished && !source.undirected : wished || run.options.undirected || in.pairs;
  const std::string& method = run.options.partition;
  Piece piece;
  piece.list = in.edges / ranks;
  piece.arcs = (both ? 2 : 1) * piece.list;
  piece.moves = ranks > 1 && !folder;
  // Vertex-cuts place a pair, edge-cuts each arc with its target.
  const bool vertex_cut = !run.options.partition_is_folder && wish.cuts == Cuts::any &&
                          (method == "auto" || !partition::find_method(method).weighs_vertices);
  piece.pairs = both && (ranks == 1 || vertex_cut || folder);
  PieceSizes& sizes = piece.sizes;
  sizes.edges = piece.arcs;
  sizes.value_bytes = edge_bytes(source, wish) - 2 * id;
  sizes.symmetric = piece.pairs;
  sizes.ranks = machine.ranks;
  sizes.threads = machine.threads;
  const auto kind = [&](const loaders::IdSizes& ids, double copies, double ends, bool whole) {
    const double masters = ids.count / ranks;
    double mirrors = 0;
    if (folder)
      mirrors = (copies - 1) * masters * (ranks - 1) / std::max(1.0, source.parts - 1);
    else if (!whole)
      mirrors = std::max(0.0, ids.different_in(ends / ranks) - masters);
    if (ranks == 1) mirrors = 0;
    piece.asked += masters + mirrors;
    if (method == "auto" && ids.local) mirrors = 0;  // it takes blocks of ids, which have few
    KindSizes found{ids.count, masters, std::min(masters, mirrors), mirrors};
    if (ids.seen > 0 && ids.count > 0) found.alike = ids.alike();
    return found;
  };
  if (in.bipartite) {
    // Cut by data vertices, whose edges follow them.
    sizes.owner = kind(in.source, source.source_copies, in.source.ends, true);
    loaders::IdSizes columns = in.target;
    columns.count = wish.rows_of(columns.count);
    if (wish.occurring) columns.count = std::min(columns.count, columns.different_in(columns.ends));
    sizes.parameter = kind(columns, source.target_copies, columns.ends, false);
  } else {
    const loaders::IdSizes& more =
        in.source.different > in.target.different ? in.source : in.target;
    sizes.owner = kind(more, source.source_copies, 2 * more.ends, false);
  }
  if (wish.repeats == Repeats::expand) {
    sizes.edges *= in.units;
    sizes.value_bytes = 0;
  }
  if (wish.repeats == Repeats::add && sizes.value_bytes == 0) sizes.value_bytes = sizeof(float);
  return piece;
}

/// Rows, degrees and the lists of who is mirrored where.
double layout_bytes(const KindSizes& kind, bool plain) {
  constexpr double lists = 2;  // for values and for accumulators
  return kind.locals() * (id + (plain ? 2 : 1) * sizeof(std::uint32_t)) +
         lists * sizeof(LocalId) * 2 * kind.mirrors;
}

/// While it is made on several ranks: a count per row, then the rows here with their ends, masters
/// and mirrors as they are told.
double making_layout(const KindSizes& kind, int ranks) {
  if (ranks == 1) return 0;
  return kind.count * sizeof(std::uint32_t) + kind.locals() * 5 * id;
}

}  // namespace

std::optional<GraphSource> look_at_graph(Run& run, const GraphWish& wish) {
  if (run.options.partition_is_folder) {
    const std::string& folder = run.options.partition;
    const partition::Manifest manifest = partition::read_manifest(run.transport, folder);
    if (run.options.dry_run) check_stored(run, folder, manifest.how);  // else when it is read
    return from_folder(manifest);
  }
  if (!run.options.generate.empty()) {
    const loaders::GeneratorSpec spec = loaders::parse_spec(run.options.generate);
    if (spec.name == "blobs") return std::nullopt;
    return from_spec(spec);
  }
  const auto sizes = look_at_input<loaders::GraphSizes>(run, [&] {
    loaders::GraphOptions options = graph_options(run, wish);
    if (!run.options.vertices.empty()) {
      options.sources = run.options.vertices.front();
      options.targets = run.options.vertices.back();
    }
    return loaders::graph_sizes(run.options.inputs, options, run.options.dry_run);
  });
  if (!sizes) return std::nullopt;
  GraphSource source;
  source.sizes = *sizes;
  return source;
}

MemoryPlan source_plan(
    GraphSource source,
    std::function<std::vector<Moment>(const GraphSource& source, const Machine& machine)> moments) {
  GraphSource fewer = source;
  for (loaders::IdSizes* ids : {&fewer.sizes.source, &fewer.sizes.target})
    if (ids->least > 0) ids->count = ids->least;
  const bool known = source.sizes.source.least == 0 && source.sizes.target.least == 0;
  return [=, moments = std::move(moments)](const Machine& machine) {
    std::vector<Moment> found = moments(source, machine);
    if (known) return found;
    const std::vector<Moment> at_least = moments(fewer, machine);
    for (std::size_t i = 0; i < found.size(); ++i) found[i].least = at_least[i].bytes;
    return found;
  };
}

double method_bytes(const std::string& method, const GraphSource& source, const Machine& machine,
                    double parts) {
  if (method.empty() || method == "import") return 0;
  const partition::Method::Memory& memory = partition::find_method(method).memory;
  const double each = source.sizes.bipartite ? memory.bipartite : memory.plain;
  const double rows = source.sizes.bipartite
                          ? source.sizes.target.count
                          : std::max(source.sizes.source.count, source.sizes.target.count);
  return each * source.sizes.edges / (memory.gathers ? 1 : machine.ranks) +
         memory.per_row_and_part * rows * parts;
}

double list_bytes(const GraphSource& source, const Machine& machine) {
  return source.sizes.edges / machine.ranks * (2 * id + source.sizes.value_bytes);
}

Moment loading_moment(const GraphSource& source, const Machine& machine) {
  const loaders::GraphSizes& in = source.sizes;
  const double edges = in.edges / machine.ranks;
  const double list = list_bytes(source, machine);
  if (source.from == GraphSource::From::folder)  // a file of a part is mapped, one after the other
    return {"loading", list + edges * part + source.part_bytes};
  if (source.from == GraphSource::From::generator)
    return {"loading", in.bipartite
                           ? list + loaders::planted_bytes(source.spec, machine.ranks).generating
                           : edges * 3 * sizeof(std::uint64_t)};
  // Of several ranks that share a stream, one column after the other moves to where it belongs.
  const double order = in.streamed && machine.ranks > 1 ? 2 * id * edges : 0;
  return {"loading", list + std::max(order, text_buffers(in, machine) + numbering(in, machine))};
}

Moment measuring_moment(const GraphSource& source, const Machine& machine, double parts,
                        double edges) {
  const loaders::GraphSizes& in = source.sizes;
  const auto of_kind = [&](const loaders::IdSizes& ids, double known_copies, double columns) {
    const double ends = columns * edges, all = columns * ids.ends;
    // Else as many as where edges lie at random, which are the most.
    const double copies = source.from == GraphSource::From::folder
                              ? known_copies * ids.count / machine.ranks
                              : parts * ids.different_in(all / machine.ranks / parts);
    constexpr double copy = sizeof(partition::Incidence), counter = sizeof(std::uint32_t);
    const double counted = std::min(2 * counter * ids.count * parts,  // a table
                                    counter * ends + sizeof(std::uint64_t) * ids.count);
    const double growing = 1.5;  // of a vector, on average
    return counted + copies * copy * (growing + (machine.ranks > 1 ? 1 : 0));
  };
  double found = 0;
  if (in.bipartite)
    found = std::max(of_kind(in.source, source.source_copies, 1),
                     of_kind(in.target, source.target_copies, 1));
  else
    found = of_kind(in.source.different > in.target.different ? in.source : in.target,
                    source.source_copies, 2);
  return {"measuring", list_bytes(source, machine) + edges * part + found};
}

MemoryPlan generating_plan(const loaders::GeneratorSpec& spec) {
  return [spec](const Machine& machine) {
    const loaders::PlantedBytes planted = loaders::planted_bytes(spec, machine.ranks);
    if (spec.undirected()) return std::vector{loading_moment(from_spec(spec), machine)};
    const double data = spec.name == "blobs"
                            ? spec.real("n") / machine.ranks * spec.real("d") * sizeof(float)
                            : list_bytes(from_spec(spec), machine);
    return std::vector<Moment>{{"generating", data + planted.generating},
                               {"writing", data + planted.writing}};
  };
}

MemoryPlan graph_plan(const Run& run, const std::optional<GraphSource>& known,
                      const GraphWish& wish, CallBytes call) {
  if (!known) return {};
  return source_plan(*known, [&run, wish, call = std::move(call)](const GraphSource& source,
                                                                  const Machine& machine) {
    const loaders::GraphSizes& in = source.sizes;
    const Piece piece = lay_out_piece(run, source, wish, machine);
    const PieceSizes& sizes = piece.sizes;
    const double edge = edge_bytes(source, wish);
    const double ids =
        2 * (kept_ids(in.source, machine) +
             (in.bipartite && wish.hash_bits == 0 ? kept_ids(in.target, machine) : 0));
    std::vector<Moment> moments{loading_moment(source, machine)};
    const auto add = [&](const char* what, double bytes) {
      moments.push_back({what, bytes + ids});
    };

    // The copies of other folders are known, or counted in what is built.
    if (source.from == GraphSource::From::folder && piece.pairs && source.parts != machine.ranks)
      moments.push_back(measuring_moment(source, machine, source.parts, piece.arcs));
    if (wish.arcs == Arcs::simple && machine.ranks > 1) {
      // A pair, where it stands, a flag, and at the rank that is asked the pair with who asks.
      const double asked = 2 * id + sizeof(std::size_t);
      const double sorted = 2 * id + 2 * sizeof(std::size_t);
      add("finding repeats", piece.list * (edge + 2 + 1.5 * asked + 2 * id + sorted));
    }
    const double read = piece.list * edge, parts = piece.arcs * part;
    const double travelling = (piece.pairs ? piece.list : piece.arcs) * edge;
    const double layouts = layout_bytes(sizes.owner, !in.bipartite) +
                           (in.bipartite ? layout_bytes(sizes.parameter, false) : 0);
    const double making = making_layout(sizes.owner, machine.ranks) +
                          (in.bipartite ? making_layout(sizes.parameter, machine.ranks) : 0);
    if (machine.ranks > 1) {
      // What arrives has its memory before what leaves has left. A method looks up a number of each
      // row here: it asks, is answered, and keeps a table.
      const double moving =
          piece.moves
              ? std::max({method_bytes(run.options.partition, source, machine, machine.ranks),
                          travelling, piece.asked * 5 * id})
              : 0;
      add("cutting", read + parts + moving);
      add("making layouts", travelling + making);
    }
    // Sorted by block: a sixteenth of the rows grows before as much of the list is given back.
    const double in_blocks = piece.arcs * (edge + (edge - id) / 16);
    const double offsets = sizes.owner.locals() * offset;
    const bool stays = in.by_owner && !piece.pairs;
    const double sorted = std::max(travelling, stays ? travelling : in_blocks) + offsets;
    add("sorting", sorted + layouts);
    const double rows = piece.arcs * (edge - id) + offsets;
    const double graph = sizes.edges * (id + sizes.value_bytes) + offsets + layouts;
    if (wish.repeats == Repeats::expand) add("expanding", rows + sizes.edges * id + offsets);
    add("computing", graph + call(sizes));
    // A weight of each, and more on their way to a file; those that are hashed have no ids there.
    const double each = wish.hash_bits > 0 ? 2 * sizeof(double) : wish.parameter_bytes;
    if (wish.occurring)
      add("writing",
          graph + call(sizes) +
              wish.rows_of(in.target.count) * (run.options.output.empty() ? sizeof(double) : each));
    return moments;
  });
}

}  // namespace gas::tools
