#include <cstdint>
#include <cstdlib>

#include "fuzz/targets.hpp"

/// Entry point for libFuzzer. EDGEWISE_FUZZ_TARGET names the target.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const edgewise::fuzz::Target& target = []() -> const edgewise::fuzz::Target& {
    const char* name = std::getenv("EDGEWISE_FUZZ_TARGET");
    for (const edgewise::fuzz::Target& each : edgewise::fuzz::targets())
      if (name != nullptr && each.name == name) return each;
    std::abort();
  }();
  edgewise::fuzz::run_one(target, {reinterpret_cast<const char*>(data), size});
  return 0;
}
