#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "edgewise/io/column.hpp"

namespace edgewise::io {

/// A categorical column from texts; an empty text is missing.
Column categorical_column(std::string name, std::span<const std::string> texts);

/// The same from the texts that `give` passes to its argument, one at a time: they are never all in memory.
Column categorical_column(std::string name,
                          const std::function<void(const std::function<void(std::string_view)>&)>& give);

}  // namespace edgewise::io
