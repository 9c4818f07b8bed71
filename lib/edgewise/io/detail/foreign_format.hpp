#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace edgewise::io::detail {

/// What a file is that was given as an edge list.
struct ForeignFormat {
  const char* name;    ///< "a Matrix Market file"
  std::string advice;  ///< What to do instead.
  std::uint64_t line;  ///< Where it shows.
};

/// Recognises other formats by how they begin, from at least the first few lines. Rows with arrows, brackets or colons
/// are only reported with `are_columns_guessed`: named columns may read them all the same.
std::optional<ForeignFormat> find_foreign_format(std::string_view start, bool are_columns_guessed);

}  // namespace edgewise::io::detail
