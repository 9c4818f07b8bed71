#include "edgewise/io/text_writer.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <new>
#include <ostream>
#include <streambuf>
#include <vector>

#include "edgewise/core/atomic_file.hpp"
#include "edgewise/core/error.hpp"
#include "edgewise/core/json.hpp"
#include "edgewise/core/text.hpp"

namespace edgewise::io {
namespace {

/// Compresses its input into `out` as one gzip member.
class GzipBuffer : public std::streambuf {
 public:
  explicit GzipBuffer(std::ostream& out) : out_(out), plain_(kBytes), packed_(kBytes) {
    setp(plain_.data(), plain_.data() + plain_.size());
    if (::deflateInit2(&stream_, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK)
      throw std::bad_alloc();
  }
  GzipBuffer(const GzipBuffer&) = delete;
  GzipBuffer& operator=(const GzipBuffer&) = delete;
  ~GzipBuffer() override { ::deflateEnd(&stream_); }

  void finish() { pack(Z_FINISH); }

 protected:
  int_type overflow(int_type character) override {
    pack(Z_NO_FLUSH);
    return traits_type::eq_int_type(character, traits_type::eof()) ? traits_type::not_eof(character)
                                                                    : sputc(traits_type::to_char_type(character));
  }

 private:
  static constexpr std::size_t kBytes = std::size_t{1} << 16;

  void pack(int flush) {
    stream_.next_in = reinterpret_cast<Bytef*>(pbase());
    stream_.avail_in = static_cast<uInt>(pptr() - pbase());
    do {
      stream_.next_out = reinterpret_cast<Bytef*>(packed_.data());
      stream_.avail_out = static_cast<uInt>(packed_.size());
      ::deflate(&stream_, flush);
      out_.write(packed_.data(), static_cast<std::streamsize>(packed_.size() - stream_.avail_out));
    } while (stream_.avail_out == 0);
    setp(plain_.data(), plain_.data() + plain_.size());
  }

  std::ostream& out_;
  std::vector<char> plain_;
  std::vector<char> packed_;
  z_stream stream_{};
};

}  // namespace

ResultFormat result_format(const std::string& path) {
  const std::string_view name = without_gz(path);
  if (name.ends_with(".csv")) return ResultFormat::csv;
  if (name.ends_with(".jsonl") || name.ends_with(".ndjson")) return ResultFormat::json_lines;
  if (name.ends_with(".graphml")) return ResultFormat::graphml;
  if (name.ends_with(".dot") || name.ends_with(".gv")) return ResultFormat::dot;
  if (name.ends_with(".gml")) return ResultFormat::gml;
  throw UsageError(fmt::format(
      "{}: expected a file that ends in .csv, .jsonl, .graphml, .dot or .gml (or one of them and .gz)", path));
}

bool names_table(std::string_view path) {
  const std::string_view name = without_gz(path);
  return std::ranges::any_of(std::array{".csv", ".jsonl", ".ndjson"},
                             [&](const char* ending) { return name.ends_with(ending); });
}

void write_text(const std::string& path, const std::function<void(std::ostream&)>& write) {
  write_file_atomically(path, [&](std::ostream& out) {
    if (!path.ends_with(".gz")) return write(out);
    GzipBuffer buffer(out);
    std::ostream packed(&buffer);
    write(packed);
    buffer.finish();
  });
}

std::string csv_field(std::string_view text) {
  const bool is_plain = !text.empty() && text.find_first_of(",;\t\"\n\r") == std::string_view::npos &&
                        text.front() != '#' && text.front() != '%' && text.front() != ' ' && text.back() != ' ';
  if (is_plain) return std::string(text);
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

std::string json_string(std::string_view text) { return json::dump(json::Value(text)); }

std::string number_text(float value, const char* otherwise) {
  if (!std::isfinite(value)) return otherwise;
  return fmt::format("{}", value);
}

}  // namespace edgewise::io
