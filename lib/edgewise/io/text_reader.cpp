#include "edgewise/io/text_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "edgewise/core/observer.hpp"
#include "edgewise/core/text.hpp"

namespace edgewise::io {
namespace {

constexpr std::size_t kBufferBytes = std::size_t{1} << 20;

/// Written to be vectorised.
bool is_ascii_without_nul(const char* text, std::size_t size) {
  unsigned char high = 0;
  unsigned char nul = 0;
  for (std::size_t i = 0; i < size; ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    high |= byte;
    nul |= static_cast<unsigned char>(byte == 0);
  }
  return high < 0x80 && nul == 0;
}

/// Each byte is the character with its number.
std::string from_latin1(std::string_view text) {
  std::string utf8;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80) {
      utf8 += c;
    } else {
      utf8 += static_cast<char>(0xC0U | (byte >> 6U));
      utf8 += static_cast<char>(0x80U | (byte & 0x3FU));
    }
  }
  return utf8;
}

}  // namespace

std::string quote(std::string_view text) {
  constexpr std::size_t kMaxCharacters = 40;
  return '"' + printable(text, kMaxCharacters) + '"';
}

TextReader::TextReader(std::string path, std::uint64_t longest_line, OtherText other_text)
    : source_(std::move(path)),
      step_(fmt::format("reading {}", source_.path())),
      longest_line_(longest_line),
      other_text_(other_text),
      buffer_(kBufferBytes) {}

bool TextReader::next(std::string_view& line) {
  for (;;) {
    const auto* found = static_cast<const char*>(std::memchr(buffer_.data() + searched_, '\n', end_ - searched_));
    if (found == nullptr) {
      searched_ = end_;
      if (refill()) continue;
      if (begin_ == end_) return false;
    }
    const std::size_t line_end = found == nullptr ? end_ : static_cast<std::size_t>(found - buffer_.data());
    line = {buffer_.data() + begin_, line_end - begin_};
    begin_ = searched_ = found == nullptr ? end_ : line_end + 1;
    is_terminated_ = found != nullptr;
    ++line_number_;
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    if (line_number_ == 1) check_line_ends(line);
    if (!is_plain_ascii_) line = checked(line);
    return true;
  }
}

TextStart TextReader::start(std::size_t bytes) {
  const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(bytes, longest_line_));
  while (end_ - begin_ < wanted && refill()) {
  }
  std::string_view text(buffer_.data() + begin_, end_ - begin_);
  if (at_end_ && text.size() <= bytes) return {std::string(text), true};
  text = text.substr(0, bytes);
  return {std::string(text.substr(0, text.rfind('\n') + 1)), false};
}

/// Reads more after the unfinished line; false at the end of the file.
bool TextReader::refill() {
  if (at_end_) return false;
  const bool is_start = line_number_ == 0 && end_ == 0;
  std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
  searched_ -= begin_;
  end_ -= begin_;
  begin_ = 0;
  if (end_ >= longest_line_ && line_number_ == 0) check_line_ends({buffer_.data(), end_});
  if (end_ >= longest_line_)
    throw DataError({path(), line_number_ + 1, 0},
                    fmt::format("the line is longer than {} MiB; is this the right file?", longest_line_ >> 20));
  if (end_ == buffer_.size()) buffer_.resize(2 * buffer_.size());
  const std::size_t count = source_.read(buffer_.data() + end_, buffer_.size() - end_);
  report_step(step_, static_cast<double>(source_.raw_bytes()), static_cast<double>(source_.size()));
  end_ += count;
  at_end_ = count == 0;
  is_plain_ascii_ = is_ascii_without_nul(buffer_.data(), end_);
  if (is_start) check_start();
  return !at_end_;
}

void TextReader::check_start() {
  // Three bytes are needed; a pipe may deliver fewer at once.
  while (end_ < 3) {
    const std::size_t count = source_.read(buffer_.data() + end_, buffer_.size() - end_);
    if (count == 0) break;
    end_ += count;
    is_plain_ascii_ = is_ascii_without_nul(buffer_.data(), end_);
  }
  const std::string_view start(buffer_.data(), end_);
  if (start.substr(0, 2) == "\xff\xfe" || start.substr(0, 2) == "\xfe\xff")
    throw DataError(fmt::format("{}: expected UTF-8 text, this is UTF-16; save it as UTF-8", path()));
  if (start.substr(0, 3) == "\xef\xbb\xbf") begin_ = searched_ = 3;
}

/// `line` is the first one. A carriage return in quotes is part of a text.
void TextReader::check_line_ends(std::string_view line) const {
  const std::size_t end = line.find('\r');
  if (end == std::string_view::npos || line.find_first_not_of('\r', end) == std::string_view::npos) return;
  if (std::ranges::count(line.substr(0, end), '"') % 2 == 0)
    throw DataError(fmt::format("{}: lines end with carriage returns only, as on an old Mac; expected line feeds",
                                path()));
}

std::string_view TextReader::checked(std::string_view line) {
  if (is_ascii_without_nul(line.data(), line.size())) return line;
  if (const std::size_t nul = line.find('\0'); nul != std::string_view::npos)
    throw DataError({path(), line_number_, nul + 1}, "a NUL byte: expected UTF-8 text, this looks binary or UTF-16");
  const std::size_t invalid = find_invalid_utf8(line);
  if (invalid == std::string_view::npos) return line;
  if (other_text_ == OtherText::is_latin1) {
    converted_ = from_latin1(line);
    return converted_;
  }
  throw DataError({path(), line_number_, invalid + 1},
                  fmt::format("line {} is not UTF-8 (byte 0x{:02x}); save the file as UTF-8", line_number_,
                              static_cast<unsigned char>(line[invalid])));
}

std::string read_text(const std::string& path) {
  const std::uint64_t longest = limits().text_bytes;
  TextReader reader(path, longest);
  std::string text;
  std::string_view line;
  while (reader.next(line)) {
    if (text.size() + line.size() >= longest)
      throw DataError({path, reader.line_number(), 0},
                      fmt::format("the text is longer than {} MiB, which is held in memory", longest >> 20));
    text += line;
    text += '\n';
  }
  return text;
}

}  // namespace edgewise::io
