#include "edgewise/core/vector_instructions.hpp"

namespace edgewise {

std::string vector_instructions() {
#if defined(__AVX512F__)
  return "AVX-512";
#elif defined(__AVX2__)
  return "AVX2";
#else
  return "baseline";
#endif
}

}  // namespace edgewise
