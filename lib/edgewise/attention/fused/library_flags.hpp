#pragma once

namespace edgewise::attention::fused {

/// The size of a vector register, as the flags of the compiler tell.
#if defined(__AVX512F__)
inline constexpr int kRegisterBits = 512;
#elif defined(__AVX__)
inline constexpr int kRegisterBits = 256;
#else
inline constexpr int kRegisterBits = 128;
#endif

/// Defined only for the register size of the library. Kernels that are compiled for another one have the same names as
/// those of the library but other vectors, and the linker would mix them.
template <int kBits>
void require_flags_of_library();

}  // namespace edgewise::attention::fused
