#pragma once

#include <string_view>

namespace edgewise::io {

/// Whether a text is several molecules (mixture_text.hpp) rather than one.
inline bool is_mixture(std::string_view text) { return text.starts_with('{'); }

}  // namespace edgewise::io
