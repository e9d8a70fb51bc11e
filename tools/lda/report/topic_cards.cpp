#include "tools/lda/report/topic_cards.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <string_view>

namespace gas::tools {
namespace {

using report::Html;

constexpr double first_lambda = 0.6;  // which readers of topics found best (Sievert, Shirley)
constexpr double least_rem = 0.85, more_rem = 0.75;

/// The same order and sizes as card_words gives, for any λ.
constexpr std::string_view script = R"((function () {
  "use strict";
  const slider = document.getElementById("lambda");
  const said = document.getElementById("lambda-now");
  const lists = Array.from(document.querySelectorAll("ol.words"), function (list) {
    return { list: list, shown: Number(list.dataset.shown), words: Array.from(list.children) };
  });
  function show() {
    const lambda = Number(slider.value);
    said.textContent = lambda.toFixed(1);
    lists.forEach(function (topic) {
      const of = new Map();
      topic.words.forEach(function (word) {
        of.set(word, Number(word.dataset.p) - (1 - lambda) * Number(word.dataset.q));
      });
      const words = topic.words.slice().sort(function (a, b) { return of.get(b) - of.get(a); });
      const most = of.get(words[0]);
      const least = of.get(words[Math.min(topic.shown, words.length) - 1]);
      words.forEach(function (word, place) {
        const size = most > least ? (of.get(word) - least) / (most - least) : 1;
        word.hidden = place >= topic.shown;
        word.style.fontSize = (0.85 + 0.75 * Math.max(0, size)).toFixed(2) + "rem";
        topic.list.append(word);
      });
    });
  }
  slider.addEventListener("input", show);
  document.getElementById("relevance").hidden = false;
  show();
})();
)";

std::string card_words(const TopicCard& card, std::size_t shown) {
  std::vector<std::size_t> order(card.words.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto relevance = [&](std::size_t i) { return card.words[i].relevance(first_lambda); };
  std::ranges::stable_sort(order, std::greater<>(), relevance);
  std::string html = fmt::format("<ol class=\"words\" data-shown=\"{}\">", shown);
  if (order.empty()) return html + "</ol>";
  const double most = relevance(order.front());
  const double least = relevance(order[std::min(shown, order.size()) - 1]);
  for (std::size_t place = 0; place < order.size(); ++place) {
    const RelevantWord& word = card.words[order[place]];
    const double size = most > least ? (relevance(order[place]) - least) / (most - least) : 1;
    html += fmt::format(
        "<li data-p=\"{:.4f}\" data-q=\"{:.4f}\" style=\"font-size:{:.2f}rem\"{}>{}</li>",
        word.log_weight, word.log_share, least_rem + more_rem * std::max(0.0, size),
        place < shown ? "" : " hidden", report::name(card.names[order[place]]).text);
  }
  return html + "</ol>";
}

}  // namespace

report::Section topic_cards(const std::vector<TopicCard>& cards, std::size_t shown) {
  report::Section section("Topics");
  section.paragraph(
      "The most relevant words of each topic, the largest topics first. At λ = 1 words count by "
      "their share in the topic; the smaller λ is, the more by how much rarer they are elsewhere.");
  std::string html = fmt::format(
      "<div id=\"relevance\" class=\"relevance\" hidden><label for=\"lambda\">λ = <output "
      "id=\"lambda-now\" for=\"lambda\">{0}</output></label><input type=\"range\" id=\"lambda\" "
      "min=\"0\" max=\"1\" step=\"{1}\" value=\"{0}\"></div>\n<div class=\"topics\">\n",
      first_lambda, 1.0 / lambda_steps);
  for (const TopicCard& card : cards) {
    html += fmt::format("<article class=\"topic\"><h3>Topic {}</h3><p>{} of the tokens</p>{}",
                        card.topic, report::percent(card.share).text, card_words(card, shown));
    if (!card.documents.empty()) {
      html += "<p>Shown best by: ";
      for (std::size_t d = 0; d < card.documents.size(); ++d)
        html += (d > 0 ? ", " : "") + report::name(card.documents[d]).text;
      html += "</p>";
    }
    html += "</article>\n";
  }
  section.own({html + "</div>\n"}).script(script);
  return section;
}

}  // namespace gas::tools
