#include "edgewise/core/instructions.hpp"

#include <catch2/catch.hpp>

#include <string>

#include "edgewise/core/detail/instruction_sets.hpp"

using namespace edgewise;

TEST_CASE("the processor of the tests has the instructions of the build", "[core][instructions]") {
  char names[512];
  CHECK(missing_instructions(names, sizeof names) == 0);
  CHECK(std::string(names).empty());
}

TEST_CASE("what the library was built for is what its sources are compiled for", "[core][instructions]") {
  const bool* is_built_for = detail::kIsBuiltFor;
#define EDGEWISE_SAME(name, macro) CHECK(*is_built_for++ == (std::string(EDGEWISE_AS_TEXT(macro)) == "1"));
#define EDGEWISE_AS_TEXT(text) #text
  EDGEWISE_INSTRUCTION_SETS(EDGEWISE_SAME)
  CHECK_FALSE(*is_built_for);
}

TEST_CASE("a portable architecture is one that -march takes", "[core][instructions]") {
  const std::string architecture = portable_architecture();
  CHECK((architecture.starts_with("x86-64") || architecture == "native"));
}
