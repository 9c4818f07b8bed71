#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace edgewise {

/// Length in bytes of the UTF-8 sequence that `text` starts with (as in RFC 3629: no overlong forms, no surrogates), 0
/// if it starts with none.
std::size_t utf8_length(std::string_view text);

/// Offset of the first byte that is not UTF-8, or npos.
std::size_t find_invalid_utf8(std::string_view text);

/// The character that `text` starts with, if it shows nothing of its own: a control character, a mark of direction, a
/// joiner or another of zero width. Nothing if it starts with a visible one or is not UTF-8 there.
std::optional<char32_t> invisible_start(std::string_view text);

/// Text that is safe to show in a terminal and hides nothing: invisible characters (except those in `kept`) and bytes
/// that are not UTF-8 become `\x1b` and the like, byte by byte. Text after `most` characters is replaced by "...".
std::string printable(std::string_view text, std::size_t most = std::numeric_limits<std::size_t>::max(),
                      std::string_view kept = "");

/// The text without the blanks around it.
std::string_view trimmed(std::string_view text, std::string_view blanks = " \t");

/// What stands between the separators, without empty pieces.
std::vector<std::string_view> words_of(std::string_view text, std::string_view separators = " \t");

/// The letters and digits (of ASCII) of a name, in lower case: "trainmask" for "Train_Mask".
std::string core_of_name(std::string_view name);

/// The name of a file without ".gz".
std::string_view without_gz(std::string_view name);

/// "a, b, c", or "a, b, c and 70 more" if there are many.
std::string first_of(std::span<const std::string> names, std::size_t most = 10);

/// "1 run", "2 runs". A `plural` may be given, also with a verb: "1 class", "2 classes", "1 node has", "2 nodes have".
std::string counted(std::size_t count, std::string_view noun, std::string_view plural = "");

}  // namespace edgewise
