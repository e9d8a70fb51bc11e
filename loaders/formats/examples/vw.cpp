// Text of Vowpal Wabbit: `label 'tag|namespace[:scale] feature[:value] …|namespace …`. A feature is
// named `namespace^feature`, without a namespace `feature`; it counts 1 without a value, and its
// value is multiplied by the scale. The tag is skipped; an importance weight other than 1, and
// initial predictions, are refused. Either all lines have a label or none.
#include <algorithm>
#include <cmath>
#include <utility>

#include "loaders/formats/examples/examples.hpp"
#include "loaders/ids/hashed.hpp"
#include "loaders/ids/numbering.hpp"
#include "loaders/text/table.hpp"

namespace gas::loaders::detail {
namespace {

using View = std::string_view;

bool is_example(View line) { return line.find_first_not_of(" \t") != View::npos; }

/// Up to a blank or '|'; taken off `rest`.
View take_token(View& rest) {
  const View token = rest.substr(0, rest.find_first_of(" \t|"));
  rest.remove_prefix(token.size());
  return token;
}

void skip_blanks(View& rest) {
  rest.remove_prefix(std::min(rest.size(), rest.find_first_not_of(" \t")));
}

double number_in(View token, const char* expected) {
  return parse_field({token}, expected,
                     [&](Scanner& scanner) { return scanner.real<double>(expected); });
}
RoundedNumber rounded_in(View token, const char* expected) {
  return parse_field({token}, expected,
                     [&](Scanner& scanner) { return scanner.rounded(expected); });
}

/// What is in front of the first '|'.
struct Head {
  bool labelled = false;
  double label = 0;
};

Head read_head_of(View& rest) {
  Head head;
  const std::size_t bar = rest.find('|');
  if (bar == View::npos)
    throw BadText{rest.data() + rest.size(), "the end of the line",
                  "'|' and the features after it, as in VW"};
  View before = rest.substr(0, bar);
  rest.remove_prefix(bar);
  for (int i = 0;; ++i) {
    skip_blanks(before);
    if (before.empty()) return head;
    const View token = take_token(before);
    const auto refuse = [&](const char* expected) {
      throw BadText{token.data(), quoted(token), expected};
    };
    if (token.starts_with('\'')) {
      skip_blanks(before);
      if (!before.empty()) refuse("'|' after the tag");
      return head;
    }
    if (before.empty()) refuse("a blank before '|', or a tag that begins with '");
    if (i == 0) {
      head = {true, number_in(token, "a label (a finite number)")};
    } else if (i == 1) {
      constexpr const char* importance =
          "an importance weight of 1, or none: others are not supported";
      if (number_in(token, importance) != 1) refuse(importance);
    } else {
      refuse("'|': initial predictions are not supported");
    }
  }
}

/// `row_of` gives the row of a feature by its name.
template <class RowOf>
class Reader {
 public:
  Reader(bool labelled, const char* expected_label, RowOf row_of)
      : labelled_(labelled), expected_label_(expected_label), row_of_(std::move(row_of)) {}

  Examples parse(View text) {
    const std::size_t most = text.size() / 2;  // " a"
    Examples block;
    block.make_room(most);
    block.labels = PageArray<double>(labelled_ ? most + 1 : 0);  // "1 |\n"
    std::size_t size = 0;
    while (!text.empty()) {
      View line = take_line(text);
      refuse_returns(line);
      if (!is_example(line)) continue;
      const char* const begin = line.data() + line.find_first_not_of(" \t");
      const Head head = read_head_of(line);
      if (head.labelled != labelled_)
        throw BadText{begin, head.labelled ? "a label" : "no label", expected_label_};
      if (labelled_) block.labels.data()[block.rows] = head.label;
      read_features(line, [&](std::uint32_t feature, RoundedNumber number) {
        block.row.data()[size] = static_cast<std::uint32_t>(block.rows);
        block.column.data()[size] = feature;
        block.put(size, number);
        ++size;
      });
      ++block.rows;
    }
    block.cut(size);
    block.labels.cut(labelled_ ? static_cast<std::size_t>(block.rows) : 0);
    return block;
  }

 private:
  template <class Take>
  void read_features(View rest, Take take) {
    RoundedNumber scale{1, 1};
    while (!rest.empty()) {
      if (rest.front() == '|') {
        rest.remove_prefix(1);
        const View token = take_token(rest);
        const std::size_t colon = std::min(token.size(), token.find(':'));
        name_.assign(token.substr(0, colon));
        if (colon > 0) name_ += '^';
        prefix_ = name_.size();
        scale = colon == token.size()
                    ? RoundedNumber{1, 1}
                    : rounded_in(token.substr(colon + 1), "a number that scales the values");
      } else {
        const View token = take_token(rest);
        const std::size_t colon = std::min(token.size(), token.find(':'));
        if (colon == 0) throw BadText{token.data(), quoted(token), "FEATURE or FEATURE:VALUE"};
        if (const std::size_t nul = token.find('\0'); nul != View::npos)
          throw BadText{token.data() + nul, "a NUL byte", "a feature"};
        name_.resize(prefix_);
        name_ += token.substr(0, colon);
        RoundedNumber number =
            colon == token.size()
                ? RoundedNumber{1, 1}
                : rounded_in(token.substr(colon + 1), "a finite number, the feature's value");
        number = {scale.value * number.value, scale.exact * number.exact};
        if (!std::isfinite(number.value))
          throw BadText{token.data(), quoted(token),
                        "a value that is finite after it is multiplied by its namespace's scale"};
        take(row_of_(name_), number);
      }
      skip_blanks(rest);
    }
  }

  bool labelled_;
  const char* expected_label_;  // where a line has one, or none, other than it should
  RowOf row_of_;
  std::string name_;        // namespace^feature
  std::size_t prefix_ = 0;  // up to behind '^'
};

}  // namespace

std::function<Examples(View)> hashing_vw_parser(unsigned bits) {
  return [reader = Reader(true, "a label", [bits](View name) { return hashed(name, bits); })](
             View text) mutable { return reader.parse(text); };
}

LoadedGraph read_vw(Communicator& comm, TextInput& input, const GraphOptions& options) {
  int labelled = -1;  // no example yet
  for (;;) {
    input.look_ahead(1, is_example, [&](std::span<const Line> lines) {
      if (lines.empty()) return;
      View line = lines[0].text;
      labelled = read_head_of(line).labelled ? 1 : 0;
    });
    labelled = broadcast(comm, std::span<const int>(&labelled, 1))[0];
    if (labelled >= 0 || input.last_file()) break;
    input.each_text(1, [](std::size_t, View) {});
    input.next_file();
  }
  // On one thread: features are numbered as they come.
  Interner<Names> features;
  Reader reader(labelled != 0,
                labelled != 0 ? "one, as in the first line" : "none, as in the first line",
                [&](View name) { return features.intern(name); });
  std::vector<Examples> blocks;
  do {
    add_blocks(blocks, input, 1, [&](View text) { return reader.parse(text); });
  } while (input.next_file());
  Numbering numbering = number_rows(comm, features.take());
  for (Examples& block : blocks)
    for (std::uint32_t& column : block.column.view()) column = numbering.row_of[column];
  LoadedGraph graph;
  graph.target_ids = std::move(numbering.ids);
  graph.shape.targets = graph.target_ids.rows();
  take_examples(comm, input, options.threads, blocks, graph);
  graph.source_ids = RowIds(graph.shape.sources, 1, 1);
  return graph;
}

}  // namespace gas::loaders::detail
