#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "edgewise/core/json.hpp"
#include "edgewise/data/node_data.hpp"
#include "edgewise/data/value_range.hpp"
#include "edgewise/io/node_table.hpp"

namespace edgewise::data {

struct NodeEncoderOptions {
  /// Columns that are not features: labels, splits, names.
  std::vector<std::string> excluded = {};
  /// A categorical column with more categories than this in the fitting rows is dropped with a note: it identifies the
  /// nodes.
  std::size_t maximal_categories = 1000;
  /// Categorical columns with a vocabulary of any size: words, characters. See NodeEncoder.
  std::vector<std::string> tokens = {};
};

/// A column with values far outside of those in fitting.
struct FarColumn {
  std::string column;
  ValueRange range;
  FarValues values;
};

/// What `encode` found that was not in the fitting rows.
struct EncodingReport {
  /// Column, and number of rows with an unseen category. They are all zeros in that column's features.
  std::vector<std::pair<std::string, std::size_t>> unseen;
  /// Column, and number of rows without a value although no fitting row misses it. They are all zeros, too.
  std::vector<std::pair<std::string, std::size_t>> missing;
  /// Numeric columns with values far outside of those in fitting.
  std::vector<FarColumn> far;
  /// For each row, whether none of its tokens is known; empty without token columns.
  std::vector<bool> is_unknown;
};

/// Turns a node table into a feature matrix. It is fitted to the fitting rows (the training rows) alone and stored in
/// the model file:
/// - A numeric column becomes (value - mean) / deviation (population). If it has heavy tails (a kurtosis above 10 in
///   the fitting rows), a column "log of NAME" is added: sign(d) log(1 + |d|), standardised likewise, where d is the
///   distance to the median in units of the distance between the quartiles. Few far values would otherwise leave all
///   others alike. Missing values become 0, the mean. If any fitting row misses it, a last column "NAME is missing"
///   marks missing values with 1.
/// - A categorical column becomes one column "NAME = CATEGORY" per category of the fitting rows, plus "NAME is missing"
///   if any of them misses it.
/// - A token column becomes one column "NAME = TOKEN" per token that occurs in at least two fitting rows, preceded by
///   "NAME is unknown" for all other tokens, including missing ones. Features are then sparse, and a first linear map
///   of them is a learned embedding.
/// - A column that is constant over the fitting rows is dropped, and so is an unnamed column that counts the rows;
///   `notes` lists them.
class NodeEncoder {
 public:
  NodeEncoder() = default;

  /// Throws DataError if there are no fitting rows, UsageError if an excluded column does not exist or a fitting row is
  /// beyond the last. A table without a usable column gives an encoder without columns.
  static NodeEncoder fit(const io::NodeTable& table, std::span<const graph::Node> rows,
                         const NodeEncoderOptions& options = {});

  /// [rows of the table, columns()]. Table columns not present when fitting are ignored. Throws ModelError naming the
  /// column if one is missing, DataError with file and line if a numeric column contains text, and with the file if
  /// none of several values of a categorical column was seen in fitting. Values match categories as in
  /// io::CategoryMatch.
  Features encode(const io::NodeTable& table, EncodingReport* report = nullptr) const;

  /// Calls on_row(row, reason) for each value of a table that `encode` takes which is unlike those of the fitting rows:
  /// categories not seen, numbers far outside of the range, values that are missing although none was. Tokens do not
  /// count.
  void find_unlike(const io::NodeTable& table,
                   const std::function<void(std::size_t row, const std::string& reason)>& on_row) const;

  std::size_t columns() const { return names_.size(); }
  /// Whether `encode` returns sparse features, which is the case if there are tokens.
  bool is_sparse() const;
  /// The table columns in use.
  std::vector<std::string> table_columns() const;
  /// The same with the number of columns that encode each.
  std::vector<std::pair<std::string, std::size_t>> column_widths() const;
  /// Those of them that are not numeric.
  std::vector<std::string> text_columns() const;
  /// One line for each column that is dropped or has heavy tails.
  const std::vector<std::string>& notes() const { return notes_; }

  json::Value to_json() const;
  /// Throws ModelError if `value` was not made by `to_json`.
  static NodeEncoder from_json(const json::Value& value);

  /// The logarithm that is added for a numeric column with heavy tails.
  struct Logarithm {
    double median = 0;
    double spread =
        1;  ///< Distance between the quartiles; if 0, the median distance of the other values to the median.
    double mean = 0;    ///< Of the logarithms.
    double deviation = 1;

    /// Not yet standardised.
    double of(double value) const;
  };

  /// How one column of the table is encoded.
  struct Part {
    std::string column;
    bool is_numeric = true;
    bool is_tokens = false;   ///< Categorical, with a first column for unknown categories.
    bool has_value = true;    ///< Numeric: false if only the column "is missing" remains.
    bool has_missing = false;  ///< Whether there is a column "is missing", which comes last.
    double mean = 0;
    double deviation = 1;
    std::optional<Logarithm> logarithm = {};
    std::optional<ValueRange> range = {};  ///< Of the fitting rows; models saved by earlier versions have none.
    std::vector<std::string> categories = {};

    std::size_t width() const {
      if (is_numeric) return (has_value ? 1 : 0) + (logarithm ? 1 : 0) + (has_missing ? 1 : 0);
      return categories.size() + (has_missing || is_tokens ? 1 : 0);
    }
  };

 private:
  void add(Part part);
  Matrix encode_dense(const io::NodeTable& table, std::span<const io::Column* const> columns,
                      EncodingReport* report) const;

  std::vector<Part> parts_;
  std::vector<std::string> names_;
  std::vector<std::string> notes_;
};

/// Divides each row by the sum of its absolute values, as is usual for bags of words; zero rows are unchanged.
void normalise_rows(Features& features);

}  // namespace edgewise::data
