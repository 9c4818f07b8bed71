#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "edgewise/core/json.hpp"
#include "edgewise/data/node_data.hpp"
#include "edgewise/io/node_table.hpp"

namespace edgewise::data {

struct NodeEncoderOptions {
  /// Columns that are no features: labels, splits, names.
  std::vector<std::string> excluded = {};
  /// A categorical column with more categories in the fitting rows is dropped with a note: it names the nodes.
  std::size_t maximal_categories = 1000;
  /// Categorical columns with a vocabulary, however large: words, characters. See NodeEncoder.
  std::vector<std::string> tokens = {};
};

/// What `encode` met that fitting had not.
struct EncodingReport {
  /// Column, and rows with a category never seen (or missing where none was missing): they are all zeros there.
  std::vector<std::pair<std::string, std::size_t>> unseen;
};

/// Turns a node table into a feature matrix. What it does is learnt from the fitting rows alone (the training rows),
/// and travels inside the model file:
/// - a numeric column becomes (value - mean) / deviation (of the population); where it is missing, 0, which is the
///   mean; and if any fitting row misses it, a second column "NAME is missing" is 1 there;
/// - a categorical column becomes one column "NAME = CATEGORY" for each category of the fitting rows, and if any of
///   them misses it "NAME is missing";
/// - a column of tokens becomes one column "NAME = TOKEN" for each token that at least two fitting rows have, behind
///   one "NAME is unknown" that all others share, the missing among them; features are then sparse, and a first linear
///   map of them is a learned embedding;
/// - what is the same in all fitting rows is left out, and so is a column without a name that counts the rows; `notes`
///   says so.
class NodeEncoder {
 public:
  NodeEncoder() = default;

  /// Throws DataError when there are no fitting rows, UsageError for an excluded column that is not there. A table
  /// without a usable column gives an encoder without columns.
  static NodeEncoder fit(const io::NodeTable& table, std::span<const graph::Node> rows,
                         const NodeEncoderOptions& options = {});

  /// [rows of the table, columns()]. Columns of the table that were not there when fitting are passed over. Throws
  /// ModelError that names the column when one is missing, DataError with file and line when a column has a text
  /// that was numeric.
  Features encode(const io::NodeTable& table, EncodingReport* report = nullptr) const;

  std::size_t columns() const { return names_.size(); }
  /// Whether `encode` gives sparse features: there are tokens.
  bool is_sparse() const;
  const std::vector<std::string>& column_names() const { return names_; }
  /// The columns of the table that are looked at.
  std::vector<std::string> table_columns() const;
  /// One line about each column that was left out, and why.
  const std::vector<std::string>& notes() const { return notes_; }

  json::Value to_json() const;
  /// Throws ModelError when `value` was not made by `to_json`.
  static NodeEncoder from_json(const json::Value& value);

  /// How one column of the table is encoded.
  struct Part {
    std::string column;
    bool is_numeric = true;
    bool is_tokens = false;   ///< Categorical, with a first column for what is not among the categories.
    bool has_value = true;    ///< Numeric: false when only the column "is missing" remains.
    bool has_missing = false;  ///< Whether there is a column "is missing"; it comes last.
    double mean = 0;
    double deviation = 1;
    std::vector<std::string> categories;

    std::size_t width() const {
      if (is_numeric) return (has_value ? 1 : 0) + (has_missing ? 1 : 0);
      return categories.size() + (has_missing || is_tokens ? 1 : 0);
    }
  };

 private:
  void add(Part part);
  Matrix encode_dense(const io::NodeTable& table, EncodingReport* report) const;

  std::vector<Part> parts_;
  std::vector<std::string> names_;
  std::vector<std::string> notes_;
};

/// Divides each row by the sum of its absolute values, as is usual for bags of words; rows of zeros stay.
void normalise_rows(Features& features);

}  // namespace edgewise::data
