#include <pybind11/stl.h>

#include <algorithm>

#include "gas/base/communicator.hpp"
#include "programs/lda/measures/measures.hpp"
#include "tools/python/bindings/arrays.hpp"
#include "tools/python/bindings/parts.hpp"
#include "tools/python/bindings/session.hpp"
#include "tools/python/bindings/signals.hpp"

namespace gas::python {
namespace {

LdaSampler sampler_of(const std::string& name) {
  return name == "gibbs" ? LdaSampler::gibbs
         : name == "mh"  ? LdaSampler::mh
                         : LdaSampler::automatic;
}

/// φ of all words: a row of topics for each.
using TopicsOfWords = Borrowed<float>;

std::size_t topics_in(const TopicsOfWords& words) {
  return words.ndim() == 2 ? static_cast<std::size_t>(words.shape(1)) : 0;
}

/// The priors of topics: one for all where they are alike, as the tool has it.
void set_alpha(LdaOptions& options, const std::vector<double>& alpha) {
  options.alpha = alpha.empty() ? options.alpha : alpha[0];
  if (std::ranges::adjacent_find(alpha, std::ranges::not_equal_to()) != alpha.end())
    options.alpha_by_topic = alpha;
}

py::dict told_of(const LdaMeasures& measures) {
  py::dict told;
  told["joint"] = measures.joint;
  told["npmi"] = measures.npmi;
  told["umass"] = measures.umass;
  told["mimno"] = measures.mimno;
  told["cao_juan"] = measures.spread.cao_juan;
  told["arun"] = measures.spread.arun;
  return told;
}

py::dict fit_lda(const Session& session, const Matrix& documents, std::size_t topics,
                 const std::vector<double>& alpha, double beta, const std::string& sampler,
                 double tolerance, std::uint64_t iterations, std::uint64_t seed,
                 std::uint64_t optimize_every, std::uint64_t optimize_burn_in,
                 std::uint64_t split_merge, std::uint64_t turns, std::size_t top_words,
                 const std::string& checkpoint, std::uint64_t checkpoint_every, bool resume) {
  LdaOptions options{.topics = topics,
                     .beta = beta,
                     .optimize_every = optimize_every,
                     .optimize_burn_in = optimize_burn_in,
                     .split_merge = split_merge,
                     .turns = turns,
                     .sampler = sampler_of(sampler),
                     .tolerance = tolerance,
                     .seed = seed};
  set_alpha(options, alpha);
  options.run.iterations = iterations;
  if (!checkpoint.empty())
    options.run.checkpoint = {
        .folder = checkpoint, .every_rounds = checkpoint_every, .resume = resume};
  const Context& context = session.context();
  Signals signals(options.run);
  struct Found {
    std::vector<float> words, documents;
    std::vector<std::int32_t> word_counts, document_counts;
    LdaPriors priors;
    std::optional<double> gained;
    std::uint64_t moves = 0;
    std::optional<LdaMeasures> measures;
    std::optional<double> objective;
    Outcome outcome;
  };
  Found found = unlocked([&]() -> Found {
    const LdaFit fitted = lda(context, documents, options);
    return {whole(context.transport(), fitted.words.local_block()),
            fitted.documents.topics(),
            whole(context.transport(), fitted.documents.word_counts().local_block()),
            fitted.documents.counts(),
            fitted.priors,
            fitted.gained,
            fitted.moves,
            top_words > 0 && !fitted.outcome.interrupted
                ? std::optional(lda_measures(context, fitted, top_words))
                : std::nullopt,
            fitted.objective,
            fitted.outcome};
  });
  signals.raise(found.outcome.interrupted);
  py::dict told;
  told["words"] = rows(std::move(found.words), topics);
  told["documents"] = rows(std::move(found.documents), topics);
  told["word_counts"] = rows(std::move(found.word_counts), topics);
  told["document_counts"] = rows(std::move(found.document_counts), topics);
  told["alpha"] = array_of(std::move(found.priors.alpha));
  told["beta"] = found.priors.beta;
  told["gained"] = found.gained;
  told["moves"] = found.moves;
  if (found.measures) told["measures"] = told_of(*found.measures);
  told["objective"] = found.objective;
  told["rounds"] = found.outcome.rounds;
  told["converged"] = found.outcome.converged;
  return told;
}

py::array_t<float> topics_of(const Session& session, const Matrix& documents,
                             const TopicsOfWords& words, const std::vector<double>& alpha,
                             std::uint64_t iterations, std::uint64_t seed) {
  const Context& context = session.context();
  const std::size_t topics = topics_in(words);
  LdaOptions options{.topics = topics, .seed = seed, .measure = false};
  set_alpha(options, alpha);
  options.run.iterations = iterations;
  Signals signals(options.run);
  bool interrupted = false;
  const float* const weights = words.data();
  std::vector<float> found = unlocked([&] {
    const LdaFolded folded = lda_transform(
        context, documents,
        [=](VertexId word, std::span<float> out) {
          std::copy_n(weights + word * topics, topics, out.begin());
        },
        options);
    interrupted = folded.outcome.interrupted;
    return folded.documents.topics();
  });
  signals.raise(interrupted);
  return rows(std::move(found), topics);
}

double heldout(const Session& session, const Matrix& documents, const TopicsOfWords& words,
               const std::vector<double>& alpha, std::uint64_t seed) {
  const Context& context = session.context();
  const std::size_t topics = topics_in(words);
  const auto count = static_cast<std::uint64_t>(words.ndim() == 2 ? words.shape(0) : 0);
  const float* const weights = words.data();
  LdaOptions options{.topics = topics, .seed = seed};
  set_alpha(options, alpha);
  Signals signals(options.run);
  const std::optional<double> score = unlocked([&] {
    TopicWords known(context.transport(), count, topics);
    const std::vector<VertexId> mine = ids_of_block(context.transport(), count);
    known.put(mine, [&](std::size_t i) { return std::span(weights + mine[i] * topics, topics); });
    return lda_heldout(context, documents, known, options);
  });
  signals.raise(!score);
  return score.value_or(0);
}

}  // namespace

void bind_lda(py::module_& module) {
  const auto words = py::arg("words").noconvert();
  module.def("lda", &fit_lda, py::arg("session"), py::arg("documents"), py::kw_only(),
             py::arg("topics"), py::arg("alpha"), py::arg("beta"), py::arg("sampler"),
             py::arg("tolerance"), py::arg("iterations"), py::arg("seed"),
             py::arg("optimize_every"), py::arg("optimize_burn_in"), py::arg("split_merge"),
             py::arg("turns"), py::arg("top_words"), py::arg("checkpoint"),
             py::arg("checkpoint_every"), py::arg("resume"));
  module.def("lda_transform", &topics_of, py::arg("session"), py::arg("documents"), words,
             py::kw_only(), py::arg("alpha"), py::arg("iterations"), py::arg("seed"));
  module.def("lda_heldout", &heldout, py::arg("session"), py::arg("documents"), words,
             py::kw_only(), py::arg("alpha"), py::arg("seed"));
}

}  // namespace gas::python
