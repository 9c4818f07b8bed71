// Compiled for the same instructions as the library, but has no code, only constants.
#include "edgewise/core/detail/instruction_sets.hpp"

namespace edgewise::detail {

#define EDGEWISE_TEXT(text) #text
// A macro that is set becomes 1; one that is not remains its own name.
#define EDGEWISE_IS_SET(name, macro) EDGEWISE_TEXT(macro)[0] == '1',
constinit const bool kIsBuiltFor[] = {EDGEWISE_INSTRUCTION_SETS(EDGEWISE_IS_SET) false};

}  // namespace edgewise::detail
