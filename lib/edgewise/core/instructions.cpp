// Compiled for any processor. The standard library's templates must not be used here: the linker may keep the copy of
// another source, which is not.
#include "edgewise/core/instructions.hpp"

#include "edgewise/core/detail/instruction_sets.hpp"

namespace edgewise {
namespace {

struct Text {
  char* end;
  std::size_t left;  ///< With the zero at the end.

  void add(const char* text) {
    std::size_t length = 0;
    while (text[length] != '\0') ++length;
    if (length >= left) return;
    for (std::size_t i = 0; i <= length; ++i) end[i] = text[i];
    end += length;
    left -= length;
  }
};

}  // namespace

int missing_instructions(char* names, std::size_t size) {
  names[0] = '\0';
  int missing = 0;
#if defined(__x86_64__)
  Text text{names, size};
  const bool* is_built_for = detail::kIsBuiltFor;
  __builtin_cpu_init();  // not done yet if this is called before constructors
#define EDGEWISE_CHECK(name, macro)                         \
  if (*is_built_for++ && !__builtin_cpu_supports(name)) {   \
    text.add(missing++ == 0 ? name : ", " name);            \
  }
  EDGEWISE_INSTRUCTION_SETS(EDGEWISE_CHECK)
#undef EDGEWISE_CHECK
#endif
  return missing;
}

const char* portable_architecture() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("x86-64-v4")) return "x86-64-v4";
  if (__builtin_cpu_supports("x86-64-v3")) return "x86-64-v3";
  if (__builtin_cpu_supports("x86-64-v2")) return "x86-64-v2";
  return "x86-64";
#else
  return "native";
#endif
}

}  // namespace edgewise
