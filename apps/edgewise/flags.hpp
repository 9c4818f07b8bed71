#pragma once

#include <CLI/App.hpp>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "edgewise/core/json_fields.hpp"

/// Flags that write into a configuration: each sets one member of a JSON object that is then merged over the recipe
/// and the config file.
namespace edgewise::app {

/// Sets the member at a path such as "training.schedule.kind"; makes the objects on the way.
void set_at(json::Value& root, const std::string& path, json::Value value);

/// An integer in [smallest, largest]; says so in one short line.
CLI::Validator integer_in(std::int64_t smallest, std::int64_t largest = std::numeric_limits<std::int64_t>::max());

/// A flag for a list: repeated, or with commas; what holds a comma is put in double quotes, as in CSV (`split_list`).
CLI::Option* add_list(CLI::App& verb, const std::string& flag, const std::string& help,
                      const std::function<void(std::vector<std::string>)>& use);

/// Binds flags of one verb to a configuration.
class ConfigFlags {
 public:
  ConfigFlags(CLI::App& verb, json::Value& config) : verb_(verb), config_(config) {}

  void text(const std::string& flag, const std::string& path, const std::string& help);
  void integer(const std::string& flag, const std::string& path, const std::string& help);
  void number(const std::string& flag, const std::string& path, const std::string& help);
  /// As `add_list`; a list even when it is one.
  void list(const std::string& flag, const std::string& path, const std::string& help);
  /// Text as it is; what is given again follows after a comma, and whoever reads it splits it (`split_list`).
  void targets(const std::string& flag, const std::string& path, const std::string& help);
  /// Present: true; `--flag=false`: false.
  void yes(const std::string& flag, const std::string& path, const std::string& help);

  /// The flags of a member of the configuration and of all below it, as train::config_fields has them: "data",
  /// "training.reorder".
  void add(const std::string& path);
  /// `--set path=json`: any member at all.
  void add_set_flag();

 private:
  void direction(const std::string& flag, const std::string& help);
  void add_field(const json::FieldDoc& field, const std::string& path);

  CLI::App& verb_;
  json::Value& config_;
};

}  // namespace edgewise::app
