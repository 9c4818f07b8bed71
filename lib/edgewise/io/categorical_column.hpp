#pragma once

#include <span>
#include <string>

#include "edgewise/io/column.hpp"

namespace edgewise::io {

/// A categorical column from texts; an empty text is missing.
Column categorical_column(std::string name, std::span<const std::string> texts);

}  // namespace edgewise::io
