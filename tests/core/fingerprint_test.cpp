#include "edgewise/core/fingerprint.hpp"

#include <catch2/catch.hpp>

using edgewise::Fingerprint;

TEST_CASE("a fingerprint is the FNV-1a hash, however its bytes are split", "[core][fingerprint]") {
  Fingerprint whole, parts;
  CHECK(whole.text() == "cbf29ce484222325");
  whole.add("foobar");
  CHECK(whole.text() == "85944171f73967e8");  // from the authors' test suite
  parts.add("foo");
  parts.add("bar");
  CHECK(parts.text() == whole.text());
}
