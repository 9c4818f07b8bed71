#include "edgewise/core/version.hpp"

#include <fmt/format.h>

#include "edgewise/core/parallel.hpp"
#include "session.hpp"

namespace edgewise::app {

/// edgewise version: what was built, and how.
void add_version(CLI::App& app, Session& session) {
  CLI::App& verb = *app.add_subcommand("version", "Print the version, the compiler and the instructions in use");
  session.add_verb(verb, [&session] {
    json::Value object;
    object.set("schema", "edgewise.version/1");
    object.set("version", kVersion);
    object.set("compiler", fmt::format("g++ {}", __VERSION__));
#if defined(__AVX512F__)
    object.set("instructions", "AVX-512");
#elif defined(__AVX2__)
    object.set("instructions", "AVX2");
#else
    object.set("instructions", "baseline");
#endif
    object.set("threads", threads());
    session.print_result(fmt::format("edgewise {} ({}, {}, {} threads)", kVersion, object.at("compiler").as_string(),
                                     object.at("instructions").as_string(), threads()),
                         object);
    return kDone;
  });
}

}  // namespace edgewise::app
