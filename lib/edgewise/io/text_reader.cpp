#include "edgewise/io/text_reader.hpp"

#include <fmt/format.h>

#include <cstring>

namespace edgewise::io {
namespace {

constexpr std::size_t kBufferBytes = std::size_t{1} << 20;
constexpr std::size_t kLongestLine = std::size_t{1} << 28;

/// Written so that it vectorises.
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

bool is_continuation(unsigned char byte) { return (byte & 0xc0) == 0x80; }

/// Length of the sequence at `text`, 0 when it is none.
std::size_t utf8_length(const unsigned char* text, std::size_t left) {
  const unsigned char lead = text[0];
  if (lead < 0x80) return 1;
  if (lead < 0xc2 || lead > 0xf4) return 0;
  const std::size_t length = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  if (left < length) return 0;
  for (std::size_t i = 1; i < length; ++i)
    if (!is_continuation(text[i])) return 0;
  if (lead == 0xe0 && text[1] < 0xa0) return 0;   // overlong
  if (lead == 0xed && text[1] >= 0xa0) return 0;  // surrogate
  if (lead == 0xf0 && text[1] < 0x90) return 0;   // overlong
  if (lead == 0xf4 && text[1] >= 0x90) return 0;  // beyond U+10FFFF
  return length;
}

}  // namespace

std::size_t find_invalid_utf8(std::string_view text) {
  const auto* bytes = reinterpret_cast<const unsigned char*>(text.data());
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = utf8_length(bytes + i, text.size() - i);
    if (length == 0) return i;
    i += length;
  }
  return std::string_view::npos;
}

std::string quote(std::string_view text) {
  std::string quoted = "\"";
  std::size_t characters = 0;
  for (std::size_t i = 0; i < text.size(); ++characters) {
    if (characters == 40) {
      quoted += "...";
      break;
    }
    const std::size_t length = utf8_length(reinterpret_cast<const unsigned char*>(text.data()) + i, text.size() - i);
    const auto byte = static_cast<unsigned char>(text[i]);
    if (length == 0 || byte < 0x20 || byte == 0x7f)
      quoted += fmt::format("\\x{:02x}", byte);
    else
      quoted += text.substr(i, length);
    i += length == 0 ? 1 : length;
  }
  return quoted + '"';
}

TextReader::TextReader(std::string path) : source_(std::move(path)), buffer_(kBufferBytes) {}

bool TextReader::next(std::string_view& line) {
  for (;;) {
    const auto* found =
        static_cast<const char*>(std::memchr(buffer_.data() + searched_, '\n', end_ - searched_));
    if (found == nullptr) {
      searched_ = end_;
      if (refill()) continue;
      if (begin_ == end_) return false;
    }
    const std::size_t line_end = found == nullptr ? end_ : static_cast<std::size_t>(found - buffer_.data());
    line = {buffer_.data() + begin_, line_end - begin_};
    begin_ = searched_ = found == nullptr ? end_ : line_end + 1;
    ++line_number_;
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    if (!is_plain_ascii_) check_line(line);
    return true;
  }
}

/// Reads more behind the unfinished line; false at the end of the file.
bool TextReader::refill() {
  if (at_end_) return false;
  const bool is_start = line_number_ == 0 && end_ == 0;
  std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
  searched_ -= begin_;
  end_ -= begin_;
  begin_ = 0;
  if (end_ >= kLongestLine)
    throw DataError({path(), line_number_ + 1, 0}, "the line is longer than 256 MiB; is this the right file?");
  if (end_ == buffer_.size()) buffer_.resize(2 * buffer_.size());
  const std::size_t count = source_.read(buffer_.data() + end_, buffer_.size() - end_);
  end_ += count;
  at_end_ = count == 0;
  is_plain_ascii_ = is_ascii_without_nul(buffer_.data(), end_);
  if (is_start) check_start();
  return !at_end_;
}

void TextReader::check_start() {
  // Three bytes decide; a pipe may give fewer at once.
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

void TextReader::check_line(std::string_view line) const {
  if (is_ascii_without_nul(line.data(), line.size())) return;
  if (const std::size_t nul = line.find('\0'); nul != std::string_view::npos)
    throw DataError({path(), line_number_, nul + 1}, "a NUL byte: expected UTF-8 text, this looks binary or UTF-16");
  const std::size_t invalid = find_invalid_utf8(line);
  if (invalid == std::string_view::npos) return;
  throw DataError({path(), line_number_, invalid + 1},
                  fmt::format("line {} is not UTF-8 (byte 0x{:02x}); save the file as UTF-8", line_number_,
                              static_cast<unsigned char>(line[invalid])));
}

std::string read_text(const std::string& path) {
  TextReader reader(path);
  std::string text;
  std::string_view line;
  while (reader.next(line)) {
    text += line;
    text += '\n';
  }
  return text;
}

}  // namespace edgewise::io
