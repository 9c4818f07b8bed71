#include <fmt/format.h>

#include <algorithm>
#include <new>

#include "edgewise/core/error.hpp"
#include "edgewise/core/parallel.hpp"
#include "edgewise/core/version.hpp"
#include "session.hpp"

namespace edgewise::app {
namespace {

/// One line, whatever the message holds.
int fail(int code, std::string message) {
  while (!message.empty() && message.back() == '\n') message.pop_back();
  std::replace(message.begin(), message.end(), '\n', ' ');
  fmt::print(stderr, "edgewise: {}\n", message);
  return code;
}

int run(int argc, char** argv) {
  CLI::App app{"Graph attention along the edges, on the CPU", "edgewise"};
  app.set_version_flag("--version", std::string("edgewise ") + kVersion);
  app.require_subcommand(1);
  app.get_formatter()->column_width(36);
  Session session;
  add_train(app, session);
  add_predict(app, session);
  add_evaluate(app, session);
  add_explain(app, session);
  add_inspect(app, session);
  add_data(app, session);
  add_version(app, session);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& wish) {  // --help and --version
    return app.exit(wish);
  } catch (const CLI::ParseError& error) {
    const bool is_alone = argc < 2;
    return fail(kUsage, is_alone ? "a verb is needed; see edgewise --help" : std::string(error.what()));
  }
  if (session.threads > 0) set_threads(session.threads);
  return session.run();
}

}  // namespace
}  // namespace edgewise::app

int main(int argc, char** argv) {
  using namespace edgewise;
  try {
    return app::run(argc, argv);
  } catch (const UsageError& error) {
    return app::fail(app::kUsage, error.what());
  } catch (const DataError& error) {
    return app::fail(app::kData, error.what());
  } catch (const ModelError& error) {
    return app::fail(app::kModel, error.what());
  } catch (const NumericalError& error) {
    return app::fail(app::kNumerical, error.what());
  } catch (const std::bad_alloc&) {
    return app::fail(app::kUnexpected, "out of memory");
  } catch (const std::exception& error) {
    return app::fail(app::kUnexpected, error.what());
  }
}
