#pragma once

#include <Eigen/Core>
#include <cmath>
#include <vector>

#include "programs/lda/lda.hpp"
#include "tests/programs/lda/lda_oracle.hpp"

namespace gas_test {

using Dense = Eigen::MatrixXd;

inline gas::Matrix matrix_of(const gas::Context& context, const Corpus& corpus) {
  const gas::BlockDistribution blocks{corpus.documents.size(), context.ranks()};
  std::vector<std::uint64_t> offsets{0};
  std::vector<std::int32_t> columns;
  for (std::uint64_t d = blocks.first(context.rank()); d < blocks.first(context.rank() + 1); ++d) {
    for (const std::uint64_t w : corpus.documents[d])
      columns.push_back(static_cast<std::int32_t>(w));
    offsets.push_back(columns.size());
  }
  return gas::Matrix::from_rows(context, offsets, columns, {.columns = corpus.words});
}

/// A fit as whole matrices: counts by document and by word, φ by word.
struct Whole {
  Dense n_dk, n_kw, phi;
  gas::LdaPriors priors;
};
inline Whole whole_of(const gas::Context& context, const gas::LdaFit& fit) {
  const auto dense = [&](const auto& block) {
    const auto all = gas::whole(context.transport(), std::vector(block.begin(), block.end()));
    const auto topics = static_cast<Eigen::Index>(fit.words.topics());
    Dense rows(static_cast<Eigen::Index>(all.size()) / topics, topics);
    for (Eigen::Index i = 0; i < rows.size(); ++i)
      rows(i / topics, i % topics) = static_cast<double>(all[static_cast<std::size_t>(i)]);
    return rows;
  };
  return {dense(fit.documents.counts()), dense(fit.documents.word_counts().local_block()),
          dense(fit.words.local_block()), fit.priors};
}

/// Log p(words, topics | priors), by the definition.
inline double log_joint(const Whole& fit) {
  const double alpha = fit.priors.alpha_sum(), beta = fit.priors.beta;
  const double all_beta = static_cast<double>(fit.n_kw.rows()) * beta;
  double sum = 0;
  for (Eigen::Index d = 0; d < fit.n_dk.rows(); ++d) {
    sum += std::lgamma(alpha) - std::lgamma(fit.n_dk.row(d).sum() + alpha);
    for (Eigen::Index k = 0; k < fit.n_dk.cols(); ++k) {
      const double prior = fit.priors.alpha[static_cast<std::size_t>(k)];
      sum += std::lgamma(fit.n_dk(d, k) + prior) - std::lgamma(prior);
    }
  }
  for (Eigen::Index k = 0; k < fit.n_kw.cols(); ++k) {
    sum += std::lgamma(all_beta) - std::lgamma(fit.n_kw.col(k).sum() + all_beta);
    for (Eigen::Index w = 0; w < fit.n_kw.rows(); ++w)
      sum += std::lgamma(fit.n_kw(w, k) + beta) - std::lgamma(beta);
  }
  return sum;
}

}  // namespace gas_test
