#pragma once

#include <string>
#include <vector>

namespace edgewise::app {

/// "AVX-512", "AVX2" or "baseline": the widest vectors that this program was built with.
std::string vector_instructions();

/// The sets of instructions that the compiler could use when this program was built and that this machine lacks. The
/// compiler takes any of them wherever it likes, so the program must not go on without one.
std::vector<std::string> missing_instructions();

}  // namespace edgewise::app
