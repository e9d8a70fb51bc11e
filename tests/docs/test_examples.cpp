// Each program of docs/examples, alone and on several ranks, against a serial answer of a few
// lines.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <map>
#include <random>
#include <set>
#include <sstream>

#include "gas/base/random.hpp"
#include "gas/engine/run_options.hpp"
#include "tests/tools/support/process.hpp"

namespace {

using Edges = std::vector<std::pair<int, int>>;
using Lines = std::vector<std::vector<std::string>>;  // the words of each
using Rows = std::vector<std::vector<double>>;

Lines lines_of(const std::string& text) {
  Lines lines;
  std::istringstream all(text);
  for (std::string line; std::getline(all, line);) {
    std::istringstream words(line);
    lines.push_back({std::istream_iterator<std::string>(words), {}});
  }
  return lines;
}

/// What an example prints about `input` on 1, 2 and 4 ranks.
std::vector<Lines> run_example(const std::string& name, const std::string& input,
                               std::vector<std::string> more = {}) {
  const gas_test::TemporaryFolder folder;
  gas_test::write_text(folder / "input", input);
  more.insert(more.begin(), folder / "input");
  std::vector<Lines> all;
  for (const int ranks : {1, 2, 4}) {
    const auto finished = gas_test::run(GAS_EXAMPLES "/" + name, ranks == 1 ? 0 : ranks, more);
    INFO(name << " on " << ranks << " ranks:\n" << finished.err);
    REQUIRE(finished.code == 0);
    all.push_back(lines_of(finished.out));
  }
  return all;
}

std::string text_of(const Edges& edges) {
  std::string text;
  for (const auto& [from, to] : edges) text += fmt::format("{} {}\n", from, to);
  return text;
}

/// `rings` groups of `size` vertices that are all joined to each other, and a pair between each
/// group and the next. Ids begin at 10.
Edges joined_groups(int rings, int size) {
  Edges edges;
  for (int g = 0; g < rings; ++g) {
    for (int a = 0; a < size; ++a)
      for (int b = 0; b < a; ++b) edges.push_back({10 + g * size + a, 10 + g * size + b});
    edges.push_back({10 + g * size, 10 + (g + 1) % rings * size + 1});
  }
  return edges;
}

Edges random_edges(int vertices, int count) {
  std::mt19937 draw(7);
  Edges edges;
  for (int e = 0; e < count; ++e)
    edges.push_back({int(draw() % unsigned(vertices)), int(draw() % unsigned(vertices))});
  return edges;
}

/// The vertices that each one is joined to, without itself.
std::map<int, std::set<int>> neighbours(const Edges& edges) {
  std::map<int, std::set<int>> all;
  for (const auto& [a, b] : edges) {
    all[a], all[b];
    if (a != b) all[a].insert(b), all[b].insert(a);
  }
  return all;
}

double dot(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

/// Random rows of eighths, which floats hold exactly; the last column is 1.
Rows random_rows(std::size_t count, std::size_t columns) {
  std::mt19937 draw(11);
  Rows rows(count, std::vector<double>(columns, 1));
  for (auto& row : rows)
    for (std::size_t i = 0; i + 1 < columns; ++i) row[i] = (int(draw() % 33) - 16) / 8.0;
  return rows;
}

std::string svm_text(const Rows& rows, const std::vector<double>& labels) {
  std::string text;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    text += fmt::format("{}", labels[i]);
    for (std::size_t f = 0; f < rows[i].size(); ++f)
      if (rows[i][f] != 0) text += fmt::format(" {}:{}", f + 1, rows[i][f]);
    text += '\n';
  }
  return text;
}

}  // namespace

TEST_CASE("label propagation rests where each vertex has a label of most neighbours", "[docs]") {
  const Edges edges = joined_groups(6, 9);
  const auto joined = neighbours(edges);
  const auto results = run_example("label_propagation", text_of(edges));
  for (const Lines& lines : results) {
    CHECK(lines == results[0]);
    std::map<int, int> label;
    for (const auto& line : lines) label[std::stoi(line.at(0))] = std::stoi(line.at(1));
    REQUIRE(label.size() == joined.size());
    for (const auto& [vertex, others] : joined) {
      std::map<int, int> count;
      for (const int other : others) ++count[label[other]];
      for (const auto& [other, times] : count) CHECK(count[label[vertex]] >= times);
      CHECK(label[vertex] == label[10 + (vertex - 10) / 9 * 9 + 8]);  // as its group
    }
    std::set<int> communities;
    for (const auto& [vertex, name] : label) communities.insert(name);
    CHECK(communities.size() > 1);
  }
}

TEST_CASE("triangles are those that three loops find", "[docs]") {
  const Edges edges = random_edges(60, 500);
  const auto joined = neighbours(edges);
  Lines expected;
  for (const auto& [a, others] : joined) {
    int triangles = 0;
    for (const int b : others)
      for (const int c : others) triangles += b < c && joined.at(b).contains(c) ? 1 : 0;
    expected.push_back({std::to_string(a), std::to_string(triangles)});
  }
  for (const Lines& lines : run_example("triangles", text_of(edges))) CHECK(lines == expected);
}

TEST_CASE("hubs and authorities are those of power iteration", "[docs]") {
  Edges edges = random_edges(40, 160);
  std::erase_if(edges, [](const auto& edge) { return edge.first % 5 == 0; });  // not all link
  const std::set<std::pair<int, int>> links(edges.begin(), edges.end());
  std::map<int, double> hub, authority;
  for (const auto& [from, to] : links) hub[from] = authority[to] = 1;
  const auto scale = [](std::map<int, double>& scores) {
    double squares = 0;
    for (const auto& [page, score] : scores) squares += score * score;
    for (auto& [page, score] : scores) score /= std::sqrt(squares);
  };
  for (int round = 0; round < 2000; ++round) {
    for (auto& [page, score] : hub) score = 0;
    for (const auto& [from, to] : links) hub[from] += authority[to];
    scale(hub);
    for (auto& [page, score] : authority) score = 0;
    for (const auto& [from, to] : links) authority[to] += hub[from];
    scale(authority);
  }
  for (const Lines& lines : run_example("hits", text_of(edges))) {
    REQUIRE(lines.size() == hub.size() + authority.size());
    for (const auto& line : lines) {
      INFO(line[0] << ' ' << line[1]);
      const double score = (line[0] == "hub" ? hub : authority).at(std::stoi(line[1]));
      CHECK(std::stod(line[2]) == Approx(score).margin(1e-7).epsilon(0));
    }
  }
}

TEST_CASE("keys and values find the least squares, stale or not", "[docs]") {
  const Rows rows = random_rows(120, 6);
  std::vector<double> labels;
  for (const auto& x : rows) labels.push_back(2 * x[0] - x[3] + 0.3 * x[5] * x[1]);
  std::vector<double> w(6, 0.0);  // Gauss and Seidel's method on the normal equations
  for (int sweep = 0; sweep < 200; ++sweep)
    for (std::size_t f = 0; f < 6; ++f) {
      double pull = 0, squares = 0;
      for (std::size_t i = 0; i < rows.size(); ++i) {
        pull += rows[i][f] * (labels[i] - dot(rows[i], w));
        squares += rows[i][f] * rows[i][f];
      }
      w[f] += pull / squares;
    }
  for (const char* staleness : {"0", "3"})
    for (const Lines& lines :
         run_example("key_value", svm_text(rows, labels), {"0.0005", staleness})) {
      REQUIRE(lines.size() == 6);
      for (std::size_t f = 0; f < 6; ++f)
        CHECK(std::stod(lines[f].at(1)) == Approx(w[f]).margin(1e-6).epsilon(0));
    }
}

TEST_CASE("the support vector machine is that of the same steps in a loop", "[docs]") {
  const Rows rows = random_rows(120, 6);
  std::vector<double> labels;
  for (const auto& x : rows) labels.push_back(x[0] - 0.7 * x[1] + 0.1 * x[2] > 0.3 ? 1 : -1);
  const double lambda = 0.01;
  std::vector<double> w(6, 0.0);
  for (int t = 1; t <= 200; ++t) {
    std::vector<double> pull(6, 0.0);
    for (std::size_t i = 0; i < rows.size(); ++i)
      if (labels[i] * dot(rows[i], w) < 1)
        for (std::size_t f = 0; f < 6; ++f) pull[f] += labels[i] * rows[i][f];
    for (std::size_t f = 0; f < 6; ++f)
      w[f] = (1 - 1.0 / t) * w[f] + pull[f] / (lambda * t * double(rows.size()));
  }
  int right = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) right += labels[i] * dot(rows[i], w) > 0 ? 1 : 0;
  CHECK(right >= 114);  // it learns
  for (const Lines& lines : run_example("linear_svm", svm_text(rows, labels))) {
    REQUIRE(lines.size() == 6);
    for (std::size_t f = 0; f < 6; ++f) {
      CHECK(lines[f].at(0) == std::to_string(f + 1));
      CHECK(std::stod(lines[f].at(1)) == Approx(w[f]).margin(1e-6).epsilon(0));
    }
  }
}

TEST_CASE("the network is that of gradient descent in loops", "[docs]") {
  const Rows rows = random_rows(80, 3);
  std::vector<double> labels;  // what no single layer learns
  for (const auto& x : rows) labels.push_back(x[0] * x[1] > 0 ? 1 : 0);
  constexpr std::size_t hidden = 8;
  std::array<double, hidden> u{};
  Rows w(3, std::vector<double>(hidden));
  for (std::size_t h = 0; h < hidden; ++h) {
    u[h] = -1 + 2.0 * double(h) / (hidden - 1);
    for (std::size_t f = 0; f < 3; ++f)  // as v.random() of round 0, kind 1
      w[f][h] = gas::Random(1).stream(1).stream(f).uniform(h) - 0.5;
  }
  std::vector<double> probability(rows.size());
  for (int round = 0; round < 300; ++round) {
    std::array<double, hidden> slope_u{};
    Rows slope_w(3, std::vector<double>(hidden, 0.0));
    for (std::size_t i = 0; i < rows.size(); ++i) {
      std::array<double, hidden> unit{};
      double out = 0;
      for (std::size_t h = 0; h < hidden; ++h) {
        for (std::size_t f = 0; f < 3; ++f) unit[h] += rows[i][f] * w[f][h];
        unit[h] = std::tanh(unit[h]);
        out += u[h] * unit[h];
      }
      probability[i] = 1 / (1 + std::exp(-out));
      const double slope = probability[i] - labels[i];
      for (std::size_t h = 0; h < hidden; ++h) {
        slope_u[h] += slope * unit[h];
        for (std::size_t f = 0; f < 3; ++f)
          slope_w[f][h] += slope * u[h] * (1 - unit[h] * unit[h]) * rows[i][f];
      }
    }
    for (std::size_t h = 0; h < hidden; ++h) {
      u[h] -= slope_u[h] / double(rows.size());
      for (std::size_t f = 0; f < 3; ++f) w[f][h] -= slope_w[f][h] / double(rows.size());
    }
  }
  int right = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) right += (probability[i] > 0.5) == (labels[i] > 0);
  CHECK(right >= 72);  // it learns
  for (const Lines& lines : run_example("two_layer_network", svm_text(rows, labels))) {
    REQUIRE(lines.size() == rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      CHECK(lines[i].at(0) == std::to_string(i + 1));
      CHECK(std::stod(lines[i].at(1)) == Approx(probability[i]).margin(1e-6).epsilon(0));
    }
  }
}

TEST_CASE("the mixture is a fixed point of expectation maximisation in loops", "[docs]") {
  std::mt19937 draw(3);
  std::normal_distribution<double> normal;
  const std::array<std::array<double, 3>, 2> centre{{{-3, 0, 1}, {2, 0, -2}}};
  Rows points;
  std::string text;
  for (std::size_t i = 0; i < 90; ++i) {
    points.emplace_back();
    for (std::size_t d = 0; d < 3; ++d) {
      points[i].push_back(std::round(8 * (centre[i % 3 == 0][d] + normal(draw))) / 8);
      text += fmt::format("{} {} {}\n", i, d, points[i][d]);
    }
  }
  // From the groups that were drawn: components 0 and 1 may come in the other order.
  Rows share(points.size(), std::vector<double>(2, 0.0));
  for (std::size_t i = 0; i < points.size(); ++i) share[i][i % 3 == 0] = 1;
  for (int round = 0; round < 200; ++round) {
    Rows log(points.size(), std::vector<double>(2, 0.0));
    for (std::size_t c = 0; c < 2; ++c) {
      double all = 0;
      for (const auto& of : share) all += of[c];
      for (std::size_t d = 0; d < 3; ++d) {
        double mean = 0, variance = 1e-6;
        for (std::size_t i = 0; i < points.size(); ++i) mean += share[i][c] * points[i][d] / all;
        for (std::size_t i = 0; i < points.size(); ++i)
          variance += share[i][c] * std::pow(points[i][d] - mean, 2) / all;
        for (std::size_t i = 0; i < points.size(); ++i)
          log[i][c] -= std::log(variance) / 2 + std::pow(points[i][d] - mean, 2) / variance / 2;
      }
      for (auto& of : log) of[c] += std::log(all + 1);
    }
    for (std::size_t i = 0; i < points.size(); ++i)
      for (std::size_t c = 0; c < 2; ++c)
        share[i][c] = 1 / (1 + std::exp(log[i][1 - c] - log[i][c]));
  }
  for (const Lines& lines : run_example("gaussian_mixture", text, {"2"})) {
    REQUIRE(lines.size() == points.size());
    const std::size_t first = share[0][1] > 0.5, swap = lines[0].at(1) == "1" ? 1 - first : first;
    for (std::size_t i = 0; i < points.size(); ++i) {
      const std::size_t component = share[i][1] > 0.5;
      CHECK(lines[i].at(1) == std::to_string(component ^ swap));
      CHECK(std::stod(lines[i].at(2)) == Approx(share[i][component]).margin(1e-5));
    }
  }
}

TEST_CASE("L-BFGS ends where gradient descent ends", "[docs]") {
  const Rows rows = random_rows(700, 4);
  std::vector<double> labels;
  std::string text;
  std::mt19937 draw(5);
  for (const auto& x : rows) {
    labels.push_back(x[0] + 0.5 * x[1] + double(draw() % 9) / 4 - 1 > 0 ? 1 : 0);
    text += fmt::format("{} {} {} {} {}\n", labels.back(), x[0], x[1], x[2], x[3]);
  }
  std::vector<double> w(4, 0.0);
  for (int round = 0; round < 3000; ++round) {
    std::vector<double> slope = w;
    for (std::size_t i = 0; i < rows.size(); ++i)
      for (std::size_t f = 0; f < 4; ++f)
        slope[f] += (1 / (1 + std::exp(-dot(rows[i], w))) - labels[i]) * rows[i][f];
    for (std::size_t f = 0; f < 4; ++f) w[f] -= slope[f] / 700;
  }
  for (const Lines& lines : run_example("lbfgs", text)) {
    REQUIRE(lines.size() == 4);
    for (std::size_t f = 0; f < 4; ++f)
      CHECK(std::stod(lines[f].at(1)) == Approx(w[f]).margin(1e-6).epsilon(0));
  }
}

TEST_CASE("biases are those of turns in loops, at any staleness", "[docs]") {
  std::map<std::pair<int, int>, double> rated;
  for (const auto& [user, item] : random_edges(30, 250))
    rated[{user, item}] = (user * item) % 5 + 1;
  std::string text;
  std::map<int, double> users, items, of_user, of_item;
  for (const auto& [pair, rating] : rated) {
    text += fmt::format("{} {} {}\n", pair.first, pair.second, rating);
    ++of_user[pair.first], ++of_item[pair.second];
  }
  for (int round = 0; round < 1000; ++round) {
    std::map<int, double> sums;
    for (const auto& [pair, rating] : rated) sums[pair.first] += rating - items[pair.second];
    for (const auto& [user, sum] : sums) users[user] = sum / (of_user[user] + 1);
    sums.clear();
    for (const auto& [pair, rating] : rated) sums[pair.second] += rating - users[pair.first];
    for (const auto& [item, sum] : sums) items[item] = sum / (of_item[item] + 1);
  }
  const auto async = std::to_string(gas::Staleness::async);
  for (const std::string& staleness : {std::string("0"), std::string("2"), async})
    for (const Lines& lines : run_example("biases", text, {staleness})) {
      REQUIRE(lines.size() == users.size() + items.size());
      for (const auto& line : lines) {
        INFO(staleness << ": " << line[0] << ' ' << line[1]);
        const double bias = (line[0] == "user" ? users : items).at(std::stoi(line[1]));
        CHECK(std::stod(line[2]) == Approx(bias).margin(1e-5));
      }
    }
}
