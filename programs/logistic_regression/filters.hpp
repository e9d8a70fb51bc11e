#pragma once

namespace gas {

/// What Penalty::l1 on several ranks leaves unsent (the user-defined filters of Li et al., OSDI
/// 2014). In a round ranks add up the loss's derivatives along each weight, and the steps that they
/// found: a record of each weight both times.
struct Filters {
  /// Derivatives of weights that are zero and, by what the ranks' parts sum up to at most, stay so
  /// in this round; steps of weights that cannot move. Exact: the same weights to the last bit.
  bool kkt = true;
  /// Steps that make nearly no difference: together at most 1 % of what a rank's steps are to gain.
  /// The path differs; the optimum and its certificate are the same.
  bool significance = false;
  /// Messages by zstd. Exact.
  bool compression = false;

  bool operator==(const Filters&) const = default;
};

/// What the filters did: records of keys (weights) that were to be added up, and bytes to other
/// ranks without any filter, with the first, with the first two, and as they were sent.
struct FilterLedger {
  double offered = 0, inactive = 0, insignificant = 0, sent = 0;
  double bytes_offered = 0, bytes_active = 0, bytes_significant = 0, bytes_sent = 0;

  FilterLedger& operator+=(const FilterLedger& o) {
    offered += o.offered, inactive += o.inactive, insignificant += o.insignificant, sent += o.sent;
    bytes_offered += o.bytes_offered, bytes_active += o.bytes_active;
    bytes_significant += o.bytes_significant, bytes_sent += o.bytes_sent;
    return *this;
  }
};

}  // namespace gas
