/// For `LD_PRELOAD`: makes one call of the C library fail. FAULT_CALL is write, pwrite, posix_fallocate, fsync, rename
/// or malloc; FAULT_AT is the number of the call that fails, from 1. Writes to the standard descriptors are not
/// counted. The number of calls is written to the file FAULT_COUNT at the end. Allocations are counted from the first
/// call of `signal`, so that those of libraries before `main` are excluded.
#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

std::atomic<long> calls{0};
std::atomic<bool> is_in_main{false};

bool is_watched(const char* call) {
  const char* wanted = std::getenv("FAULT_CALL");
  return wanted != nullptr && std::strcmp(wanted, call) == 0;
}

bool fails(const char* call) {
  if (!is_watched(call)) return false;
  const char* at = std::getenv("FAULT_AT");
  return ++calls == (at != nullptr ? std::atol(at) : 0);
}

template <class Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

__attribute__((destructor)) void tell() {
  const char* path = std::getenv("FAULT_COUNT");
  if (path == nullptr) return;
  if (std::FILE* file = std::fopen(path, "w")) {
    std::fprintf(file, "%ld\n", calls.load());
    std::fclose(file);
  }
}

}  // namespace

extern "C" {

ssize_t write(int descriptor, const void* data, size_t size) {
  static auto* const real = next<ssize_t(int, const void*, size_t)>("write");
  if (descriptor > 2 && fails("write")) {
    errno = ENOSPC;
    return -1;
  }
  return real(descriptor, data, size);
}

ssize_t pwrite(int descriptor, const void* data, size_t size, off_t place) {
  static auto* const real = next<ssize_t(int, const void*, size_t, off_t)>("pwrite");
  if (fails("pwrite")) {
    errno = ENOSPC;
    return -1;
  }
  return real(descriptor, data, size, place);
}

int posix_fallocate(int descriptor, off_t place, off_t size) {
  static auto* const real = next<int(int, off_t, off_t)>("posix_fallocate");
  return fails("posix_fallocate") ? ENOSPC : real(descriptor, place, size);
}

int fsync(int descriptor) {
  static auto* const real = next<int(int)>("fsync");
  if (fails("fsync")) {
    errno = EIO;
    return -1;
  }
  return real(descriptor);
}

int rename(const char* from, const char* to) {
  static auto* const real = next<int(const char*, const char*)>("rename");
  if (fails("rename")) {
    errno = EACCES;
    return -1;
  }
  return real(from, to);
}

sighandler_t signal(int number, sighandler_t handler) {
  static auto* const real = next<sighandler_t(int, sighandler_t)>("signal");
  is_in_main = true;
  return real(number, handler);
}

void* __libc_malloc(size_t size);

void* malloc(size_t size) {
  static const bool is_counted = is_watched("malloc");
  static const long at = is_counted && std::getenv("FAULT_AT") != nullptr ? std::atol(std::getenv("FAULT_AT")) : 0;
  if (is_counted && is_in_main && ++calls == at) {
    errno = ENOMEM;
    return nullptr;
  }
  return __libc_malloc(size);
}
}
