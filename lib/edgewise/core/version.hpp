#pragma once

namespace edgewise {

inline constexpr const char* kVersion = "0.1.0";

}  // namespace edgewise
