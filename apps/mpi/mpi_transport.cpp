#include <mpi.h>

#include <algorithm>
#include <vector>

#include "transport.hpp"

namespace {

constexpr std::uint64_t kMostAtOnce = std::uint64_t{1} << 30;  // floats: MPI counts in int

/// The messages of one transfer.
using Messages = std::vector<MPI_Request>;

std::vector<Messages> transfers;
std::vector<std::int64_t> free_numbers;
std::uint64_t largest_tag = 32767;

std::int64_t keep(Messages messages) {
  if (free_numbers.empty()) {
    transfers.push_back(std::move(messages));
    return static_cast<std::int64_t>(transfers.size()) - 1;
  }
  const std::int64_t number = free_numbers.back();
  free_numbers.pop_back();
  transfers[static_cast<std::size_t>(number)] = std::move(messages);
  return number;
}

template <class Start>
std::int64_t start(std::uint64_t count, std::uint64_t tag, const Start& start_message) {
  Messages messages;
  for (std::uint64_t begin = 0; begin < count; begin += kMostAtOnce) {
    messages.emplace_back();
    start_message(begin, static_cast<int>(std::min(kMostAtOnce, count - begin)),
                  static_cast<int>(tag % largest_tag), &messages.back());
  }
  return keep(std::move(messages));
}

std::int64_t send(const float* values, std::uint64_t count, int to, std::uint64_t tag) {
  return start(count, tag, [&](std::uint64_t begin, int size, int of, MPI_Request* request) {
    MPI_Isend(values + begin, size, MPI_FLOAT, to, of, MPI_COMM_WORLD, request);
  });
}

std::int64_t receive(float* values, std::uint64_t count, int from, std::uint64_t tag) {
  return start(count, tag, [&](std::uint64_t begin, int size, int of, MPI_Request* request) {
    MPI_Irecv(values + begin, size, MPI_FLOAT, from, of, MPI_COMM_WORLD, request);
  });
}

int is_done(std::int64_t transfer) {
  Messages& messages = transfers[static_cast<std::size_t>(transfer)];
  int done = 1;
  MPI_Testall(static_cast<int>(messages.size()), messages.data(), &done, MPI_STATUSES_IGNORE);
  if (done != 0) free_numbers.push_back(transfer);
  return done;
}

void broadcast(float* values, std::uint64_t count, int from) {
  for (std::uint64_t begin = 0; begin < count; begin += kMostAtOnce)
    MPI_Bcast(values + begin, static_cast<int>(std::min(kMostAtOnce, count - begin)), MPI_FLOAT, from, MPI_COMM_WORLD);
}

void end() { MPI_Finalize(); }

void abort_job(int code) { MPI_Abort(MPI_COMM_WORLD, code); }

}  // namespace

const EdgewiseTransport* edgewise_begin_transport() {
  int provided = 0;
  if (MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided) != MPI_SUCCESS) return nullptr;
  static EdgewiseTransport transport{0, 1, send, receive, is_done, broadcast, end, abort_job};
  MPI_Comm_rank(MPI_COMM_WORLD, &transport.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &transport.count);
  int* tag = nullptr;
  int has_tag = 0;
  MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &tag, &has_tag);
  if (has_tag != 0) largest_tag = static_cast<std::uint64_t>(*tag);
  return &transport;
}
