#include "help.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <iterator>
#include <span>
#include <sstream>
#include <utility>
#include <vector>

#include "edgewise/core/error.hpp"
#include "edgewise/core/suggestion.hpp"
#include "edgewise/train/config/config.hpp"

namespace edgewise::app {
namespace {

using train::DataGroup;

constexpr const char *kNetworks = "Networks", *kMolecules = "Molecules", *kPairs = "Pairs",
                     *kCollections = "Collections of graphs, texts or images";
constexpr const char* kKindsOfData[] = {kNetworks, kMolecules, kCollections, kPairs};

/// The flags that most people need, in the order of the short help, beside a verb's own.
constexpr std::string_view kSourcesOfAllKinds[] = {"--edges",     "--nodes", "--graph",
                                                   "--molecules", "--texts", "--pairs"};
constexpr std::string_view kOfNetworks[] = {"--edges", "--nodes", "--graph", "--directed", "--features"};
constexpr std::string_view kOfMolecules[] = {"--molecules", "--reactions", "--smiles", "--target", "--descriptors"};
constexpr std::string_view kOfCollections[] = {"--texts", "--text", "--nodes", "--graph-column", "--grid"};
constexpr std::string_view kOfPairs[] = {"--pairs", "--source-texts", "--target-texts"};
constexpr std::string_view kOfTraining[] = {"--label", "--task", "--split", "--model", "--runs", "--budget", "--seed"};
constexpr std::string_view kOfResults[] = {"--out", "--predictions", "--report", "--threads", "--json"};
constexpr std::size_t kFewOptions = 30;  // a verb with no more shows them all
constexpr std::size_t kExamples = 2;
constexpr std::size_t kNameWidth = 25, kDescriptionWidth = 84;

/// The kind of data that a source's name belongs to; null for a data set of the catalogue.
const char* kind_of_source(std::string_view member) {
  constexpr std::pair<std::string_view, const char*> kSources[] = {
      {"edges", kNetworks},          {"graph", kNetworks},       {"frozen", kNetworks}, {"molecules", kMolecules},
      {"reactions", kMolecules},     {"tu", kCollections},          {"texts", kCollections},    {"grid", kCollections},
      {"graph_column", kCollections}, {"sequence", kCollections}, {"pairs", kPairs},     {"source_texts", kPairs},
      {"target_texts", kPairs}};
  const auto* found = std::ranges::find(kSources, member, &std::pair<std::string_view, const char*>::first);
  return found == std::end(kSources) ? nullptr : found->second;
}

const char* kind_of(DataGroup group) {
  switch (group) {
    case DataGroup::nodes:
    case DataGroup::features:
    case DataGroup::component:
    case DataGroup::names:
    case DataGroup::unknown_nodes:
    case DataGroup::graph_attributes:
    case DataGroup::edge_columns:
    case DataGroup::edges:
    case DataGroup::kinds:
    case DataGroup::frozen: return kNetworks;
    case DataGroup::molecules:
    case DataGroup::reactions:
    case DataGroup::atoms:
    case DataGroup::mixtures: return kMolecules;
    case DataGroup::tu_labels:
    case DataGroup::collection: return kCollections;
    case DataGroup::pairs: return kPairs;
    case DataGroup::any:
    case DataGroup::source:
    case DataGroup::target:
    case DataGroup::tables:
    case DataGroup::labels: break;
  }
  return nullptr;
}

bool is_kind_of_data(const std::string& heading) { return std::ranges::count(kKindsOfData, heading) > 0; }

/// The kind of data whose flags are given; empty if there are none, or of several kinds. A collection may have edges.
std::string kind_given(const CLI::App& verb) {
  std::vector<std::string> kinds;
  for (const CLI::Option* option : verb.get_options())
    if (option->count() > 0 && is_kind_of_data(option->get_group())) kinds.push_back(option->get_group());
  if (std::ranges::count(kinds, kCollections) > 0) return kCollections;
  const bool is_one = !kinds.empty() && std::ranges::count(kinds, kinds.front()) == std::ssize(kinds);
  return is_one ? kinds.front() : "";
}

std::span<const std::string_view> flags_of_data(const std::string& kind) {
  if (kind == kNetworks) return kOfNetworks;
  if (kind == kMolecules) return kOfMolecules;
  if (kind == kCollections) return kOfCollections;
  if (kind == kPairs) return kOfPairs;
  return kSourcesOfAllKinds;
}

template <class Keep>
void hide_others(CLI::App& verb, const Keep& keep) {
  for (CLI::Option* option : verb.get_options())
    if (!option->get_positional() && !keep(*option)) option->group("");  // CLI11 shows no option without a group
}

std::vector<std::string> topics_of(const CLI::App& verb) {
  std::vector<std::string> topics;
  for (const CLI::Option* option : verb.get_options()) {
    std::string topic = topic_of(*option);
    const bool is_flag = option != verb.get_help_ptr() && !option->get_positional() && !topic.empty();
    if (is_flag && std::ranges::count(topics, topic) == 0) topics.push_back(std::move(topic));
  }
  return topics;
}

/// The flags of the short help. Those of `train` are left out for a verb that takes a model.
std::vector<const CLI::Option*> needed_options(const CLI::App& verb, const std::string& kind) {
  std::vector<const CLI::Option*> needed;
  const auto add = [&](const CLI::Option* option) {
    const bool is_shown = option != nullptr && option != verb.get_help_ptr() && !option->get_positional();
    if (is_shown && std::ranges::count(needed, option) == 0) needed.push_back(option);
  };
  const auto add_all = [&](std::span<const std::string_view> names) {
    for (const std::string_view name : names) add(verb.get_option_no_throw(std::string(name)));
  };
  const bool takes_model = verb.get_option_no_throw("model") != nullptr;
  if (verb.get_options().size() > kFewOptions) {
    add_all(flags_of_data(kind));
    if (!takes_model) add_all(kOfTraining);
  }
  for (const CLI::Option* option : verb.get_options()) {
    const bool is_own = option->get_group() == "Options" || (takes_model && option->get_group() == "Output");
    if (is_own || verb.get_options().size() <= kFewOptions) add(option);
  }
  add_all(kOfResults);
  return needed;
}

/// A description that fits into one line: its first part, and of a list the first words.
std::string first_line_of(const std::string& description) {
  std::string line = description.substr(0, description.find("; "));
  if (line.size() <= kDescriptionWidth) return line;
  const std::size_t end = line.rfind(", ", kDescriptionWidth - 5);
  return end == std::string::npos ? line : line.substr(0, end) + ", ...";
}

std::string line_of(const CLI::Option& option) {
  const bool takes_value = option.get_expected_max() > 0;
  const std::string name = option.get_name() + (takes_value ? " " + option.get_type_name() : "");
  return fmt::format("  {:<{}} {}\n", name, kNameWidth, first_line_of(option.get_description()));
}

/// The first examples of the verb that have flags of this kind of data, or else the first of all.
std::string examples_of(const CLI::App& verb, const std::string& kind) {
  std::vector<std::string> all, of_kind;
  std::istringstream footer(verb.get_footer());
  for (std::string line; std::getline(footer, line);) {
    if (!line.starts_with("  ")) continue;
    all.push_back(line);
    const auto names = [&](std::string_view flag) { return line.find(std::string(flag) + " ") != std::string::npos; };
    if (!kind.empty() && std::ranges::any_of(flags_of_data(kind), names)) of_kind.push_back(line);
  }
  std::vector<std::string>& shown = of_kind.empty() ? all : of_kind;
  shown.resize(std::min(shown.size(), kExamples));
  return shown.empty() ? "" : fmt::format("\nExamples:\n{}\n", fmt::join(shown, "\n"));
}

/// "Usage: edgewise train [OPTIONS] [dataset]"
std::string usage_of(const CLI::App& app) {
  const std::string whole = app.help();
  const std::size_t begin = whole.find("Usage: ");
  return whole.substr(begin, whole.find('\n', begin) - begin);
}

std::string short_help(const CLI::App& app, CLI::App& verb) {
  if (!verb.get_subcommands(nullptr).empty()) return app.help();
  const std::string kind = kind_given(verb);
  std::string text = fmt::format("{}\n{}\n\n", verb.get_description(), usage_of(app));
  for (const CLI::Option* option : needed_options(verb, kind)) text += line_of(*option);
  return fmt::format("{}{}\nAll flags: --help; those of a topic: --help TOPIC ({})", text, examples_of(verb, kind),
                     fmt::join(topics_of(verb), ", "));
}

std::string help_on(const CLI::App& app, CLI::App& verb, const std::string& topic) {
  const std::vector<std::string> topics = topics_of(verb);
  if (std::ranges::count(topics, topic) == 0)
    throw UsageError(fmt::format("--help: \"{}\" is no topic{}; there are {}", topic, did_you_mean(topic, topics),
                                 fmt::join(topics, ", ")));
  hide_others(verb, [&](const CLI::Option& option) { return topic_of(option) == topic; });
  return app.help();
}

}  // namespace

const char* heading_of(std::string_view path) {
  constexpr std::string_view kData = "data.";
  if (path.starts_with("data.encodings")) return "Positions in the graph as features";
  if (path.starts_with("split")) return "Splits";
  if (path.starts_with("training")) return "Training";
  if (!path.starts_with(kData)) return "Model";
  const std::string_view member = path.substr(kData.size());
  const char* kind = kind_of_source(member);
  if (kind == nullptr) kind = kind_of(train::group_of(member).value_or(DataGroup::any));
  return kind == nullptr ? "Data" : kind;
}

std::string topic_of(const CLI::Option& option) {
  const std::string& heading = option.get_group();
  std::string topic = heading.substr(0, heading.find_first_of(" :"));
  for (char& c : topic) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return topic;
}

std::string help_of(const CLI::App& app, CLI::App& verb, std::span<char*> arguments) {
  const auto asked = std::ranges::find_if(arguments, [](std::string_view word) { return word == "--help"; });
  if (asked == arguments.end()) return short_help(app, verb);
  const std::string topic = std::next(asked) == arguments.end() ? "" : *std::next(asked);
  if (topic.empty() || topic.starts_with('-')) return app.help();
  return help_on(app, verb, topic);
}

}  // namespace edgewise::app
