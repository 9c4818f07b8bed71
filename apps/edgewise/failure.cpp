#include "failure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <new>

#include "edgewise/core/error.hpp"

namespace edgewise::app {
namespace {

Failure failure_of(int code, std::string message) {
  while (!message.empty() && message.back() == '\n') message.pop_back();
  std::replace(message.begin(), message.end(), '\n', ' ');
  return {code, std::move(message)};
}

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
  } catch (const std::exception& error) {
    return failure_of(kUnexpected, error.what());
  }
}

int run_program(const std::string& name, const std::function<int()>& body) {
  try {
    return body();
  } catch (const std::exception&) {
    const Failure failure = current_failure();
    fmt::print(stderr, "{}: {}\n", name, failure.message);
    return failure.code;
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
  constexpr std::size_t kMost = 1024;
  const std::size_t threads = count_argument("THREADS", text);
  if (threads > kMost) throw UsageError(fmt::format("THREADS: expected at most {}, got {}", kMost, threads));
  return static_cast<int>(threads);
}

}  // namespace edgewise::app
