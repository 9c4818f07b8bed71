#pragma once

#include <cstddef>
#include <functional>
#include <list>
#include <string>
#include <string_view>

namespace edgewise::app {

/// Answers lines that clients send through a Unix domain socket, one line after the other, the clients in turns.
/// Memory is bounded: by the number of clients, the length of a line, and since no more is read from a client that does
/// not take its answers.
class LineServer {
 public:
  static constexpr std::size_t kMostClients = 256;  ///< Further ones wait to be accepted.
  static constexpr std::size_t kLongestLine = std::size_t{8} << 20;

  /// `answer` makes a line of a line, neither with its line break. Throws UsageError if the path is too long or in use,
  /// DataError if the socket cannot be made. Only its owner can connect.
  LineServer(std::string path, std::function<std::string(std::string_view line)> answer);
  /// Closes and removes the socket.
  ~LineServer();
  LineServer(const LineServer&) = delete;
  LineServer& operator=(const LineServer&) = delete;

  /// Serves until `is_stopped`, then answers the lines that have arrived. Returns the number of lines answered.
  std::size_t run(const std::function<bool()>& is_stopped);

 private:
  struct Client {
    int socket;
    std::string received = {};  ///< What is not answered yet.
    std::string to_send = {};
    bool is_closing = false;  ///< Once all is sent.
  };

  void accept_clients();
  void wait(bool may_wait);
  /// Throws nothing: a client that fails is closed.
  void receive(Client& client);
  void answer_next(Client& client);
  void send(Client& client);
  static bool has_line(const Client& client);
  void close_client(std::list<Client>::iterator client);

  std::string path_;
  std::function<std::string(std::string_view)> answer_;
  int listener_ = -1;
  std::list<Client> clients_;
  std::size_t answered_ = 0;
};

}  // namespace edgewise::app
