#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <optional>
#include <span>
#include <sstream>
#include <string_view>
#include <thread>

#include "edgewise/core/error.hpp"
#include "edgewise/core/input_file.hpp"
#include "edgewise/core/parallel.hpp"
#include "edgewise/core/setting.hpp"
#include "edgewise/core/suggestion.hpp"
#include "edgewise/core/version.hpp"
#include "edgewise/io/limits.hpp"
#include "edgewise/train/config/config.hpp"
#include "flags.hpp"
#include "help.hpp"
#include "session.hpp"

namespace edgewise::app {
namespace {

/// The verb that was chosen: the innermost one.
CLI::App& verb_of(CLI::App& app) {
  CLI::App* verb = &app;
  while (!verb->get_subcommands().empty()) verb = verb->get_subcommands().front();
  return *verb;
}

/// "edgewise data split".
std::string full_name(const CLI::App& verb) {
  return verb.get_parent() == nullptr ? verb.get_name() : full_name(*verb.get_parent()) + " " + verb.get_name();
}

/// Our flag for what other programs call `flag`; empty if there is none.
std::string_view flag_elsewhere(std::string_view flag) {
  constexpr std::pair<std::string_view, std::string_view> kFlags[] = {
      {"--lr", "--learning-rate"},      {"--wd", "--weight-decay"},       {"--l2", "--weight-decay"},
      {"--bs", "--batch-size"},         {"--batch", "--batch-size"},      {"--hidden-dim", "--hidden"},
      {"--hidden-size", "--hidden"},    {"--hidden-units", "--hidden"},   {"--hidden-channels", "--hidden"},
      {"--num-heads", "--heads"},       {"--n-heads", "--heads"},         {"--num-layers", "--layers"},
      {"--n-layers", "--layers"},       {"--num-epochs", "--epochs"},     {"--max-epochs", "--epochs"},
      {"--early-stopping", "--patience"}, {"--random-state", "--seed"},   {"--num-threads", "--threads"},
      {"--n-jobs", "--threads"},        {"--workers", "--threads"},       {"--output", "--out"},
      {"--attn-dropout", "--attention-dropout"}, {"--width", "--hidden"},
  };
  for (const auto& [theirs, ours] : kFlags)
    if (flag == theirs) return ours;
  return "";
}

/// An unknown argument as a flag is spelt: without a value, and with dashes.
std::string as_flag(const std::string& argument) {
  std::string flag = argument.substr(0, argument.find('='));
  std::ranges::replace(flag, '_', '-');
  return flag;
}

/// The flag of the verb that an unknown argument means; empty if there is none.
std::string meant_flag(const CLI::App& verb, const std::string& argument) {
  const std::string flag = as_flag(argument), ours(flag_elsewhere(flag));
  if (!ours.empty() && verb.get_option_no_throw(ours) != nullptr) return ours;
  std::vector<std::string> known;
  for (const CLI::Option* option : verb.get_options())
    for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
  return nearest_word(flag, known);
}

/// ` (did you mean "--learning-rate"?)`, or nothing.
std::string suggested_flag(const CLI::App& verb, const std::string& argument) {
  const std::string_view member = member_of_former_flag(as_flag(argument));
  if (!member.empty() && verb.get_option_no_throw("--set") != nullptr)
    return fmt::format(" (use --set {}=VALUE)", member);
  const std::string meant = meant_flag(verb, argument);
  return meant.empty() ? "" : fmt::format(" (did you mean \"{}\"?)", meant);
}

/// What is wrong with unknown arguments, with a "did you mean" suggestion.
std::string unexpected_arguments(CLI::App& app) {
  std::vector<std::string> unknown;
  for (const std::string& argument : app.remaining(true))
    unknown.push_back(fmt::format("\"{}\"{}", argument, suggested_flag(verb_of(app), argument)));
  return fmt::format("unexpected: {}", fmt::join(unknown, ", "));
}

/// What is missing: "expected a model file from edgewise train: edgewise predict MODEL ...", or "--out is needed".
std::string missing_argument(const CLI::App& verb, const std::string& name) {
  if (name == "A subcommand") return "a verb is needed";
  const CLI::Option* option = verb.get_option_no_throw(name);
  if (option == nullptr || !option->get_positional()) return fmt::format("{} is needed", name);
  std::string what = option->get_description(), word = name;
  if (what.size() > 1 && !std::isupper(static_cast<unsigned char>(what[1])))
    what[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(what[0])));
  std::ranges::transform(word, word.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return fmt::format("expected {}: {} {} ...", what, full_name(verb), word);
}

/// What is wrong with a flag that has no value, or more than it takes; `text` is what CLI11 says.
std::string wrong_number_of_values(const CLI::App& verb, const std::string& text) {
  const std::string name = text.substr(0, text.find(": "));
  const CLI::Option* option = verb.get_option_no_throw(name);
  if (text.ends_with("missing") || option == nullptr) return fmt::format("{}: expected a value", name);
  return fmt::format("{}: expected one value, got {}: {}", name, option->results().size(),
                     fmt::join(option->results(), ", "));
}

/// What is wrong with the arguments, in our own words.
std::string problem_of(CLI::App& app, const CLI::ParseError& error) {
  const std::string text = error.what();
  const auto kind = static_cast<CLI::ExitCodes>(error.get_exit_code());
  if (kind == CLI::ExitCodes::ExtrasError) return unexpected_arguments(app);
  if (kind == CLI::ExitCodes::RequiredError)
    return missing_argument(verb_of(app), text.substr(0, text.find(" is required")));
  if (kind == CLI::ExitCodes::ArgumentMismatch) return wrong_number_of_values(verb_of(app), text);
  return text;
}

/// "edgewise train --help", with the topic of the flag that an unknown one means.
std::string help_to_see(CLI::App& app, const CLI::ParseError& error) {
  const CLI::App& verb = verb_of(app);
  const std::string help = full_name(verb) + " --help";
  if (static_cast<CLI::ExitCodes>(error.get_exit_code()) != CLI::ExitCodes::ExtrasError) return help;
  const std::string meant = meant_flag(verb, app.remaining(true).front());
  return meant.empty() ? help : fmt::format("{} {}", help, topic_of(*verb.get_option(meant)));
}

/// Throws UsageError for an option with an empty value, such as `--out "$MODEL"` with a variable that is not set, and
/// for one without a value that is given twice, such as `--directed --directed=false`.
void check_values(const CLI::App& verb) {
  for (const CLI::Option* option : verb.get_options()) {
    if (std::ranges::count(option->results(), "") > 0)
      throw UsageError(fmt::format("{}: expected a value, got an empty one", option->get_name()));
    if (option->get_expected_max() == 0 && option->count() > 1)
      throw UsageError(fmt::format("{}: is given {} times; give it once", option->get_name(), option->count()));
  }
}

/// Throws UsageError if two things are to be read from standard input. (What is written there is no matter.)
void check_standard_input(const CLI::App& verb) {
  std::vector<std::string> readers;
  for (const CLI::Option* option : verb.get_options())
    if (option->get_name() != "--out")
      readers.insert(readers.end(), static_cast<std::size_t>(std::ranges::count(option->results(), kStandardInput)),
                     option->get_name());
  if (readers.size() > 1)
    throw UsageError(fmt::format("{} and {}: both are read from standard input (-), which can be only one of them; "
                                 "give the others as files, or as <(command)",
                                 readers[0], readers[1]));
}

/// Throws UsageError if the first of `arguments` should be a verb but is not, with a "did you mean" suggestion. Also
/// checks sub-verbs, as in `bench attention`.
void check_verb(const CLI::App& app, std::span<char*> arguments) {
  if (app.get_require_subcommand_min() == 0) return;
  std::vector<std::string> known;
  for (const CLI::App* one : app.get_subcommands(nullptr)) known.push_back(one->get_name());
  const std::string verb = arguments.empty() ? "" : arguments.front();
  const auto place = std::find(known.begin(), known.end(), verb);
  if (place != known.end())
    return check_verb(*app.get_subcommands(nullptr)[place - known.begin()], arguments.subspan(1));
  if (verb.starts_with('-') && app.get_parent() == nullptr) return;
  if (verb.empty() || verb.starts_with('-'))
    throw UsageError(fmt::format("{} needs a verb: {}", app.get_name(), fmt::join(known, ", ")));
  throw UsageError(
      fmt::format("\"{}\" is not a verb{}; there are {}", verb, did_you_mean(verb, known), fmt::join(known, ", ")));
}

/// Whether `--json` is among the arguments. Works even if they cannot be parsed.
bool wants_json(int argc, char** argv) {
  return std::any_of(argv + std::min(argc, 1), argv + argc,
                     [](const char* argument) { return std::string_view(argument) == "--json"; });
}

/// An argument as a shell takes it.
std::string shell_word(std::string_view argument) {
  constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+=:,./-";
  if (!argument.empty() && argument.find_first_not_of(kPlain) == std::string_view::npos) return std::string(argument);
  std::string word = "'";
  for (const char c : argument) word += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return word + "'";
}

std::string without_last_line_end(std::string text) {
  if (text.ends_with('\n')) text.pop_back();
  return text;
}

/// Reports a failure for all processes, and ends them. The first one alone is heard, unless it does not fail.
int end_job(const JobRanks& ranks, bool is_json) {
  if (!ranks.is_first()) std::this_thread::sleep_for(std::chrono::milliseconds(500));
  const int code = report_failure("edgewise", is_json);
  ranks.end_all(code);
  return code;
}

int run_among_ranks(Session& session) {
  const JobRanks ranks;
  session.ranks = &ranks;
  if (!ranks.are_several()) return session.run();
  std::optional<Quiet> quiet;
  if (!ranks.is_first()) quiet.emplace();
  try {
    const int code = session.run();
    if (code != kDone && !ranks.has_agreed()) ranks.end_all(code);
    return code;
  } catch (...) {
    quiet.reset();
    return end_job(ranks, session.is_json);
  }
}

int run(int argc, char** argv) {
  CLI::App app{"Train graph networks on networks and molecules, predict and explain, on the CPU", "edgewise"};
  app.set_version_flag("--version", std::string("edgewise ") + kVersion);
  app.require_subcommand(1);
  app.get_formatter()->column_width(36);
  Session session;
  session.command = "edgewise";
  for (int i = 1; i < argc; ++i) session.command += " " + shell_word(argv[i]);
  add_train(app, session);
  add_compare(app, session);
  add_tune(app, session);
  add_predict(app, session);
  add_serve(app, session);
  add_evaluate(app, session);
  add_explain(app, session);
  add_inspect(app, session);
  add_data(app, session);
  add_bench(app, session);
  add_version(app, session);
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    print_text(without_last_line_end(help_of(app, verb_of(app), {argv + 1, argv + argc})));
    return kDone;
  } catch (const CLI::Success& wish) {  // --version
    std::ostringstream text;
    const int code = app.exit(wish, text, text);
    print_text(without_last_line_end(text.str()));
    return code;
  } catch (const CLI::ParseError& error) {
    if (argc > 1) check_verb(app, {argv + 1, argv + argc});
    throw UsageError(fmt::format("{}; see {}", problem_of(app, error), help_to_see(app, error)));
  }
  check_values(verb_of(app));
  check_standard_input(verb_of(app));
  if (session.threads > 0) set_threads(session.threads);
  io::raise_limits(session.limit_factor);
  return run_among_ranks(session);
}

/// Exceptions that leave a function that may not throw, as some of CLI11 do without memory, are reported as all others.
[[noreturn]] void end_in_one_line() {
  if (!std::current_exception()) std::abort();
  std::_Exit(report_failure("edgewise", false));
}

}  // namespace
}  // namespace edgewise::app

int main(int argc, char** argv) {
  using namespace edgewise;
  app::prepare_process();
  std::set_terminate(app::end_in_one_line);
  name_settings(app::spelling_of);
  try {
    const CopiesOfPipes copies;
    return app::run(argc, argv);
  } catch (...) {
    return app::report_failure("edgewise", app::wants_json(argc, argv));
  }
}
