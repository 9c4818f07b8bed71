#include "flags.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <charconv>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <vector>

#include "edgewise/core/error.hpp"
#include "edgewise/core/list.hpp"
#include "edgewise/io/number.hpp"
#include "edgewise/train/config/config.hpp"
#include "help.hpp"

namespace edgewise::app {
namespace {

/// The text parsed as JSON, or the text itself if it is not JSON: `--set model.preset=gat` needs no quotes.
json::Value json_or_text(const std::string& text) {
  try {
    return json::parse(text, "--set");
  } catch (const DataError&) {
    return text;
  }
}

/// Accepts finite numbers that are larger than `bound`.
CLI::Validator number_beyond(double bound, const char* expected) {
  const auto check = [bound, expected](const std::string& text) -> std::string {
    double value = 0;
    const bool is_fine = io::parse_number(text, value) == io::NumberFault::none && value > bound;
    return is_fine ? "" : fmt::format("expected {}, got \"{}\"", expected, text);
  };
  return CLI::Validator(check, "");
}

/// Members that few need: they have no flags, but `--set`.
constexpr std::string_view kWithoutFlag[] = {
    "data.label_kind",     "data.normalise_rows",      "data.pieces",
    "split.holdout",       "split.index",              "split.name",
    "training.average",    "training.clip_norm",       "training.label_smoothing",
    "training.optimiser",  "training.replace",         "training.schedule.warmup",
    "training.target_weights",
};

bool has_flag(std::string_view path) { return std::ranges::count(kWithoutFlag, path) == 0; }

/// The default of a member, as the help shows it: empty if it has none, or one that says nothing (false, or -1 for
/// "not set").
std::string default_at(const std::string& path) {
  static const json::Value kDefaults = train::to_json(train::Config());
  const json::Value* value = json::find_at(kDefaults, path);
  if (value == nullptr) return "";
  if (value->is_string()) return value->as_string();
  return value->is_number() && value->as_number() >= 0 ? json::dump(*value) : "";
}

/// The member at a path such as "training.reorder".
json::FieldDoc field_at(const std::vector<json::FieldDoc>& fields, std::string_view path) {
  const std::size_t end = path.find('.');
  const json::FieldDoc& field = *std::ranges::find(fields, path.substr(0, end), &json::FieldDoc::name);
  return end == std::string_view::npos ? field : field_at(field.fields, path.substr(end + 1));
}

}  // namespace

std::string spelling_of(std::string_view path) {
  return has_flag(path) ? train::flag_of(path) : fmt::format("--set {}", path);
}

std::string_view member_of_former_flag(std::string_view flag) {
  const auto* path = std::ranges::find(kWithoutFlag, flag, train::flag_of);
  return path == std::end(kWithoutFlag) ? "" : *path;
}

void set_dataset(const std::string& given, json::Value& config) {
  json::set_at(config, given.ends_with(kFrozenEnding) ? "data.frozen" : "data.dataset", given);
}

void start_group(CLI::App& verb, const std::string& heading) { verb.option_defaults()->group(heading); }

void add_examples(CLI::App& verb, std::initializer_list<const char*> commands, const std::string& note) {
  verb.footer(fmt::format("Examples:\n  {}{}{}", fmt::join(commands, "\n  "), note.empty() ? "" : "\n\n", note));
}

CLI::Validator integer_in(std::int64_t smallest, std::int64_t largest) {
  using Limits = std::numeric_limits<std::int64_t>;
  const auto check = [smallest, largest](const std::string& text) -> std::string {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool is_integer = error == std::errc() && end == text.data() + text.size();
    if (is_integer && value >= smallest && value <= largest) return "";
    const bool is_too_long = error == std::errc::result_out_of_range;
    const std::string range = largest < Limits::max()    ? fmt::format(" from {} to {}", smallest, largest)
                              : smallest > Limits::min() ? fmt::format(" of at least {}", smallest)
                              : is_too_long              ? " of at most 18 digits"
                                                         : "";
    return fmt::format("expected an integer{}, got \"{}\"", range, text);
  };
  return CLI::Validator(check, "");
}

CLI::Validator any_integer() { return integer_in(std::numeric_limits<std::int64_t>::min()); }

CLI::Validator any_number() { return number_beyond(-std::numeric_limits<double>::infinity(), "a number"); }

CLI::Validator number_above_0() { return number_beyond(0, "a number above 0"); }

CLI::Validator true_or_false() {
  const auto check = [](const std::string& text) -> std::string {
    try {
      CLI::detail::to_flag_value(text);
      return "";
    } catch (const std::invalid_argument&) {
      return fmt::format("expected true or false, got \"{}\"", text);
    }
  };
  return CLI::Validator(check, "");
}

void add_report_flag(CLI::App& verb, std::string& path) {
  const auto check = [](const std::string& text) -> std::string {
    if (text.empty() || text.ends_with(".html")) return "";
    return fmt::format("expected a file name ending in .html, got \"{}\"", text);
  };
  verb.add_option("--report", path, "Where to write everything about it on one page, with charts (.html)")
      ->check(CLI::Validator(check, ""));
}

CLI::Option* add_list(CLI::App& verb, const std::string& flag, const std::string& help,
                      const std::function<void(std::vector<std::string>)>& use) {
  const auto read = [flag, use](const std::vector<std::string>& texts) {
    std::vector<std::string> entries;
    for (const std::string& text : texts)
      try {
        for (std::string& entry : split_list(text)) entries.push_back(std::move(entry));
      } catch (const UsageError& error) {
        throw UsageError(fmt::format("{}: {}", flag, error.what()));
      }
    use(std::move(entries));
  };
  return verb.add_option_function<std::vector<std::string>>(flag, read, help)->allow_extra_args(false);
}

CLI::Option* ConfigFlags::text(const std::string& flag, const std::string& path, const std::string& help) {
  return verb_
      .add_option_function<std::string>(
          flag, [config = &config_, path](const std::string& value) { json::set_at(*config, path, value); }, help);
}

CLI::Option* ConfigFlags::integer(const std::string& flag, const std::string& path, const std::string& help) {
  return verb_
      .add_option_function<std::int64_t>(
          flag, [config = &config_, path](std::int64_t value) { json::set_at(*config, path, value); }, help)
      ->check(any_integer());
}

CLI::Option* ConfigFlags::number(const std::string& flag, const std::string& path, const std::string& help) {
  return verb_
      .add_option_function<double>(
          flag, [config = &config_, path](double value) { json::set_at(*config, path, value); }, help)
      ->check(any_number());
}

CLI::Option* ConfigFlags::list(const std::string& flag, const std::string& path, const std::string& help) {
  const auto set = [config = &config_, path](std::vector<std::string> values) {
    json::set_at(*config, path, std::move(values));
  };
  return add_list(verb_, flag, help, set);
}

CLI::Option* ConfigFlags::files(const std::string& flag, const std::string& path, const std::string& help) {
  const auto set = [config = &config_, path](const std::vector<std::string>& names) {
    std::vector<std::pair<std::string, std::string>> named;
    for (const std::string& name : names)
      if (auto one = parse_named_file(name)) named.push_back(std::move(*one));
    const bool are_named = !named.empty() && named.size() == names.size();
    json::set_at(*config, path,
                 are_named           ? json::Tables::write(FileList(named))
                 : names.size() == 1 ? json::Value(names.front())
                                     : json::Value(names));
  };
  return verb_.add_option_function<std::vector<std::string>>(flag, set, help)->allow_extra_args(false);
}

CLI::Option* ConfigFlags::targets(const std::string& flag, const std::string& path, const std::string& help) {
  return verb_
      .add_option_function<std::vector<std::string>>(
          flag,
          [config = &config_, path](const std::vector<std::string>& texts) {
            json::set_at(*config, path, fmt::format("{}", fmt::join(texts, ",")));
          },
          help)
      ->allow_extra_args(false);
}

CLI::Option* ConfigFlags::yes(const std::string& flag, const std::string& path, const std::string& help) {
  return verb_
      .add_flag_function(
          flag, [config = &config_, path](std::int64_t count) { json::set_at(*config, path, count > 0); }, help)
      ->check(true_or_false());
}

/// `=false` also overrides a file that says its graph is directed.
CLI::Option* ConfigFlags::direction(const std::string& flag, const std::string& help) {
  const auto set = [config = &config_](std::int64_t count) {
    json::set_at(*config, "data.directed", count > 0);
    json::set_at(*config, "data.undirected", count < 0);
  };
  return verb_.add_flag_function(flag, set, help)->check(true_or_false());
}

CLI::Option* ConfigFlags::option_of(const json::FieldDoc& field, const std::string& path) {
  const std::string flag(field.flag), help(field.doc);
  if (path == "data.target") return targets(flag, path, help);  // for molecules it is a list
  if (path == "data.directed") return direction(flag, help);
  switch (field.type) {
    case json::FieldType::boolean:
      return yes(flag, path, help);
    case json::FieldType::integer:
      return integer(flag, path, help);
    case json::FieldType::number:
      return number(flag, path, help);
    case json::FieldType::list:
      return list(flag, path, help);
    case json::FieldType::tables:
      return files(flag, path, help);
    case json::FieldType::text:
    case json::FieldType::file:
    case json::FieldType::folder:
    case json::FieldType::table:
      return text(flag, path, help);
    case json::FieldType::object:
      break;
  }
  return nullptr;
}

void ConfigFlags::add_field(const json::FieldDoc& field, const std::string& path) {
  if (!field.flag.empty() && has_flag(path))
    if (CLI::Option* option = option_of(field, path)) option->group(heading_of(path))->default_str(default_at(path));
  for (const json::FieldDoc& inner : field.fields) add_field(inner, fmt::format("{}.{}", path, inner.name));
}

void ConfigFlags::add(const std::string& path) {
  add_field(field_at(train::config_fields(), path), path);
}

void ConfigFlags::add_set_flag() {
  verb_
      .add_option_function<std::vector<std::string>>(
          "--set",
          [config = &config_](const std::vector<std::string>& settings) {
            for (const std::string& setting : settings) {
              const std::size_t equals = setting.find('=');
              if (equals == std::string::npos || equals == 0)
                throw UsageError("--set: expected path=value such as training.clip_norm=1, got \"" + setting + "\"");
              json::set_at(*config, setting.substr(0, equals), json_or_text(setting.substr(equals + 1)));
            }
          },
          "Any member of the configuration: path=value, the value as JSON or text")
      ->allow_extra_args(false)
      ->group("General");
}

}  // namespace edgewise::app
