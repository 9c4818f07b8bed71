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
#include "edgewise/core/input_file.hpp"

namespace edgewise::io {
namespace {

constexpr std::size_t kInputBytes = std::size_t{1} << 18;

/// What the first bytes of a file say that it is, among those that are not read, and how to make a file that is: a
/// command in which @ stands for the file.
struct BinaryStart {
  std::string_view bytes;
  std::string_view extension;  // of the name; empty: any
  const char* what;
  const char* remedy;
};
constexpr BinaryStart kBinaryStarts[] = {
    {{"\xfd" "7zXZ\0", 6}, "", "an xz file; only gzip is unpacked", "xz --decompress --keep @"},
    {"BZh", "", "a bzip2 file; only gzip is unpacked", "bunzip2 --keep @"},
    {"\x28\xb5\x2f\xfd", "", "a zstd file; only gzip is unpacked", "zstd --decompress @"},
    {"PK\x03\x04", ".npz", "a NumPy archive; only text is read",
     "python -c \"import scipy.io, scipy.sparse; scipy.io.mmwrite('@.mtx', scipy.sparse.load_npz('@'))\""},
    {"PK\x03\x04", ".xlsx", "a spreadsheet; only text is read",
     "python -c \"import pandas; pandas.read_excel('@').to_csv('@.csv', index=False)\""},
    {"PK\x03\x04", ".ods", "a spreadsheet; only text is read",
     "python -c \"import pandas; pandas.read_excel('@').to_csv('@.csv', index=False)\""},
    {"PK\x03\x04", "", "a zip file or a spreadsheet; only gzip is unpacked", "unzip @"},
    {"\xd0\xcf\x11\xe0", "", "a spreadsheet of an old kind; only text is read",
     "python -c \"import pandas; pandas.read_excel('@').to_csv('@.csv', index=False)\""},
    {"PAR1", "", "a Parquet file; only text is read",
     "python -c \"import pandas; pandas.read_parquet('@').to_csv('@.csv', index=False)\""},
    {"ARROW1", "", "an Arrow file; only text is read",
     "python -c \"import pandas; pandas.read_feather('@').to_csv('@.csv', index=False)\""},
    {"FEA1", "", "a Feather file; only text is read",
     "python -c \"import pandas; pandas.read_feather('@').to_csv('@.csv', index=False)\""},
    {{"\x89HDF\r\n", 6}, "", "an HDF5 file; only text is read",
     "python -c \"import pandas; pandas.read_hdf('@').to_csv('@.csv', index=False)\""},
    {"\x93NUMPY", "", "a NumPy array; only text is read",
     "python -c \"import numpy; numpy.savetxt('@.csv', numpy.load('@'), delimiter=',')\""},
    {"SQLite format 3", "", "an SQLite database; only text is read",
     "sqlite3 -csv -header @ 'select * from edges' > edges.csv"},
    {"\x80\x02", "", "a pickle; only text is read",
     "python -c \"import pandas; pandas.read_pickle('@').to_csv('@.csv')\""},
    {"\x80\x03", "", "a pickle; only text is read",
     "python -c \"import pandas; pandas.read_pickle('@').to_csv('@.csv')\""},
    {"\x80\x04\x95", "", "a pickle; only text is read",
     "python -c \"import pandas; pandas.read_pickle('@').to_csv('@.csv')\""},
    {"\x80\x05\x95", "", "a pickle; only text is read",
     "python -c \"import pandas; pandas.read_pickle('@').to_csv('@.csv')\""}};
constexpr std::size_t kLongestStart = 15;

/// Whether the start is that of bzip2 and not of a text: the level and the mark of a block follow.
bool is_bzip2(std::string_view start) { return start.size() >= 10 && start.substr(4, 6) == "1AY&SY"; }

/// Throws DataError for a file that is known not to be text.
void refuse_binary(const std::string& path, std::string_view start) {
  for (const BinaryStart& binary : kBinaryStarts) {
    if (!start.starts_with(binary.bytes) || !path.ends_with(binary.extension)) continue;
    if (binary.bytes == "BZh" && !is_bzip2(start)) continue;
    const bool is_plain = path.find_first_of("'\"\\ $`!*?&|;<>(){}[]#~\n") == std::string::npos;
    std::string command;
    for (const char* at = binary.remedy; *at != '\0'; ++at)
      command += *at == '@' ? (is_plain ? path : "FILE") : std::string(1, *at);
    throw DataError(fmt::format("{}: is {}; try: {}", path, binary.what, command));
  }
}

}  // namespace

struct ByteSource::State {
  explicit State(std::string file) : path(std::move(file)), input(kInputBytes) {
    descriptor = ::open(path_to_open(path).c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) throw DataError(fmt::format("{}: cannot be read: {}", path, std::strerror(errno)));
    struct stat status {};
    if (::fstat(descriptor, &status) == 0 && S_ISDIR(status.st_mode)) {
      ::close(descriptor);
      throw DataError(fmt::format("{}: is a directory, expected a file", path));
    }
    if (S_ISREG(status.st_mode)) size = static_cast<std::uint64_t>(status.st_size);
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
      if (count >= 0) raw_bytes += static_cast<std::uint64_t>(count);
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
    refuse_binary(path, {input.data(), end});
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
  std::uint64_t size = 0;
  std::uint64_t raw_bytes = 0;
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
std::uint64_t ByteSource::raw_bytes() const { return state_->raw_bytes; }
std::uint64_t ByteSource::size() const { return state_->size; }

}  // namespace edgewise::io
