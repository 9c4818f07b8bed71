#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "edgewise/graph/node_names.hpp"
#include "edgewise/io/node_table.hpp"

namespace edgewise::io::detail {

enum class ColumnKind { unknown, numeric, categorical };

/// Gathers the values of one column in one pass. A column of unknown kind is what its first value is; when that was a
/// number and a later value is none, the numbers were read for nothing: `must_start_again` as categorical.
class ColumnBuilder {
 public:
  /// `missing` must outlive the builder.
  ColumnBuilder(std::string name, ColumnKind kind, std::span<const std::string> missing);

  /// Throws DataError at `where` when the column must be numeric and `text` is no number, or is too large for one.
  void add(std::string_view text, const TextLocation& where);
  void add_missing();
  bool must_start_again() const { return must_start_again_; }
  /// Puts the categories in order. The builder is empty afterwards.
  Column finish();

 private:
  void add_code(std::string_view text);
  void become_categorical();

  Column column_;
  ColumnKind kind_;
  bool is_numeric_demanded_;
  std::span<const std::string> missing_;
  std::unique_ptr<graph::NodeNames> categories_;  // made with the first of them: numeric columns may be many
  bool must_start_again_ = false;
};

}  // namespace edgewise::io::detail
