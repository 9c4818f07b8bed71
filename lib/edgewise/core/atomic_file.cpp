#include "edgewise/core/atomic_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <ios>
#include <optional>
#include <ostream>
#include <random>
#include <streambuf>
#include <thread>
#include <utility>
#include <vector>

#include "edgewise/core/error.hpp"
#include "edgewise/core/folder.hpp"
#include "edgewise/core/observer.hpp"

namespace edgewise {
namespace {

namespace fs = std::filesystem;

constexpr int kMaxLinks = 40;                 // as many as Linux follows
constexpr int kMaxTries = 16;                 // to find a free name
constexpr std::size_t kLongestNamePart = 200;  // of the 255 bytes of a name
constexpr int kMaxLockTries = 6000;           // with a pause after each
constexpr std::chrono::milliseconds kLockPause{10};
constexpr std::size_t kRandomDigits = 16;
constexpr std::string_view kSuffix = ".edgewise-tmp";

[[noreturn]] void fail(const std::string& path, std::string_view what, int error) {
  throw DataError(fmt::format("{}: {}: {}", path, what, std::strerror(error)));
}

/// A file descriptor that closes itself.
class Descriptor {
 public:
  explicit Descriptor(int number = -1) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  int get() const { return number_; }
  bool is_open() const { return number_ >= 0; }

 private:
  int number_;
};

/// A buffer in front of `write` that remembers why writing failed.
class DescriptorBuffer : public std::streambuf {
 public:
  explicit DescriptorBuffer(int descriptor) : descriptor_(descriptor), buffer_(std::size_t{1} << 16) { clear(); }

  int error() const { return error_; }

 protected:
  int_type overflow(int_type character) override {
    if (sync() != 0) return traits_type::eof();
    if (traits_type::eq_int_type(character, traits_type::eof())) return traits_type::not_eof(character);
    return sputc(traits_type::to_char_type(character));
  }
  int sync() override {
    check_interruption();
    const char* at = pbase();
    while (at < pptr() && error_ == 0) {
      const ::ssize_t count = ::write(descriptor_, at, static_cast<std::size_t>(pptr() - at));
      if (count >= 0)
        at += count;
      else if (errno != EINTR)
        error_ = errno;
    }
    clear();
    return error_ == 0 ? 0 : -1;
  }

 private:
  void clear() { setp(buffer_.data(), buffer_.data() + buffer_.size()); }

  int descriptor_;
  std::vector<char> buffer_;
  int error_ = 0;
};

/// Resolves symbolic links, even if the target does not exist yet.
fs::path follow_links(const std::string& path) {
  fs::path target = path;
  std::error_code ignored;
  for (int links = 0; fs::is_symlink(target, ignored); ++links) {
    if (links == kMaxLinks) fail(path, "cannot be written", ELOOP);
    const fs::path next = fs::read_symlink(target, ignored);
    if (ignored) fail(path, "cannot be written", ignored.value());
    target = next.is_absolute() ? next : target.parent_path() / next;
    if (target.native().starts_with("/proc/"))  // /dev/stdout: replacing the file behind it would lose what it holds
      throw DataError(fmt::format("{}: is an open file of a process, expected a file or a new name", path));
  }
  return target;
}

/// The permissions of the file to be replaced, or nothing if there is none.
std::optional<::mode_t> mode_of(const std::string& path) {
  struct ::stat status{};
  if (::stat(path.c_str(), &status) != 0) {
    if (errno == ENOENT) return std::nullopt;
    fail(path, "cannot be written", errno);
  }
  if (S_ISDIR(status.st_mode)) throw DataError(fmt::format("{}: is a directory, expected a file", path));
  if (!S_ISREG(status.st_mode))
    throw DataError(fmt::format("{}: is a device, a pipe or a socket, expected a file or a new name", path));
  if (::access(path.c_str(), W_OK) != 0) fail(path, "cannot be written", errno);
  return status.st_mode & 0777;
}

/// The file to be written, checked beforehand.
struct Target {
  fs::path file;  ///< With all links resolved.
  fs::path folder;
  std::optional<::mode_t> mode;
};

Target find_target(const std::string& path) {
  if (path.empty() || path.back() == '/') throw DataError(fmt::format("\"{}\": expected the name of a file", path));
  const std::optional<::mode_t> mode = mode_of(path);
  const fs::path file = follow_links(path);
  std::error_code lost;
  if (file.is_relative() && (fs::current_path(lost).empty() || lost))
    throw DataError(fmt::format("{}: cannot be written: the current folder no longer exists", path));
  const fs::path folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
  std::error_code ignored;
  if (!fs::exists(folder, ignored)) fail(path, "cannot be written", ENOENT);
  if (!fs::is_directory(folder, ignored)) fail(path, "cannot be written", ENOTDIR);
  if (::access(folder.c_str(), W_OK | X_OK) != 0) fail(path, "cannot be written", errno);
  return {file, folder, mode};
}

/// The prefix of the names of our temporary files for a target.
std::string temporary_prefix(const Target& target) {
  return fmt::format(".{}.", target.file.filename().string().substr(0, kLongestNamePart));
}

bool is_temporary(std::string_view name, std::string_view prefix) {
  return name.size() == prefix.size() + kRandomDigits + kSuffix.size() && name.starts_with(prefix) &&
         name.ends_with(kSuffix) &&
         name.substr(prefix.size(), kRandomDigits).find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

/// Removes temporary files of processes that were killed: nobody holds their lock.
void remove_stale(const Target& target) {
  const std::string prefix = temporary_prefix(target);
  for (const std::string& name : names_in_folder(target.folder).value_or(std::vector<std::string>{})) {
    if (!is_temporary(name, prefix)) continue;
    const std::string path = (target.folder / name).string();
    const Descriptor file(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    if (file.is_open() && ::flock(file.get(), LOCK_EX | LOCK_NB) == 0) ::unlink(path.c_str());
  }
}

std::uint64_t random_bits() {
  std::random_device device;
  return (std::uint64_t{device()} << 32) + device();
}

/// A new, locked file next to the target; removed unless it is renamed.
class TemporaryFile {
 public:
  TemporaryFile(const std::string& path, const Target& target) : path_(path), target_(target) {
    for (int i = 0; i < kMaxTries && !file_.is_open(); ++i) create();
    if (!file_.is_open()) fail(path_, "cannot be written", EEXIST);
    // Not subject to the umask. Ignore failure: some file systems have no modes.
    if (target_.mode) (void)!::fchmod(file_.get(), *target_.mode);
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() {
    if (!is_renamed_) ::unlink(name_.c_str());
  }

  int descriptor() const { return file_.get(); }

  void rename_to_target() {
    if (::fsync(file_.get()) != 0) fail(path_, "cannot be flushed to the disk", errno);
    if (std::rename(name_.c_str(), target_.file.c_str()) != 0) fail(path_, "cannot be replaced", errno);
    is_renamed_ = true;
  }

 private:
  /// Leaves `file_` closed if the name is taken, or if another process removed the file as stale before it was locked.
  void create() {
    const std::string name = fmt::format("{}{:016x}{}", temporary_prefix(target_), random_bits(), kSuffix);
    name_ = (target_.folder / name).string();
    const int flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
    Descriptor file(::open(name_.c_str(), flags, target_.mode.value_or(0666)));
    if (!file.is_open() && errno != EEXIST) fail(path_, "cannot be written", errno);
    if (!file.is_open()) return;
    ::flock(file.get(), LOCK_EX);  // without locks in a file system, no stale files are removed either
    struct ::stat status{};
    if (::fstat(file.get(), &status) == 0 && status.st_nlink > 0) file_ = std::move(file);
  }

  std::string path_;  // as shown in messages
  const Target& target_;
  std::string name_;
  Descriptor file_;
  bool is_renamed_ = false;
};

/// Makes the new name survive a power loss. Folders that cannot be opened or flushed offer no such guarantee.
void flush_folder(const std::string& path, const fs::path& folder) {
  const Descriptor file(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!file.is_open() || ::fsync(file.get()) == 0 || errno == EINVAL || errno == EROFS) return;
  fail(path, "is written, but its folder cannot be flushed to the disk", errno);
}

bool is_writing_allowed = true;

std::shared_mutex& writing_mutex() {
  static std::shared_mutex mutex;
  return mutex;
}

/// Shows `hold_writing` that this thread is writing.
class Writing {
 public:
  Writing() {
    if (depth_++ == 0) writing_mutex().lock_shared();
  }
  Writing(const Writing&) = delete;
  Writing& operator=(const Writing&) = delete;
  ~Writing() {
    if (--depth_ == 0) writing_mutex().unlock_shared();
  }

 private:
  inline static thread_local int depth_ = 0;  // a change writes
};

/// Waits until nobody else holds the lock, but not for ever.
void lock(const Descriptor& file) {
  for (int i = 0; i < kMaxLockTries && ::flock(file.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK; ++i)
    std::this_thread::sleep_for(kLockPause);
}

}  // namespace

struct AtomicFile::State {
  explicit State(const std::string& given) : path(given), target(find_target(given)) { remove_stale(target); }

  std::string path;
  Target target;
  TemporaryFile temporary{path, target};
};

AtomicFile::AtomicFile(const std::string& path) : state_(std::make_unique<State>(path)) {}

AtomicFile::~AtomicFile() = default;

int AtomicFile::descriptor() const { return state_->temporary.descriptor(); }

void AtomicFile::finish() {
  state_->temporary.rename_to_target();
  flush_folder(state_->path, state_->target.folder);
}

void check_writable(const std::string& path) { find_target(path); }

std::string written_file(const std::string& path) {
  return fs::weakly_canonical(fs::absolute(find_target(path).file)).string();
}

void allow_writing(bool is_allowed) { is_writing_allowed = is_allowed; }

void write_file_atomically(const std::string& path, const std::function<void(std::ostream&)>& write) {
  if (!is_writing_allowed) return;
  const Writing writing;
  AtomicFile file(path);
  DescriptorBuffer buffer(file.descriptor());
  std::ostream out(&buffer);
  out.exceptions(std::ios::badbit);  // passes on Interrupted
  try {
    write(out);
    out.flush();
  } catch (const std::ios_base::failure&) {  // reported below
  }
  if (buffer.error() != 0) fail(path, "writing failed", buffer.error());
  if (!out) throw DataError(fmt::format("{}: writing failed", path));
  file.finish();
}

void change_file(const std::string& path, const std::function<void()>& change) {
  if (!is_writing_allowed) return;
  const Writing writing;
  const Descriptor folder(::open(find_target(path).folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (folder.is_open()) lock(folder);
  change();
}

std::unique_lock<std::shared_mutex> hold_writing() { return std::unique_lock(writing_mutex()); }

}  // namespace edgewise
