#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "edgewise/core/error.hpp"
#include "edgewise/graph/node_names.hpp"
#include "edgewise/io/column.hpp"

namespace edgewise::io::detail {

enum class ColumnKind { unknown, numeric, categorical, verbatim };

/// Collects the values of one column in one pass. If the kind is unknown, the first value decides. If that was a number
/// and a later value is not, the numbers collected so far are useless: `must_start_again` as categorical. Truth values
/// that are spelt in several ways are one category, unless the column is verbatim.
class ColumnBuilder {
 public:
  /// `missing` must outlive the builder.
  ColumnBuilder(std::string name, ColumnKind kind, std::span<const std::string> missing);

  /// Throws DataError at `where` if the column must be numeric and `text` is not a number or is out of range.
  void add(std::string_view text, const TextLocation& where);
  /// A number that its text would say, or NaN where one is missing. Not for a categorical column.
  void add_number(float value);
  void add_missing();
  bool must_start_again() const { return must_start_again_; }
  /// Sorts the categories. The builder is empty afterwards.
  Column finish();

 private:
  void add_marker(std::string_view text);
  void add_code(std::string_view text);
  void become_categorical();
  /// Keeps the first whole number that is not `value` written out.
  void keep_changed(std::string_view text, float value);

  Column column_;
  ColumnKind kind_;
  bool is_numeric_demanded_;
  bool is_verbatim_;
  std::span<const std::string> missing_;
  std::unique_ptr<graph::NodeNames> categories_;  // created with the first category: there may be many numeric columns
  bool must_start_again_ = false;
};

}  // namespace edgewise::io::detail
