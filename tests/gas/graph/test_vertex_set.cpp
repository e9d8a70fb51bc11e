#include <catch2/catch.hpp>
#include <vector>

#include "gas/engine/store/vertex_set.hpp"

namespace {

using Ids = std::vector<gas::LocalId>;
using Lists = std::vector<Ids>;

gas::VertexSet set_of(std::size_t count, const Ids& members) {
  gas::VertexSet set;
  set.resize(count);
  for (const gas::LocalId v : members) set.add(v);
  return set;
}

Ids listed(const gas::VertexSet& set) { return {set.list().begin(), set.list().end()}; }

}  // namespace

TEST_CASE("vertex set: a list is put into ascending order, wherever it begins and ends",
          "[vertex_set]") {
  for (const Ids& members : {Ids{1003, 5, 9}, Ids{2047, 0}, Ids{2047, 2046, 2045}, Ids{8, 7},
                             Ids{1, 0}, Ids{3}, Ids{}}) {
    gas::VertexSet set = set_of(2048, members);
    REQUIRE(set.listed());
    Ids sorted = members;
    std::ranges::sort(sorted);
    set.sort();
    CHECK(listed(set) == sorted);
  }
}

TEST_CASE("vertex set: few members far apart and many near each other are sorted alike",
          "[vertex_set]") {
  Ids dense, sparse;
  for (gas::LocalId i = 0; i < 1000; ++i) dense.push_back(70'000 - 3 * i);
  for (gas::LocalId i = 0; i < 50; ++i) sparse.push_back(99'999 - 1999 * i);
  for (Ids members : {dense, sparse}) {
    gas::VertexSet set = set_of(100'000, members);
    set.sort();
    std::ranges::reverse(members);
    CHECK(listed(set) == members);
    set.remove([](gas::LocalId v) { return v % 2 == 0; });
    std::erase_if(members, [](gas::LocalId v) { return v % 2 == 0; });
    for (const gas::LocalId v : {12U, 99'990U}) set.flags()[v] = 1;
    set.join(Lists{Ids{99'990, 12, 99'990}, Ids{12}});
    members.insert(members.end(), {12, 99'990});
    std::ranges::sort(members);
    set.sort();
    CHECK(listed(set) == members);
  }
}

TEST_CASE("vertex set: many members are flags alone, and are listed again when they are few",
          "[vertex_set]") {
  gas::VertexSet set;
  set.resize(1600);
  for (gas::LocalId v = 0; v < 1600; ++v) set.add(1599 - v);
  CHECK(!set.listed());
  CHECK(set.size() == 1600);
  set.sort();  // there is no list
  set.relist();
  CHECK(!set.listed());
  set.remove([](gas::LocalId v) { return v % 100 != 7; });
  set.relist();
  REQUIRE(set.listed());
  CHECK(listed(set).size() == 16);
  CHECK(set.list().front() == 7);
  CHECK(set.list().back() == 1507);
}

TEST_CASE("vertex set: a vertex that is added twice, or that two threads note, is listed once",
          "[vertex_set]") {
  gas::VertexSet set = set_of(1600, {5});
  set.add(Ids{7, 5, 7, 3});
  CHECK(listed(set) == Ids{5, 7, 3});
  for (const gas::LocalId v : {9U, 11U}) set.flags()[v] = 1;
  set.join(Lists{Ids{9}, Ids{11, 9}, Ids{}});
  CHECK(listed(set) == Ids{5, 7, 3, 9, 11});
  set.clear();
  CHECK(set.size() == 0);

  Ids many(101);  // more than a sixteenth
  for (gas::LocalId v = 0; v < 101; ++v) many[v] = v;
  set.add(std::span(many).first(100));
  CHECK(set.listed());
  set.add(many);
  CHECK(!set.listed());
  CHECK(set.size() == 101);
  set.flags()[102] = 1;
  set.join(Lists{Ids{102}});  // flags alone
  set.remove([](gas::LocalId v) { return v < 101; });
  set.relist();
  CHECK(listed(set) == Ids{102});
}

TEST_CASE("vertex set: many that are added at once are flags until they are listed",
          "[vertex_set]") {
  for (const std::size_t count : {6400U, 6401U, 6463U}) {
    const auto last = static_cast<gas::LocalId>(count - 1);
    gas::VertexSet set = set_of(count, {70});
    set.expect(count / 32);
    CHECK(set.listed());
    set.expect(count / 32 + 1);
    CHECK(!set.listed());
    set.add(Ids{last, 9, last, 64});
    set.relist();
    CHECK(listed(set) == Ids{9, 64, 70, last});

    const std::size_t most = count / 16;
    set.expect(count);
    for (gas::LocalId v = 0; v < most; ++v) set.add(v);
    set.relist();
    CHECK(!set.listed());
    CHECK(set.size() == most + 1);
    set.remove([last](gas::LocalId v) { return v == last; });
    set.relist();
    CHECK(set.list().size() == most);
  }
}
