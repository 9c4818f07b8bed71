#include "job_ranks.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <string>
#include <thread>

#include "../mpi/transport.hpp"
#include "edgewise/core/atomic_file.hpp"
#include "edgewise/core/error.hpp"
#include "edgewise/core/observer.hpp"
#include "edgewise/train/loop/ranks.hpp"

namespace edgewise::app {
namespace {

constexpr const char* kLibrary = "edgewise_mpi.so";
/// What those who start processes for MPI tell them.
constexpr const char* kSizes[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MPI_LOCALNRANKS"};

bool was_started_with_others() {
  for (const char* name : kSizes)
    if (const char* size = std::getenv(name); size != nullptr && std::atoi(size) > 1) return true;
  return false;
}

/// Beside the program, or where it is installed.
std::string library_path() {
  if (const char* given = std::getenv("EDGEWISE_MPI")) return given;
  std::error_code ignored;
  const std::filesystem::path folder = std::filesystem::read_symlink("/proc/self/exe", ignored).parent_path();
  for (const std::filesystem::path& path : {folder / kLibrary, folder.parent_path() / "lib" / "edgewise" / kLibrary})
    if (std::filesystem::exists(path, ignored)) return path.string();
  return kLibrary;
}

class MpiRanks final : public train::Ranks {
 public:
  explicit MpiRanks(const EdgewiseTransport& transport) : transport_(transport) {}

  std::size_t index() const override { return static_cast<std::size_t>(transport_.rank); }
  std::size_t count() const override { return static_cast<std::size_t>(transport_.count); }
  Request send(std::span<const float> values, std::size_t to, std::uint64_t tag) override {
    return transport_.send(values.data(), values.size(), static_cast<int>(to), tag);
  }
  Request receive(std::span<float> values, std::size_t from, std::uint64_t tag) override {
    return transport_.receive(values.data(), values.size(), static_cast<int>(from), tag);
  }
  bool is_done(Request request) override { return transport_.is_done(request) != 0; }
  /// Others need the processor, too. Whoever waits for one that has ended is told to end.
  void wait() override {
    check_interruption();
    std::this_thread::yield();
  }
  void broadcast(std::span<float> values, std::size_t from) override {
    transport_.broadcast(values.data(), values.size(), static_cast<int>(from));
  }

 private:
  const EdgewiseTransport& transport_;
};

}  // namespace

struct JobRanks::State {
  const EdgewiseTransport& transport;
  std::unique_ptr<train::Ranks> ranks;
  mutable bool has_ended = false, has_agreed = false;
};

JobRanks::JobRanks() {
  if (!was_started_with_others()) return;
  const std::string path = library_path();
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL);
  if (library == nullptr)
    throw DataError(fmt::format("mpirun: this program was built without MPI, or its {} is not beside it: {}", kLibrary,
                                dlerror()));
  using Begin = const EdgewiseTransport* (*)();
  const auto begin = reinterpret_cast<Begin>(dlsym(library, "edgewise_begin_transport"));
  const EdgewiseTransport* transport = begin == nullptr ? nullptr : begin();
  if (transport == nullptr) throw DataError(fmt::format("mpirun: {} cannot begin", path));
  state_.reset(new State{*transport, std::make_unique<MpiRanks>(*transport)});
}

JobRanks::~JobRanks() {
  if (state_ == nullptr) return;
  if (!state_->has_ended) state_->transport.end();
}

train::Ranks* JobRanks::holders() const { return state_ == nullptr ? nullptr : state_->ranks.get(); }

bool JobRanks::is_first() const { return state_ == nullptr || state_->transport.rank == 0; }

bool JobRanks::agree(bool of_first) const {
  if (state_ == nullptr) return of_first;
  float said = of_first ? 1 : 0;
  state_->transport.broadcast(&said, 1, 0);
  state_->has_agreed = state_->has_agreed || said != 0;
  return said != 0;
}

bool JobRanks::has_agreed() const { return state_ != nullptr && state_->has_agreed; }

std::chrono::steady_clock::time_point JobRanks::now() const {
  auto ticks = std::chrono::steady_clock::now().time_since_epoch().count();
  if (state_ == nullptr) return std::chrono::steady_clock::time_point(std::chrono::steady_clock::duration(ticks));
  float bits[sizeof(ticks) / sizeof(float)];
  std::memcpy(bits, &ticks, sizeof(ticks));
  state_->transport.broadcast(bits, std::size(bits), 0);
  std::memcpy(&ticks, bits, sizeof(ticks));
  return std::chrono::steady_clock::time_point(std::chrono::steady_clock::duration(ticks));
}

void JobRanks::end_all(int code) const {
  if (state_ == nullptr) return;
  state_->has_ended = true;
  state_->transport.abort(code);
}

Quiet::Quiet() : output_(dup(STDOUT_FILENO)), error_(dup(STDERR_FILENO)) {
  const int nothing = open("/dev/null", O_WRONLY);
  dup2(nothing, STDOUT_FILENO);
  dup2(nothing, STDERR_FILENO);
  close(nothing);
  allow_writing(false);
}

Quiet::~Quiet() {
  allow_writing(true);
  dup2(output_, STDOUT_FILENO);
  dup2(error_, STDERR_FILENO);
  close(output_);
  close(error_);
}

}  // namespace edgewise::app
