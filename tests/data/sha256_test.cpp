#include "edgewise/data/sha256.hpp"

#include <catch2/catch.hpp>

#include "edgewise/core/error.hpp"

using namespace edgewise;
using data::sha256;

TEST_CASE("sha256 of the standard's examples", "[data][sha256]") {
  CHECK(sha256("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  CHECK(sha256("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  CHECK(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq") ==
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  CHECK(sha256(std::string(1'000'000, 'a')) == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST_CASE("sha256 of a missing file is an error", "[data][sha256]") {
  CHECK_THROWS_WITH(data::sha256_of_file("/nowhere/x"), Catch::Matchers::Contains("/nowhere/x: cannot be read"));
  CHECK_THROWS_AS(data::sha256_of_file("/"), DataError);  // a directory
}
