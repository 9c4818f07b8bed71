#include <catch2/catch.hpp>

#include "apps/sandbox.hpp"

using namespace edgewise;
using Catch::Matchers::Contains;
using test::check_one_line;
using test::lines_of;
using test::Result;
using test::Sandbox;

namespace {

/// Asks through a socket: connects, sends all of `requests` at once, and prints what comes back.
constexpr const char* kClient = R"(import socket, sys
client = socket.socket(socket.AF_UNIX)
client.connect("s")
client.sendall(open(sys.argv[1], "rb").read())
client.shutdown(socket.SHUT_WR)
while part := client.recv(1 << 16):
    sys.stdout.buffer.write(part)
)";

/// Starts a server, waits until it is ready, runs `commands`, and stops it.
std::string served(const std::string& commands, const std::string& ending = "kill -TERM $server; wait $server") {
  return "rm -f log; " + Sandbox::kBinary +
         "serve m.st --threads 1 --socket s 2>log & server=$!; until grep -qs ready log; do sleep 0.02; done; " +
         commands + "; " + ending;
}

}  // namespace

TEST_CASE("serve answers standard input", "[apps][serve]") {
  const Sandbox sandbox;
  REQUIRE(sandbox.train("--out m.st --predictions p.jsonl").code == 0);
  sandbox.write("requests", "{\"nodes\": [\"p0\"], \"id\": 1}\n\nnot JSON\n{\"nodes\": [\"p1\"]}");
  const Result result = sandbox.run("serve m.st --threads 1 <requests");
  CHECK(result.code == 0);
  CHECK_THAT(result.error, Contains("3 requests answered"));
  REQUIRE(lines_of(result.out) == 3);
  CHECK_THAT(result.out, Contains(R"({"id":1,"predictions":[{"node":"p0",)"));
  CHECK_THAT(result.out, Contains(R"({"error":)"));
  CHECK_THAT(result.out, Contains(R"({"predictions":[{"node":"p1",)"));
}

TEST_CASE("serve answers many clients through a socket, and leaves in good order", "[apps][serve]") {
  const Sandbox sandbox;
  REQUIRE(sandbox.train("--out m.st").code == 0);
  sandbox.write("client.py", kClient);
  std::string requests;
  for (int i = 0; i < 50; ++i) requests += fmt::format("{{\"nodes\": [\"p{}\"], \"id\": {}}}\n", i, i);
  sandbox.write("requests", requests);
  const Result result =
      sandbox.shell(served("for i in 1 2 3 4 5 6 7 8; do python3 client.py requests >answers$i & clients=\"$clients "
                           "$!\"; done; wait $clients"));
  CHECK(result.code == 0);
  CHECK_FALSE(std::filesystem::exists(sandbox.path("s")));
  CHECK_THAT(sandbox.read("log"), Contains("400 requests answered"));
  for (int i = 1; i <= 8; ++i) {
    const std::string answers = sandbox.read(fmt::format("answers{}", i));
    CHECK(lines_of(answers) == 50);
    CHECK_THAT(answers, Contains(R"({"id":49,"predictions":[{"node":"p49",)"));
  }
}

TEST_CASE("serve outlives clients that leave or send too much", "[apps][serve]") {
  const Sandbox sandbox;
  REQUIRE(sandbox.train("--out m.st").code == 0);
  sandbox.write("client.py", kClient);
  sandbox.write("leaving.py",
                "import socket\nfor i in range(20):\n  client = socket.socket(socket.AF_UNIX)\n"
                "  client.connect('s')\n  client.sendall(b'{\"nodes\": [\"p1\"]}\\n' * 100)\n  client.close()\n");
  sandbox.write("requests", "{\"nodes\": [\"p0\"]}\n");
  const Result result = sandbox.shell(
      served("python3 leaving.py; head -c 9000000 /dev/zero >zeros; python3 client.py zeros >long 2>/dev/null; "
             "python3 client.py requests >answers"));
  CHECK(result.code == 0);
  CHECK_THAT(sandbox.read("answers"), Contains(R"({"predictions":[{"node":"p0",)"));
}

TEST_CASE("serve refuses a path that is taken, and replaces a socket that was left", "[apps][serve]") {
  const Sandbox sandbox;
  REQUIRE(sandbox.train("--out m.st").code == 0);
  sandbox.write("taken", "text");
  check_one_line(sandbox.run("serve m.st --socket taken"));
  CHECK(sandbox.read("taken") == "text");
  CHECK(sandbox.run("serve m.st --socket " + std::string(200, 's')).code == 2);
  const Result second = sandbox.shell(served(Sandbox::kBinary + "serve m.st --socket s"));
  CHECK_THAT(second.error, Contains("s is served already"));
  CHECK(sandbox.shell(served("true", "kill -KILL $server; wait $server")).code != 0);
  CHECK(std::filesystem::exists(sandbox.path("s")));
  CHECK(sandbox.shell(served("true")).code == 0);
}
