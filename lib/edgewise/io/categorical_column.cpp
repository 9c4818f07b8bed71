#include "edgewise/io/categorical_column.hpp"

#include <utility>

#include "edgewise/io/detail/column_builder.hpp"

namespace edgewise::io {

Column categorical_column(std::string name, std::span<const std::string> texts) {
  return categorical_column(std::move(name), [&](const auto& add) {
    for (const std::string& text : texts) add(text);
  });
}

Column categorical_column(std::string name,
                          const std::function<void(const std::function<void(std::string_view)>&)>& give) {
  const std::string missing[] = {""};
  detail::ColumnBuilder builder(std::move(name), detail::ColumnKind::verbatim, missing);
  give([&](std::string_view text) { builder.add(text, {}); });
  return builder.finish();
}

Column column_of_texts(const std::string& name, std::span<const std::string> texts,
                       std::span<const std::string> missing, bool is_read_as_text) {
  using detail::ColumnKind;
  detail::ColumnBuilder builder(name, is_read_as_text ? ColumnKind::categorical : ColumnKind::unknown, missing);
  for (const std::string& text : texts) builder.add(text, {});
  if (builder.must_start_again()) return column_of_texts(name, texts, missing, true);
  return builder.finish();
}

}  // namespace edgewise::io
