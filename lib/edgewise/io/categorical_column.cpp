#include "edgewise/io/categorical_column.hpp"

#include <utility>

#include "edgewise/io/detail/column_builder.hpp"

namespace edgewise::io {

Column categorical_column(std::string name, std::span<const std::string> texts) {
  const std::string missing[] = {""};
  detail::ColumnBuilder builder(std::move(name), detail::ColumnKind::verbatim, missing);
  for (const std::string& text : texts) builder.add(text, {});
  return builder.finish();
}

}  // namespace edgewise::io
