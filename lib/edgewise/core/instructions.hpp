#pragma once

#include <cstddef>

/// @file
/// The instruction sets that a build needs. The sources behind this are compiled for any processor and include nothing
/// that other sources instantiate, so that a program can call it before any code that may need more (see
/// apps/edgewise/processor_check.cpp). They are a library of their own, edgewise::instructions.
namespace edgewise {

/// Writes the names of the instruction sets that the library was built for and this processor lacks, such as
/// "avx512f, avx512bw", to `names`, of `size` > 0 characters, with a zero at the end; without those that do not fit.
/// Returns how many this processor lacks.
int missing_instructions(char* names, std::size_t size);

/// What to build with for processors such as this one, as -march takes it: "x86-64-v3".
const char* portable_architecture();

}  // namespace edgewise
