#pragma once

#include <fmt/format.h>

#include <CLI/App.hpp>
#include <algorithm>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "edgewise/core/error.hpp"
#include "edgewise/core/json_fields.hpp"

/// Flags that set members of a configuration, a JSON object that is then merged over the recipe and the config file.
namespace edgewise::app {

/// Accepts an integer in [smallest, largest], with a one-line message otherwise.
CLI::Validator integer_in(std::int64_t smallest, std::int64_t largest = std::numeric_limits<std::int64_t>::max());
/// Accepts any integer of 64 bits.
CLI::Validator any_integer();
/// Accepts a finite number.
CLI::Validator any_number();
/// Accepts a finite number above 0.
CLI::Validator number_above_0();
/// Accepts what may follow a flag after "=".
CLI::Validator true_or_false();

/// A flag for a list: repeated, or separated by commas. An entry that contains a comma goes in double quotes, as in CSV
/// (`split_list`).
CLI::Option* add_list(CLI::App& verb, const std::string& flag, const std::string& help,
                      const std::function<void(std::vector<std::string>)>& use);

/// Throws UsageError for an item that is there twice: "--models: expected each model once, got "gat" twice".
template <class Item>
void check_once(std::string_view flag, std::string_view what, const std::vector<Item>& items) {
  for (auto item = items.begin(); item != items.end(); ++item) {
    if (std::find(items.begin(), item, *item) == item) continue;
    constexpr const char* kQuote = std::is_arithmetic_v<Item> ? "" : "\"";
    throw UsageError(fmt::format("{}: expected each {} once, got {}{}{} twice", flag, what, kQuote, *item, kQuote));
  }
}

/// --report, the path of a page.
void add_report_flag(CLI::App& verb, std::string& path);

/// The options that are added to `verb` from here on are listed under `heading` in its help.
void start_group(CLI::App& verb, const std::string& heading);

/// How the name of a frozen network ends, which is given in place of a data set of the catalogue.
inline constexpr const char* kFrozenEnding = ".edgewise";

/// How messages name a member of a configuration: by its flag, or as "--set training.clip_norm" if few need it, so that
/// verbs have no flag for it.
std::string spelling_of(std::string_view path);

/// The member that a flag of earlier releases sets, such as "training.clip_norm"; empty if it is none of these.
std::string_view member_of_former_flag(std::string_view flag);

/// Has `config` name what is given in place of flags: a data set of the catalogue, or a frozen network.
void set_dataset(const std::string& given, json::Value& config);

/// Ends the help of `verb` with examples, one command per line, and a note.
void add_examples(CLI::App& verb, std::initializer_list<const char*> commands, const std::string& note = "");

/// The note of verbs that train: which defaults their help shows.
inline constexpr const char* kWhichDefaults =
    "Defaults are those for the nodes of one graph; edgewise train --print-config shows the ones for your data.";

/// Binds the flags of one verb to a configuration. In the help they are listed by section of the configuration, with
/// the defaults of `train::Config`.
class ConfigFlags {
 public:
  ConfigFlags(CLI::App& verb, json::Value& config) : verb_(verb), config_(config) {}

  CLI::Option* text(const std::string& flag, const std::string& path, const std::string& help);
  CLI::Option* integer(const std::string& flag, const std::string& path, const std::string& help);
  CLI::Option* number(const std::string& flag, const std::string& path, const std::string& help);
  /// As `add_list`. A single entry is stored as a list, too.
  CLI::Option* list(const std::string& flag, const std::string& path, const std::string& help);
  /// The name of a file each time; several are stored as a list.
  CLI::Option* files(const std::string& flag, const std::string& path, const std::string& help);
  /// Stored as text; repeated flags are joined with commas, and the reader splits them (`split_list`).
  CLI::Option* targets(const std::string& flag, const std::string& path, const std::string& help);
  /// True if present, false with `--flag=false`.
  CLI::Option* yes(const std::string& flag, const std::string& path, const std::string& help);

  /// Adds the flags of a configuration member such as "data" or "training.reorder" and of everything below it, as
  /// declared in train::config_fields.
  void add(const std::string& path);
  /// `--set path=json`, for any member.
  void add_set_flag();

 private:
  CLI::Option* direction(const std::string& flag, const std::string& help);
  CLI::Option* option_of(const json::FieldDoc& field, const std::string& path);
  void add_field(const json::FieldDoc& field, const std::string& path);

  CLI::App& verb_;
  json::Value& config_;
};

}  // namespace edgewise::app
