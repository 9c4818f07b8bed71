#pragma once

#include <string>

namespace edgewise {

/// The widest vectors that the library was built for: "AVX-512", "AVX2" or "baseline".
std::string vector_instructions();

}  // namespace edgewise
