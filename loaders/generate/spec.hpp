#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace gas::loaders {

/// What to generate: a name and a value for each of its keys.
struct GeneratorSpec {
  std::string name;
  std::map<std::string, double, std::less<>> values;
  std::uint64_t seed = 1;

  /// Whether it gives pairs, each once, which count in both directions.
  bool undirected() const { return name == "kronecker" || name == "uniform" || name == "grid"; }
  double real(std::string_view key) const { return values.find(key)->second; }
  std::uint64_t whole(std::string_view key) const { return static_cast<std::uint64_t>(real(key)); }
};

/// Reads `name:key=value,…`; keys that are left out have their defaults. UsageError for an unknown
/// name or key, a repeated key, a value out of range.
///
///   kronecker:scale=16,degree=16,lengths=0            degree · 2^scale drawn pairs
///   uniform:scale=16,degree=16,lengths=0              likewise
///   grid:side=1000,lengths=0                          side · side vertices
///   blobs:n=10000,d=16,k=10,spread=1                  centroids in [−10, 10)^d
///   lda:documents=1000,words=1000,topics=10,length=100,alpha=0.1,beta=0.01
///   logistic:examples=10000,features=1000,nonzeros=20,informative=200,noise=0.05
///   ratings:users=1000,items=500,rank=10,density=0.05,noise=0.1
///
/// and seed=1 in all.
GeneratorSpec parse_spec(std::string_view text);

/// The specifications that parse_spec knows, a line each, with their keys and defaults.
std::string spec_help();

}  // namespace gas::loaders
