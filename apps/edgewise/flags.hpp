#pragma once

#include <CLI/App.hpp>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "edgewise/core/json_fields.hpp"

/// Flags that set members of a configuration, a JSON object that is then merged over the recipe and the config file.
namespace edgewise::app {

/// Sets the member at a path such as "training.schedule.kind", creating the objects on the way.
void set_at(json::Value& root, const std::string& path, json::Value value);

/// Accepts an integer in [smallest, largest], with a one-line message otherwise.
CLI::Validator integer_in(std::int64_t smallest, std::int64_t largest = std::numeric_limits<std::int64_t>::max());

/// A flag for a list: repeated, or separated by commas. An entry that contains a comma goes in double quotes, as in CSV
/// (`split_list`).
CLI::Option* add_list(CLI::App& verb, const std::string& flag, const std::string& help,
                      const std::function<void(std::vector<std::string>)>& use);

/// Binds the flags of one verb to a configuration.
class ConfigFlags {
 public:
  ConfigFlags(CLI::App& verb, json::Value& config) : verb_(verb), config_(config) {}

  void text(const std::string& flag, const std::string& path, const std::string& help);
  void integer(const std::string& flag, const std::string& path, const std::string& help);
  void number(const std::string& flag, const std::string& path, const std::string& help);
  /// As `add_list`. A single entry is stored as a list, too.
  void list(const std::string& flag, const std::string& path, const std::string& help);
  /// Stored as text; repeated flags are joined with commas, and the reader splits them (`split_list`).
  void targets(const std::string& flag, const std::string& path, const std::string& help);
  /// True if present, false with `--flag=false`.
  void yes(const std::string& flag, const std::string& path, const std::string& help);

  /// Adds the flags of a configuration member such as "data" or "training.reorder" and of everything below it, as
  /// declared in train::config_fields.
  void add(const std::string& path);
  /// `--set path=json`, for any member.
  void add_set_flag();

 private:
  void direction(const std::string& flag, const std::string& help);
  void add_field(const json::FieldDoc& field, const std::string& path);

  CLI::App& verb_;
  json::Value& config_;
};

}  // namespace edgewise::app
