#pragma once

#include <string>

namespace edgewise::app {

/// The widest vectors that this program was built for: "AVX-512", "AVX2" or "baseline".
std::string vector_instructions();

}  // namespace edgewise::app
