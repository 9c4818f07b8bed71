#include "edgewise/io/byte_source.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>
#include <string_view>
#include <utility>
#include <vector>

#include "edgewise/core/error.hpp"

namespace edgewise::io {
namespace {

constexpr std::size_t kInputBytes = std::size_t{1} << 18;

/// What the first bytes of a file say that it is, among those that are not read.
constexpr std::pair<std::string_view, const char*> kPackedStarts[] = {
    {{"\xfd" "7zXZ\0", 6}, "an xz file"},
    {"BZh91AY&SY", "a bzip2 file"},
    {"PK\x03\x04", "a zip file or a spreadsheet"},
    {"\x28\xb5\x2f\xfd", "a zstd file"}};
constexpr std::size_t kLongestStart = 10;

}  // namespace

struct ByteSource::State {
  explicit State(std::string file) : path(std::move(file)), input(kInputBytes) {
    descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) throw DataError(fmt::format("{}: cannot be read: {}", path, std::strerror(errno)));
    struct stat status {};
    if (::fstat(descriptor, &status) == 0 && S_ISDIR(status.st_mode)) {
      ::close(descriptor);
      throw DataError(fmt::format("{}: is a directory, expected a file", path));
    }
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() {
    if (is_gzip) ::inflateEnd(&stream);
    ::close(descriptor);
  }

  /// Raw bytes from the file.
  std::size_t read_raw(char* out, std::size_t capacity) {
    for (;;) {
      const ::ssize_t count = ::read(descriptor, out, capacity);
      if (count >= 0) return static_cast<std::size_t>(count);
      if (errno != EINTR) throw DataError(fmt::format("{}: reading failed: {}", path, std::strerror(errno)));
    }
  }

  /// Refills `input` after the remaining bytes, up to `wanted` bytes in total if the file has them.
  void fill(std::size_t wanted) {
    if (end - begin >= wanted) return;
    std::memmove(input.data(), input.data() + begin, end - begin);
    end -= std::exchange(begin, 0);
    while (end < wanted) {
      const std::size_t count = read_raw(input.data() + end, input.size() - end);
      if (count == 0) return;
      end += count;
    }
  }

  bool at_magic() const {
    return end - begin >= 2 && static_cast<unsigned char>(input[begin]) == 0x1f &&
           static_cast<unsigned char>(input[begin + 1]) == 0x8b;
  }

  void start() {
    started = true;
    fill(kLongestStart);
    for (const auto& [bytes, name] : kPackedStarts)
      if (std::string_view(input.data(), end).starts_with(bytes))
        throw DataError(fmt::format("{}: is {}; only gzip is unpacked", path, name));
    if (!at_magic()) return;
    if (::inflateInit2(&stream, 15 + 16) != Z_OK) throw std::bad_alloc();
    is_gzip = true;
  }

  std::size_t read_plain(char* out, std::size_t capacity) {
    if (begin == end) return read_raw(out, capacity);
    const std::size_t count = std::min(capacity, end - begin);
    std::memcpy(out, input.data() + begin, count);
    begin += count;
    return count;
  }

  /// After a member there may be another one, zero padding, or nothing.
  void next_member() {
    fill(2);
    while (begin < end && input[begin] == '\0') {
      ++begin;
      if (begin == end) fill(2);
    }
    fill(2);
    is_finished = begin == end;
    if (is_finished) return;
    if (!at_magic()) throw DataError(fmt::format("{}: damaged gzip data: other bytes follow its end", path));
    ::inflateReset(&stream);
  }

  /// As many bytes as there are: a member may hold a single one.
  std::size_t inflate_some(char* out, std::size_t capacity) {
    stream.next_out = reinterpret_cast<Bytef*>(out);
    stream.avail_out = static_cast<uInt>(std::min<std::size_t>(capacity, std::size_t{1} << 30));
    const uInt room = stream.avail_out;
    while (stream.avail_out > 0 && !is_finished) {
      if (begin == end) fill(1);
      if (begin == end) throw DataError(fmt::format("{}: the gzip data ends early: the file is cut short", path));
      stream.next_in = reinterpret_cast<Bytef*>(input.data() + begin);
      stream.avail_in = static_cast<uInt>(end - begin);
      const int result = ::inflate(&stream, Z_NO_FLUSH);
      begin = end - stream.avail_in;
      if (result == Z_MEM_ERROR) throw std::bad_alloc();
      if (result == Z_STREAM_END)
        next_member();
      else if (result != Z_OK && result != Z_BUF_ERROR)
        throw DataError(fmt::format("{}: damaged gzip data: {}", path, stream.msg ? stream.msg : "unknown fault"));
    }
    return room - stream.avail_out;
  }

  std::string path;
  int descriptor = -1;
  std::vector<char> input;
  std::size_t begin = 0;
  std::size_t end = 0;
  bool started = false;
  bool is_gzip = false;
  bool is_finished = false;
  z_stream stream{};
};

ByteSource::ByteSource(std::string path) : state_(std::make_unique<State>(std::move(path))) {}
ByteSource::ByteSource(ByteSource&&) noexcept = default;
ByteSource& ByteSource::operator=(ByteSource&&) noexcept = default;
ByteSource::~ByteSource() = default;

std::size_t ByteSource::read(char* out, std::size_t capacity) {
  if (!state_->started) state_->start();
  return state_->is_gzip ? state_->inflate_some(out, capacity) : state_->read_plain(out, capacity);
}

const std::string& ByteSource::path() const { return state_->path; }

}  // namespace edgewise::io
