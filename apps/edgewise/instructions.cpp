#include "instructions.hpp"

namespace edgewise::app {

std::string vector_instructions() {
#if defined(__AVX512F__)
  return "AVX-512";
#elif defined(__AVX2__)
  return "AVX2";
#else
  return "baseline";
#endif
}

std::vector<std::string> missing_instructions() {
  std::vector<std::string> missing;
  [[maybe_unused]] const auto require = [&](bool is_there, const char* name) {
    if (!is_there) missing.emplace_back(name);
  };
  // __builtin_cpu_supports only takes literals. These are the instruction sets that GCC uses on its own.
#define EDGEWISE_REQUIRE(name) require(__builtin_cpu_supports(name) != 0, name)
#if defined(__AVX512F__)
  EDGEWISE_REQUIRE("avx512f");
#endif
#if defined(__AVX512CD__)
  EDGEWISE_REQUIRE("avx512cd");
#endif
#if defined(__AVX512BW__)
  EDGEWISE_REQUIRE("avx512bw");
#endif
#if defined(__AVX512DQ__)
  EDGEWISE_REQUIRE("avx512dq");
#endif
#if defined(__AVX512VL__)
  EDGEWISE_REQUIRE("avx512vl");
#endif
#if defined(__AVX512VBMI__)
  EDGEWISE_REQUIRE("avx512vbmi");
#endif
#if defined(__AVX512VBMI2__)
  EDGEWISE_REQUIRE("avx512vbmi2");
#endif
#if defined(__AVX512VNNI__)
  EDGEWISE_REQUIRE("avx512vnni");
#endif
#if defined(__AVX512BITALG__)
  EDGEWISE_REQUIRE("avx512bitalg");
#endif
#if defined(__AVX512VPOPCNTDQ__)
  EDGEWISE_REQUIRE("avx512vpopcntdq");
#endif
#if defined(__AVX512FP16__)
  EDGEWISE_REQUIRE("avx512fp16");
#endif
#if defined(__AVX2__)
  EDGEWISE_REQUIRE("avx2");
#endif
#if defined(__FMA__)
  EDGEWISE_REQUIRE("fma");
#endif
#if defined(__BMI__)
  EDGEWISE_REQUIRE("bmi");
#endif
#if defined(__BMI2__)
  EDGEWISE_REQUIRE("bmi2");
#endif
#if defined(__LZCNT__)
  EDGEWISE_REQUIRE("lzcnt");
#endif
#if defined(__MOVBE__)
  EDGEWISE_REQUIRE("movbe");
#endif
#if defined(__F16C__)
  EDGEWISE_REQUIRE("f16c");
#endif
#if defined(__POPCNT__)
  EDGEWISE_REQUIRE("popcnt");
#endif
#undef EDGEWISE_REQUIRE
  return missing;
}

}  // namespace edgewise::app
