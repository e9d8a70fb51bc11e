#include <catch2/catch.hpp>
#include <set>
#include <span>
#include <utility>
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

void add(gas::VertexSet& set, const Ids& several) {
  set.add_each(1, [&](std::size_t) { return std::span(several); });
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
  add(set, {7, 5, 7, 3});
  CHECK(listed(set) == Ids{5, 7, 3});
  for (const gas::LocalId v : {9U, 11U}) set.flags()[v] = 1;
  set.join(Lists{Ids{9}, Ids{11, 9}, Ids{}});
  CHECK(listed(set) == Ids{5, 7, 3, 9, 11});
  set.clear();
  CHECK(set.size() == 0);

  Ids many(101);  // more than a sixteenth
  for (gas::LocalId v = 0; v < 101; ++v) many[v] = v;
  add(set, {many.begin(), many.end() - 1});
  CHECK(set.listed());
  add(set, many);
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
    set.expect(count / 4);
    CHECK(set.listed());
    set.expect(count / 4 + 1);
    CHECK(!set.listed());
    add(set, {last, 9, last, 64});
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

TEST_CASE(
    "vertex set: those of many lists join once, all or some of them, listed or as flags alone",
    "[vertex_set]") {
  const auto thirds = [](gas::LocalId v) { return v % 3 == 0; };
  for (const bool flags : {false, true})
    for (const bool some : {false, true}) {
      gas::VertexSet set = set_of(16'000, {0, 1, 33});
      if (flags) set.unlist();
      std::set<gas::LocalId> members{0, 1, 33};
      Lists lists;
      for (gas::LocalId i = 0; i < 40; ++i)
        for (lists.emplace_back(); lists.back().size() < i % 7 * 5;)
          lists.back().push_back(i * i % 97 * 3 + static_cast<gas::LocalId>(lists.back().size()));
      for (const Ids& list : lists)
        for (const gas::LocalId v : list)
          if (!some || thirds(v)) members.insert(v);
      if (some)
        for (const Ids& list : lists)
          set.add_if(list, [&](std::size_t i) { return thirds(list[i]); });
      else
        set.add_each(lists.size(),
                     [&](std::size_t i) { return std::span(std::as_const(lists[i])); });
      CHECK(set.listed() == !flags);
      set.relist();
      set.sort();
      CHECK(listed(set) == Ids(members.begin(), members.end()));
    }
}
