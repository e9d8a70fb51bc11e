#include "tools/support/report/page.hpp"

#include <fmt/format.h>

#include "tools/support/report/style.hpp"

namespace gas::tools::report {

std::string page(const std::string& heading, const std::string& lead,
                 const std::vector<Section>& sections) {
  std::string scripts, contents, body;
  for (std::size_t i = 0; i < sections.size(); ++i) {
    const Section& section = sections[i];
    scripts += section.script();
    const std::string title = escaped(section.title());
    contents += fmt::format("<li><a href=\"#s{}\">{}</a></li>\n", i, title);
    body += fmt::format(
        "<section id=\"s{0}\" aria-labelledby=\"h{0}\">\n<h2 id=\"h{0}\">{1}</h2>\n"
        "{2}</section>\n",
        i, title, section.body());
  }
  // Were there a way to slip an address in, the browser would load nothing from it.
  const char* const script_policy = scripts.empty() ? "" : "script-src 'unsafe-inline'; ";
  return fmt::format(
             "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
             "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
             "style-src 'unsafe-inline'; {}img-src data:; base-uri 'none'; form-action 'none'\">\n"
             "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
             "<meta name=\"color-scheme\" content=\"light dark\">\n<title>{}</title>\n"
             "<link rel=\"icon\" href=\"data:,\">\n<style>{}</style>\n</head>\n<body>\n",
             script_policy, escaped(heading), style) +
         fmt::format(
             "<header><h1>{}</h1>\n<p>{}</p>\n<nav aria-label=\"Contents\"><ul>\n{}"
             "</ul></nav></header>\n<main>\n",
             escaped(heading), escaped(lead), contents) +
         body + "</main>\n" +
         (scripts.empty() ? std::string() : fmt::format("<script>\n{}</script>\n", scripts)) +
         "</body>\n</html>\n";
}

}  // namespace gas::tools::report
