#include "edgewise/core/version.hpp"

#include <fmt/format.h>

#include "edgewise/core/parallel.hpp"
#include "edgewise/core/text.hpp"
#include "edgewise/core/vector_instructions.hpp"
#include "session.hpp"

namespace edgewise::app {

/// edgewise version: prints what was built, and how.
void add_version(CLI::App& app, Session& session) {
  CLI::App& verb = *app.add_subcommand("version", "Print the version, the compiler and the instructions in use");
  session.add_verb(verb, [&session] {
    json::Value object;
    object.set("schema", "edgewise.version/1");
    object.set("version", kVersion);
    object.set("compiler", fmt::format("g++ {}", __VERSION__));
    object.set("instructions", vector_instructions());
    object.set("threads", threads());
    session.print_result(fmt::format("edgewise {} ({}, {}, {})", kVersion, object.at("compiler").as_string(),
                                     object.at("instructions").as_string(),
                                     counted(static_cast<std::size_t>(threads()), "thread")),
                         object);
    return kDone;
  });
}

}  // namespace edgewise::app
