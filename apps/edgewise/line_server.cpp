#include "line_server.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>
#include <vector>

#include "edgewise/core/error.hpp"

namespace edgewise::app {
namespace {

constexpr int kNoLongerThan = 200;  // milliseconds, to look whether to stop

sockaddr_un address_of(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.empty() || path.size() >= sizeof address.sun_path)
    throw UsageError(fmt::format("--socket: expected a path of 1 to {} characters, got {}", sizeof address.sun_path - 1,
                                 path.size()));
  std::ranges::copy(path, address.sun_path);
  return address;
}

int new_socket() { return ::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0); }

[[noreturn]] void fail(const std::string& path) {
  throw DataError(fmt::format("{}: cannot listen: {}", path, std::strerror(errno)));
}

/// Removes a socket that a server left behind. Throws UsageError for one that is served, and for any other file.
void make_room(const std::string& path, const sockaddr_un& address) {
  struct stat found{};
  if (::lstat(path.c_str(), &found) != 0) return;
  if (!S_ISSOCK(found.st_mode)) throw UsageError(fmt::format("--socket: {} is there, and is no socket", path));
  const int probe = new_socket();
  const bool is_served = ::connect(probe, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  ::close(probe);
  if (is_served) throw UsageError(fmt::format("--socket: {} is served already", path));
  ::unlink(path.c_str());
}

}  // namespace

LineServer::LineServer(std::string path, std::function<std::string(std::string_view line)> answer)
    : path_(std::move(path)), answer_(std::move(answer)) {
  const sockaddr_un address = address_of(path_);
  make_room(path_, address);
  listener_ = new_socket();
  if (listener_ < 0) fail(path_);
  const mode_t previous = ::umask(0177);
  const bool is_bound = ::bind(listener_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  ::umask(previous);
  if (is_bound && ::listen(listener_, SOMAXCONN) == 0) return;
  ::close(listener_);
  fail(path_);
}

LineServer::~LineServer() {
  ::close(listener_);
  ::unlink(path_.c_str());
  for (const Client& client : clients_) ::close(client.socket);
}

std::size_t LineServer::run(const std::function<bool()>& is_stopped) {
  bool has_stopped = false;
  while (true) {
    has_stopped = has_stopped || is_stopped();
    const bool has_lines = std::ranges::any_of(clients_, [](const Client& client) { return has_line(client); });
    if (has_stopped && !has_lines) break;
    wait(!has_lines && !has_stopped);
    for (Client& client : clients_) answer_next(client);
    for (auto client = clients_.begin(); client != clients_.end();) {
      const auto next = std::next(client);
      if (client->is_closing && client->to_send.empty() && !has_line(*client)) close_client(client);
      client = next;
    }
  }
  return answered_;
}

bool LineServer::has_line(const Client& client) {
  return client.to_send.empty() && client.received.find('\n') != std::string::npos;
}

/// Waits until a client has something to read or can be written to, and reads and writes.
void LineServer::wait(bool may_wait) {
  std::vector<pollfd> polled;
  for (const Client& client : clients_) {
    const bool is_full = client.is_closing || client.received.find('\n') != std::string::npos;
    const int events = (client.to_send.empty() ? 0 : POLLOUT) | (is_full || !client.to_send.empty() ? 0 : POLLIN);
    polled.push_back({client.socket, static_cast<short>(events), 0});
  }
  if (clients_.size() < kMostClients) polled.push_back({listener_, POLLIN, 0});
  if (::poll(polled.data(), polled.size(), may_wait ? kNoLongerThan : 0) <= 0) return;
  auto found = polled.begin();
  for (Client& client : clients_) {
    const short events = found++->revents;
    if ((events & POLLOUT) != 0) send(client);
    if ((events & POLLIN) != 0) receive(client);
    if ((events & (POLLERR | POLLNVAL)) != 0 || ((events & POLLHUP) != 0 && (events & POLLIN) == 0)) {
      client.to_send.clear();
      client.is_closing = true;
    }
  }
  if (found != polled.end() && found->revents != 0) accept_clients();
}

void LineServer::accept_clients() {
  while (clients_.size() < kMostClients) {
    const int socket = ::accept4(listener_, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (socket < 0) return;
    clients_.push_back({.socket = socket});
  }
}

void LineServer::receive(Client& client) {
  char bytes[1 << 16];
  const ssize_t count = ::recv(client.socket, bytes, sizeof bytes, 0);
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (count <= 0) {  // a last line may lack its line break
    if (count == 0 && !client.received.empty()) client.received += '\n';
    client.is_closing = true;
    return;
  }
  client.received.append(bytes, static_cast<std::size_t>(count));
  if (client.received.size() <= kLongestLine || client.received.find('\n') != std::string::npos) return;
  client.received.clear();
  client.to_send = fmt::format("{{\"error\":\"expected a line of at most {} MiB\"}}\n", kLongestLine >> 20);
  client.is_closing = true;
  send(client);
}

void LineServer::answer_next(Client& client) {
  if (!has_line(client)) return;
  const std::size_t end = client.received.find('\n');
  std::string_view line(client.received.data(), end);
  if (line.ends_with('\r')) line.remove_suffix(1);
  if (!line.empty()) {
    client.to_send = answer_(line) + '\n';
    ++answered_;
  }
  client.received.erase(0, end + 1);
  send(client);
}

void LineServer::send(Client& client) {
  while (!client.to_send.empty()) {
    const ssize_t count = ::send(client.socket, client.to_send.data(), client.to_send.size(), MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno == EAGAIN) return;
    if (count < 0) {
      client.to_send.clear();
      client.received.clear();
      client.is_closing = true;
      return;
    }
    client.to_send.erase(0, static_cast<std::size_t>(count));
  }
}

void LineServer::close_client(std::list<Client>::iterator client) {
  ::close(client->socket);
  clients_.erase(client);
}

}  // namespace edgewise::app
