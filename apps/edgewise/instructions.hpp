#pragma once

#include <string>
#include <vector>

namespace edgewise::app {

/// The widest vectors that this program was built for: "AVX-512", "AVX2" or "baseline".
std::string vector_instructions();

/// The instruction sets that this program was built for and this machine lacks. The compiler may use them anywhere, so
/// the program must stop if one is missing.
std::vector<std::string> missing_instructions();

}  // namespace edgewise::app
