#include "failure.hpp"

#include <fmt/format.h>

#include <charconv>
#include <new>
#include <stdexcept>

#include "edgewise/core/error.hpp"
#include "edgewise/core/parallel.hpp"
#include "message.hpp"

namespace edgewise::app {
namespace {

Failure failure_of(int code, std::string_view message) { return {code, one_line(message)}; }

}  // namespace

Failure current_failure() {
  try {
    throw;
  } catch (const UsageError& error) {
    return failure_of(kUsage, error.what());
  } catch (const DataError& error) {
    return failure_of(kData, error.what());
  } catch (const ModelError& error) {
    return failure_of(kModel, error.what());
  } catch (const NumericalError& error) {
    return failure_of(kNumerical, error.what());
  } catch (const std::bad_alloc&) {
    return failure_of(kUnexpected, "out of memory");
  } catch (const std::length_error&) {  // a size beyond max_size()
    return failure_of(kUnexpected, "out of memory");
  } catch (const std::exception& error) {
    return failure_of(kUnexpected, error.what());
  } catch (...) {
    return failure_of(kUnexpected, "stopped for no known reason");
  }
}

int report_failure(std::string_view name, bool is_json) noexcept {
  try {
    const Failure failure = current_failure();
    say(fmt::format("{}: {}", name, failure.message));
    if (!is_json) return failure.code;
    json::Value object;
    object.set("schema", "edgewise.error/1");
    object.set("error", failure.message);
    object.set("exit_code", failure.code);
    try {
      print_json(object);
    } catch (const Error&) {  // already reported on standard error
    }
    return failure.code;
  } catch (...) {
    say("edgewise: out of memory");
    return kUnexpected;
  }
}

int run_program(const std::string& name, const std::function<int()>& body) {
  prepare_process();
  try {
    return body();
  } catch (...) {
    return report_failure(name, false);
  }
}

std::size_t count_argument(const std::string& name, const std::string& text) {
  std::size_t count = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, count);
  if (error == std::errc() && stop == end && count > 0) return count;
  throw UsageError(fmt::format("{}: expected an integer of at least 1, got \"{}\"", name, text));
}

int thread_argument(const std::string& text) {
  const std::size_t threads = count_argument("THREADS", text);
  if (threads > static_cast<std::size_t>(kMaxThreads))
    throw UsageError(fmt::format("THREADS: expected at most {}, got {}", kMaxThreads, threads));
  return static_cast<int>(threads);
}

}  // namespace edgewise::app
