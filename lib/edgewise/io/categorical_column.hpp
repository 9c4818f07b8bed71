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

/// A column from texts, by the rules of `read_node_table`: of numbers if all that are not among `missing` are numbers,
/// unless it is read as text. Throws DataError for a number beyond the range of float.
Column column_of_texts(const std::string& name, std::span<const std::string> texts,
                       std::span<const std::string> missing, bool is_read_as_text = false);

}  // namespace edgewise::io
