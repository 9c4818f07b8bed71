#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <string_view>

namespace edgewise {

/// Bytes of the UTF-8 sequence that `text` starts with (as in RFC 3629: no overlong forms, no surrogates), 0 when it
/// starts with none.
std::size_t utf8_length(std::string_view text);

/// Offset of the first byte that is not UTF-8, or npos.
std::size_t find_invalid_utf8(std::string_view text);

/// Text that a terminal shows and does not obey: control characters (U+0000 to U+001F and U+007F to U+009F, but those
/// in `kept`) and bytes that are not UTF-8 become \x1b and the like. Cut after `most` characters, with "..." in their
/// place.
std::string printable(std::string_view text, std::size_t most = std::numeric_limits<std::size_t>::max(),
                      std::string_view kept = "");

/// "1 run", "2 runs".
std::string counted(std::size_t count, std::string_view noun);

}  // namespace edgewise
