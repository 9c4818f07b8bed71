#pragma once

/// @file
/// The instruction sets of x86-64 that GCC uses without being asked for a single instruction, as
/// __builtin_cpu_supports names them, each with the macro of a source that is compiled for it.
#if defined(__x86_64__)
#define EDGEWISE_INSTRUCTION_SETS(each)                                                                        \
  each("sse3", __SSE3__) each("ssse3", __SSSE3__) each("sse4.1", __SSE4_1__) each("sse4.2", __SSE4_2__)        \
  each("popcnt", __POPCNT__) each("lzcnt", __LZCNT__) each("movbe", __MOVBE__) each("bmi", __BMI__)            \
  each("bmi2", __BMI2__) each("tbm", __TBM__) each("avx", __AVX__) each("f16c", __F16C__) each("fma", __FMA__) \
  each("fma4", __FMA4__) each("xop", __XOP__) each("avx2", __AVX2__) each("avxvnni", __AVXVNNI__)              \
  each("gfni", __GFNI__) each("avx512f", __AVX512F__) each("avx512cd", __AVX512CD__)                           \
  each("avx512er", __AVX512ER__) each("avx512bw", __AVX512BW__) each("avx512dq", __AVX512DQ__)                 \
  each("avx512vl", __AVX512VL__) each("avx512ifma", __AVX512IFMA__) each("avx512vbmi", __AVX512VBMI__)         \
  each("avx512vbmi2", __AVX512VBMI2__) each("avx512vnni", __AVX512VNNI__)                                      \
  each("avx512bitalg", __AVX512BITALG__) each("avx512vpopcntdq", __AVX512VPOPCNTDQ__)                          \
  each("avx512bf16", __AVX512BF16__) each("avx512fp16", __AVX512FP16__)
#else
#define EDGEWISE_INSTRUCTION_SETS(each)
#endif

namespace edgewise::detail {

/// Whether the library was built for each of them, and a false at the end.
extern const bool kIsBuiltFor[];

}  // namespace edgewise::detail
