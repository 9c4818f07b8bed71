#include "message.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <limits>
#include <optional>

#include "edgewise/core/error.hpp"
#include "edgewise/core/text.hpp"

namespace edgewise::app {
namespace {

constexpr std::size_t kLongestLine = 2000;

/// Returns 0, or errno if not everything could be written.
int write_all(int descriptor, std::string_view text) noexcept {
  while (!text.empty()) {
    const ::ssize_t count = ::write(descriptor, text.data(), text.size());
    if (count >= 0)
      text.remove_prefix(static_cast<std::size_t>(count));
    else if (errno != EINTR)
      return errno;
  }
  return 0;
}

void print(const std::string& text) {
  if (const int error = write_all(STDOUT_FILENO, text); error != 0)
    throw DataError(fmt::format("standard output: writing failed: {}", std::strerror(error)));
}

/// Escapes the invisible characters that JSON allows unescaped; those beyond U+FFFF as two surrogates.
std::string escape_invisible(std::string_view json) {
  std::string escaped;
  while (!json.empty()) {
    const std::size_t length = std::max<std::size_t>(utf8_length(json), 1);
    const std::optional<char32_t> invisible = invisible_start(json);
    if (!invisible)
      escaped += json.substr(0, length);
    else if (const auto code = static_cast<std::uint32_t>(*invisible); code <= 0xffff)
      escaped += fmt::format("\\u{:04x}", code);
    else
      escaped += fmt::format("\\u{:04x}\\u{:04x}", 0xd7c0 + (code >> 10), 0xdc00 + (code & 0x3ff));
    json.remove_prefix(length);
  }
  return escaped;
}

}  // namespace

void prepare_process() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(descriptor, F_GETFD) >= 0 || errno != EBADF) continue;
    // open() takes the lowest free number, which is this one. Read-only, so that writing a result to it is an error.
    if (::open("/dev/null", O_RDONLY) < 0) return;
  }
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
}

std::string one_line(std::string_view text) {
  while (!text.empty() && text.back() == '\n') text.remove_suffix(1);
  std::string line(text);
  std::replace(line.begin(), line.end(), '\n', ' ');
  return printable(line, kLongestLine);
}

void say(std::string_view line) noexcept {
  try {
    write_error(one_line(line) + '\n');
  } catch (...) {  // not enough memory for the line
    write_error("edgewise: out of memory\n");
  }
}

void write_error(std::string_view text) noexcept { write_all(STDERR_FILENO, text); }

void print_text(std::string_view text) { print(printable(text, std::numeric_limits<std::size_t>::max(), "\n") + '\n'); }

void print_data(std::string_view text) {
  const bool is_terminal = ::isatty(STDOUT_FILENO) == 1;
  print(is_terminal ? printable(text, std::numeric_limits<std::size_t>::max(), "\n") : std::string(text));
}

void print_json(const json::Value& object) { print(escape_invisible(json::dump(object)) + '\n'); }

}  // namespace edgewise::app
