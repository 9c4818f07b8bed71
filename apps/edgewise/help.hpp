#pragma once

#include <CLI/App.hpp>
#include <span>
#include <string>
#include <string_view>

/// What `-h` and `--help` print.
namespace edgewise::app {

/// The heading of a member of the configuration in the help: "Molecules" for "data.smiles".
const char* heading_of(std::string_view path);

/// What to type for the options beside this one: "molecules" for those under the heading "Molecules".
std::string topic_of(const CLI::Option& option);

/// The help of the verb of `app` that was chosen, as asked for by `arguments`: with `-h` what most people need for the
/// data whose flags are given beside it, with `--help` everything, with `--help TOPIC` what stands under one heading.
/// Throws UsageError for a topic that the verb does not have.
std::string help_of(const CLI::App& app, CLI::App& verb, std::span<char*> arguments);

}  // namespace edgewise::app
