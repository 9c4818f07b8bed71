#include "help.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <iterator>
#include <utility>
#include <vector>

#include "edgewise/core/error.hpp"
#include "edgewise/core/list.hpp"
#include "edgewise/core/suggestion.hpp"
#include "edgewise/train/config/config.hpp"

namespace edgewise::app {
namespace {

using train::DataGroup;

constexpr const char *kNetworks = "Networks", *kMolecules = "Molecules", *kPairs = "Pairs",
                     *kCollections = "Collections of graphs, texts or images";
constexpr const char* kKindsOfData[] = {kNetworks, kMolecules, kCollections, kPairs};

/// The options that most people need, beside the verb's own.
constexpr std::string_view kMostNeeded[] = {
    "--out",     "--predictions", "--report",  "--edges",    "--nodes",          "--graph", "--directed",
    "--features", "--molecules",  "--smiles",  "--texts",    "--text",           "--grid",  "--graph-column",
    "--pairs",   "--label",       "--target",  "--task",     "--missing-labels", "--split", "--split-file",
    "--model",   "--runs",        "--budget",  "--epochs",   "--learning-rate",  "--seed",  "--threads",
    "--json",    "--set",
};
constexpr std::size_t kShort = 25;  // options that need no choice

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
    case DataGroup::frozen: return kNetworks;
    case DataGroup::molecules:
    case DataGroup::reactions: return kMolecules;
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

bool is_needed(const CLI::Option& option, const std::vector<std::string>& kinds) {
  const std::string& heading = option.get_group();
  if (is_kind_of_data(heading) && !kinds.empty() && std::ranges::count(kinds, heading) == 0) return false;
  return heading == "Options" || std::ranges::count(kMostNeeded, option.get_name()) > 0;
}

/// The kinds of data whose flags are given. A collection may have edges of its own.
std::vector<std::string> kinds_given(const CLI::App& verb) {
  std::vector<std::string> kinds;
  for (const CLI::Option* option : verb.get_options())
    if (option->count() > 0 && is_kind_of_data(option->get_group())) kinds.push_back(option->get_group());
  if (std::ranges::count(kinds, kCollections) > 0) kinds = {kCollections};
  return kinds;
}

template <class Keep>
void hide_others(CLI::App& verb, const Keep& keep) {
  for (CLI::Option* option : verb.get_options())
    if (!option->get_positional() && !keep(*option)) option->group("");  // CLI11 shows no option without a group
}

/// Without the second of two empty lines, which CLI11 puts between groups.
std::string squeezed(std::string text) {
  for (std::size_t at = text.find("\n\n\n"); at != std::string::npos; at = text.find("\n\n\n", at)) text.erase(at, 1);
  return text;
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

std::string short_help(const CLI::App& app, CLI::App& verb) {
  if (verb.get_options().size() <= kShort) return app.help();
  const std::vector<std::string> topics = topics_of(verb), kinds = kinds_given(verb);
  hide_others(verb, [&](const CLI::Option& option) { return is_needed(option, kinds); });
  return fmt::format("{}\nThese are the most needed flags. All: --help; those of a topic: --help TOPIC ({})",
                     squeezed(app.help()), fmt::join(topics, ", "));
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
