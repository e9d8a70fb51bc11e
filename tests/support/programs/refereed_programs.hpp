#pragma once

#include "gas/engine/engine.hpp"
#include "gas/exchange/simulated_transport.hpp"
#include "tests/support/referee.hpp"

/// Programs whose values say who published them and when, of every topology, and tell a referee
/// all that they read. One thread per rank.
namespace gas_test {

template <std::uint32_t kind>
struct Stamp {
  std::int32_t rank = 0, round = 0;
  bool operator==(const Stamp&) const = default;
};

/// Who formed it, and when; added in rank order.
struct FormedAccumulator {
  Referee::Formed formed{};
  std::int64_t last = -1, disordered = 0;  // the last rank added; how often a lower one came after
  FormedAccumulator& operator+=(const FormedAccumulator& other) {
    disordered += other.disordered;
    for (std::size_t from = 0; from < Referee::most_ranks; ++from) {
      if (other.formed[from] == 0) continue;
      if (static_cast<std::int64_t>(from) < last) ++disordered;
      last = static_cast<std::int64_t>(from);
    }
    for (std::size_t i = 0; i < formed.size(); ++i) formed[i] += other.formed[i];
    return *this;
  }
};

/// What these programs share: where they are, and whom they tell.
struct Refereed {
  static constexpr gas::Stands stands = gas::any_staleness;
  gas::SimulatedTransport* transport = nullptr;
  Referee* referee = nullptr;
  gas::VirtualTime per_visit{};  // spent on each vertex
  gas::Step now{};

  std::int32_t rank() const { return transport->rank(); }
  void begin(gas::Step step) {
    now = step;
    referee->begin(rank(), step);
  }
  template <std::uint32_t kind>
  Stamp<kind> stamp() const {
    if (per_visit.count() > 0) transport->local_pass(per_visit);
    return {rank(), static_cast<std::int32_t>(now.round)};
  }
  void count(FormedAccumulator& total, auto value) const {
    count(total.formed, value);
    total.last = rank();
  }
  void check(const FormedAccumulator& total, std::uint32_t kind, std::uint64_t edges) const {
    referee->total(rank(), kind, total.formed, edges);
    referee->in_order(rank(), total.disordered == 0);
  }
  void check(const gas::VectorSum<std::int64_t>& total, std::uint32_t kind,
             std::uint64_t edges) const {
    referee->total(rank(), kind, total.values, edges);
  }
  /// The elements of a total after one more edge.
  template <std::uint32_t kind>
  void count(std::span<std::int64_t> formed, Stamp<kind> value) const {
    referee->read(rank(), kind, value.rank, static_cast<std::uint64_t>(value.round));
    const auto me = static_cast<std::size_t>(rank());
    ++formed[me];
    formed[Referee::most_ranks + me] += static_cast<std::int64_t>(now.round);
  }
};

struct OneKindStamps : Refereed {
  struct Node {
    static constexpr auto activity = gas::Active::every_round;
    using Published = Stamp<0>;
    using Accumulator = FormedAccumulator;
  };
  using Vertex = Node;
  using Summary = gas::Sum<std::int64_t>;

  Stamp<0> init(Node&, auto&) const { return {rank(), 0}; }
  void before_step(gas::Step step, const auto&) { begin(step); }
  void gather(FormedAccumulator& total, Stamp<0> value) const { count(total, value); }
  Stamp<0> apply(Node&, const FormedAccumulator& total, auto& v) const {
    v.summary() += 1;
    check(total, 0, v.in_degree());
    return stamp<0>();
  }
};

/// Both kinds gather each other's values: parameters in the same pass over the edges, or by their
/// own (a row total).
template <bool in_one_pass>
struct TwoKindStamps : Refereed {
  struct Left {
    static constexpr auto activity = gas::Active::every_round;
    using Published = Stamp<0>;
    using Accumulator = FormedAccumulator;
  };
  struct Right {
    static constexpr auto activity = gas::Active::every_round;
    using Published = Stamp<1>;
    using Accumulator =
        std::conditional_t<in_one_pass, FormedAccumulator, gas::VectorSum<std::int64_t>>;
  };
  using Data = Left;
  using Parameter = Right;
  using Summary = gas::Sum<std::int64_t>;

  std::size_t width(gas::AccumulatorOf<Right>) const requires(!in_one_pass) {
    return 2 * Referee::most_ranks;
  }
  Stamp<0> init(Left&, auto&) const { return {rank(), 0}; }
  Stamp<1> init(Right&, auto&) const { return {rank(), 0}; }
  void before_step(gas::Step step, const auto&) { begin(step); }
  void gather(FormedAccumulator& total, Stamp<1> value) const { count(total, value); }
  void gather(FormedAccumulator& total, Stamp<0> value) const requires in_one_pass {
    count(total, value);
  }
  void gather(gas::VectorSum<std::int64_t>& total, Stamp<0> value) const requires(!in_one_pass) {
    count(total.values, value);
  }
  Stamp<0> apply(Left&, const FormedAccumulator& total, auto& v) const {
    v.summary() += 1;
    check(total, 0, v.degree());
    return stamp<0>();
  }
  Stamp<1> apply(Right&, const typename Right::Accumulator& total, auto& v) const {
    v.summary() += 1;
    check(total, 1, v.degree());
    return stamp<1>();
  }
};
static_assert(gas::fused<TwoKindStamps<true>> && !gas::fused<TwoKindStamps<false>>);

/// Per giving rank, how many members joined less those that left, then the same of their names.
struct GivenAccumulator {
  static constexpr bool running = true;
  using Element = std::int64_t;
  std::span<std::int64_t> given;
  explicit GivenAccumulator(std::span<std::int64_t> memory) : given(memory) {}
  std::span<std::int64_t> elements() const { return given; }
  static void combine(std::int64_t& into, std::int64_t from) { into += from; }
};

/// Members that wander between clubs by lot: running totals on the complete topology.
struct Wanderers : Refereed {
  struct Member {
    std::uint32_t club = 0;
    using Input = gas::RowOf<float>;  // its name
    static constexpr auto activity = gas::Active::every_round;
    using Published = std::uint32_t;
    using Accumulator = gas::ArgMin;
  };
  struct Club {
    std::int64_t members = 0, names = 0;
    static constexpr auto activity = gas::Active::every_round;
    using Published = gas::RowOf<float>;  // rank and round
    using Accumulator = GivenAccumulator;
  };
  using Data = Member;
  using Parameter = Club;
  using Summary = gas::Sum<std::int64_t>;
  std::size_t clubs = 1;
  bool settled = false;  // nobody wanders

  std::size_t width(gas::PublishedOf<Club>) const { return 2; }
  std::size_t width(gas::AccumulatorOf<Club>) const { return 2 * Referee::most_ranks; }
  void before_step(gas::Step step, const auto&) { begin(step); }
  void gather_block(gas::RowsView<float>, const gas::ParameterBlock<float>& block,
                    std::span<gas::ArgMin>, auto&) const {
    for (std::size_t k = 0; k < block.rows.size(); ++k)
      referee->read(rank(), 1, static_cast<int>(block.rows[k][0]),
                    static_cast<std::uint64_t>(block.rows[k][1]));
  }
  std::uint32_t apply(Member& member, const gas::ArgMin&, auto& v) const {
    if (!settled) member.club = static_cast<std::uint32_t>(v.random().below(clubs, 0));
    v.summary() += 1;
    return member.club;
  }
  void push(auto& to, gas::RowView<const float> name, std::uint32_t before,
            std::uint32_t now_in) const {
    if (before != gas::none) move(to, before, -1, name[0]);
    move(to, now_in, 1, name[0]);
  }
  void apply(Club& club, const GivenAccumulator& total, gas::RowView<float> out, auto& v) const {
    std::array<Referee::Given, Referee::most_ranks> given;
    club = {};
    for (std::size_t from = 0; from < given.size(); ++from) {
      given[from] = {total.given[from], total.given[Referee::most_ranks + from]};
      club.members += given[from].members;
      club.names += given[from].names;
    }
    referee->has(rank(), v.id(), given);
    v.summary() += 1;
    tell(out, now.round);
  }

  void tell(gas::RowView<float> out, std::uint64_t round) const {
    out[0] = static_cast<float>(rank());
    out[1] = static_cast<float>(round);
  }

 private:
  void move(auto& to, std::uint32_t club, std::int64_t sign, float name) const {
    const auto me = static_cast<std::size_t>(rank());
    const auto names = sign * static_cast<std::int64_t>(name);
    auto&& total = to[club];
    total.given[me] += sign;
    total.given[Referee::most_ranks + me] += names;
    referee->give(rank(), clubs, club, sign, names);
  }
};

}  // namespace gas_test
