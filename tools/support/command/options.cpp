#include "tools/support/command/options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <filesystem>

#include "gas/base/error.hpp"
#include "gas/base/suggestion.hpp"
#include "gas/base/text/parse_number.hpp"
#include "tools/support/command/help.hpp"
#include "tools/support/command/values.hpp"

namespace gas::tools {
namespace {

namespace fs = std::filesystem;

struct PrintAndEnd {
  std::string text;
};

std::string real_range(const RealRange& range) {
  const RealRange all;
  std::string text = "a number";
  if (range.least != all.least)
    text +=
        fmt::format(" {} {}", range.without_least ? "greater than" : "of at least", range.least);
  if (range.most != all.most)
    text += fmt::format("{} at most {}", range.least != all.least ? " and" : " of", range.most);
  return text;
}

}  // namespace

fs::path place_of(const std::string& path) {
  std::error_code ignored;
  return fs::weakly_canonical(fs::absolute(path, ignored), ignored);
}

Options::Options(std::string tool_name, Reports reports) : app_(std::make_unique<CLI::App>()) {
  app_->name(std::move(tool_name));
  app_->set_help_flag("-h,--help", "Print what the tool does and its main options, and end");
  app_->set_help_all_flag("--help-all", "Print all options and end");
  app_->set_version_flag("--version", app_->get_name() + " " + GAS_VERSION,
                         "Print the version and end");
  app_->option_defaults()->always_capture_default(false);
  if (reports == Reports::summary)
    choice("--summary", summary_, {"json"},
           "Print a summary of the run as one line on standard output");
  flag("--quiet", common.quiet, "Print no progress; errors and warnings are still printed");
}

Options::~Options() = default;

std::string Options::name() const { return app_->get_name(); }

void Options::describe(const std::string& purpose, const std::string& example,
                       const std::string& another) {
  app_->description(purpose);
  examples_ = {example};
  if (!another.empty()) examples_.push_back(another);
}

void Options::add_count(const std::string& names, std::uint64_t value, std::uint64_t least,
                        std::uint64_t most, std::function<void(std::uint64_t)> set,
                        const std::string& help) {
  const auto read = [=, set = std::move(set)](const std::string& found) {
    std::uint64_t number = 0;
    if (!parse_number(found, number) || number < least || number > most)
      // The largest number is named only where one with too many digits was found.
      refuse(names, found,
             most == std::numeric_limits<std::uint64_t>::max() &&
                     found.size() <= std::numeric_limits<std::uint64_t>::digits10
                 ? fmt::format("a whole number of at least {}", least)
                 : fmt::format("a whole number from {} to {}", least, most));
    set(number);
  };
  CLI::Option* option = app_->add_option_function<std::string>(names, read, help)->type_name("N");
  if (value >= least) option->default_str(std::to_string(value));
}

void Options::real(const std::string& names, double& value, RealRange range,
                   const std::string& help) {
  const auto read = [=, &value](const std::string& found) {
    double number = 0;
    if (!parse_number(found, number) || !std::isfinite(number) || number < range.least ||
        number > range.most || (range.without_least && number == range.least))
      refuse(names, found, real_range(range));
    value = number;
  };
  app_->add_option_function<std::string>(names, read, help)
      ->type_name("X")
      ->default_str(fmt::format("{}", value));
}

void Options::choice(const std::string& names, std::string& value, std::vector<std::string> choices,
                     const std::string& help) {
  const std::string listed = fmt::format("{} [{}]", help, fmt::join(choices, ", "));
  const auto read = [names, &value, choices = std::move(choices)](const std::string& found) {
    if (std::ranges::find(choices, found) == choices.end())
      refuse(names, found,
             fmt::format("{}{}{}", choices.size() > 1 ? "one of " : "", fmt::join(choices, ", "),
                         suggestion(found, choices)));
    value = found;
  };
  app_->add_option_function<std::string>(names, read, listed)
      ->type_name("NAME")
      ->default_str(value);
}

void Options::text(const std::string& names, std::string& value, const std::string& placeholder,
                   const std::string& help) {
  const auto read = [names, placeholder, &value](const std::string& found) {
    if (found.empty()) refuse(names, found, placeholder);
    value = found;
  };
  app_->add_option_function<std::string>(names, read, help)
      ->type_name(placeholder)
      ->default_str(value);
}

void Options::written_file(const std::string& names, std::string& value, const std::string& help) {
  text(names, value, "FILE", help);
  check([names, &value] {
    if (value == "-") refuse(names, value, "a file (for a file named -, write ./-)");
  });
  written_.push_back(&value);
}

void Options::flag(const std::string& names, bool& value, const std::string& help) {
  app_->add_flag_callback(
      names, [&value] { value = true; }, help);
}

void Options::argument(const std::string& name, std::string& value, const std::string& help) {
  app_->add_option(name, value, help)->type_name("");
  check([this, name] {
    if (!given(name)) throw UsageError(name + " is missing");
  });
}

void Options::printing(const std::string& names, std::function<std::string()> text,
                       const std::string& help) {
  app_->add_flag_callback(
      names, [text = std::move(text)] { throw PrintAndEnd{text()}; }, help);
}

void Options::require(const std::string& name) {
  const CLI::Option* option = app_->get_option(name);
  required_ += fmt::format(" {} {}", option->get_name(), option->get_type_name());
  check([this, name] {
    if (!given(name)) throw UsageError(name + " is missing");
  });
}

std::string Options::usage_line() const {
  if (!usage_.empty()) return usage_;
  std::string line = name();
  for (const CLI::Option* option : app_->get_options())
    if (option->get_positional()) line += " " + option->get_name(true);
  return line + required_ + " [options]";
}

void Options::needs(const std::string& name, const std::string& other) {
  check([=, this] {
    if (given(name) && !given(other)) throw UsageError(name + " needs " + other);
  });
}

bool Options::given(const std::string& name) const { return app_->get_option(name)->count() > 0; }

void Options::check(std::function<void()> rule) { rules_.push_back(std::move(rule)); }

void Options::summary_keys(std::vector<std::string> keys) { own_keys_ = std::move(keys); }

std::vector<std::string> Options::names() const {
  std::vector<std::string> names;
  for (const CLI::Option* option : app_->get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    for (const std::string& name : option->get_snames()) names.push_back("-" + name);
  }
  return names;
}

std::vector<std::pair<std::string, std::string>> Options::values() const {
  std::vector<std::pair<std::string, std::string>> values;
  for (const CLI::Option* option : app_->get_options()) {
    if (option == app_->get_help_ptr() || option == app_->get_help_all_ptr() ||
        option == app_->get_version_ptr())
      continue;
    const bool is_flag = option->get_items_expected_max() == 0;
    const std::string value = option->count() == 0 ? option->get_default_str()
                              : is_flag            ? "true"
                                        : fmt::format("{}", fmt::join(option->results(), " "));
    if (value.empty()) continue;
    values.emplace_back(option->get_name(), value);
  }
  return values;
}

std::vector<std::string> Options::given_paths() const {
  std::vector<std::string> paths;
  for (const CLI::Option* option : app_->get_options()) {
    const std::string type = option->get_type_name();
    const std::string name = option->get_name();
    const bool names_path = name == "INPUT" || type.find("FILE") != std::string::npos ||
                            type.find("DIR") != std::string::npos;
    if (names_path && name != "--output" && name != "--vertices")
      paths.insert(paths.end(), option->results().begin(), option->results().end());
  }
  for (const loaders::Declaration& vertices : common.vertices)
    if (!vertices.file.empty()) paths.push_back(vertices.file);
  return paths;
}

void Options::check_is_free(const std::string& path) const {
  std::error_code error;
  const bool exists = fs::is_regular_file(path, error);
  if (!exists && fs::exists(path, error)) return;  // a device, say
  const auto same = std::ranges::count_if(given_paths(), [&](const std::string& given) {
    if (!exists) return place_of(given) == place_of(path);
    if (fs::is_directory(given, error)) {
      if (given == common.checkpoint) return false;  // a run that goes on finds its log there
      const fs::path inside = fs::path(given) / fs::path(path).filename();
      return fs::equivalent(inside, path, error);
    }
    return fs::equivalent(given, path, error);
  });
  if (same > 1)
    throw UsageError(path +
                     ": the command line names this file twice, and this run would overwrite it: "
                     "choose another name");
}

Options::Parsed Options::parse(int argc, const char* const* argv) {
  command_.assign(argv, argv + argc);
  app_->allow_extras();  // so that we word the complaint
  try {
    app_->parse(argc, argv);
    std::vector<std::string> extras = app_->remaining();
    std::erase(extras, "--");  // behind which nothing is an option
    for (const std::string& extra : extras) {
      const std::string name = extra.substr(0, extra.find('='));
      if (extra.size() > 1 && extra[0] == '-')
        throw UsageError("unknown option " + name + suggestion(name, names()));
    }
    if (!extras.empty()) throw UsageError("unexpected argument '" + extras.front() + "'");
    for (const auto& rule : rules_) rule();
    const std::vector<std::string> paths = given_paths();
    const auto to_write = std::ranges::count(written_, "-", [](const auto* path) { return *path; });
    if (std::ranges::count(paths, "-") - to_write > 1)
      throw UsageError("found - twice, but standard input can be read only once");
    for (const std::string* path : written_)
      if (!path->empty()) check_is_free(*path);
  } catch (const CLI::CallForHelp&) {
    if (before_help_) before_help_();
    return {false, short_help_text(*app_, usage_line(), examples_)};
  } catch (const CLI::CallForAllHelp&) {
    if (before_help_) before_help_();
    return {false, help_text(*app_, usage_line(), examples_)};
  } catch (const CLI::CallForVersion& version) {
    return {false, std::string(version.what()) + "\n"};
  } catch (const PrintAndEnd& print) {
    return {false, print.text};
  } catch (const CLI::ArgumentMismatch& error) {
    const std::string name =
        std::string(error.what()).substr(0, std::string(error.what()).find(':'));
    const CLI::Option* option = app_->get_option_no_throw(name);
    if (option == nullptr) throw UsageError(error.what());
    if (option->count() > 1)
      throw UsageError(fmt::format("{} is given {} times", name, option->count()));
    throw UsageError(fmt::format("{}: found no value, expected {}", name, option->get_type_name()));
  } catch (const CLI::ParseError& error) {
    throw UsageError(error.what());
  }
  common.summary = !summary_.empty();
  return {};
}

}  // namespace gas::tools
