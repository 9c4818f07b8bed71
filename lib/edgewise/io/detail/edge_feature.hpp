#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "edgewise/core/error.hpp"
#include "edgewise/core/matrix.hpp"
#include "edgewise/io/category.hpp"
#include "edgewise/io/edge_feature_report.hpp"

namespace edgewise::io::detail {

/// A column of an edge list, or an edge attribute of a graph file, that becomes edge features: one number, or one 0/1
/// column per category.
class EdgeFeature {
 public:
  /// Numeric, or categorical if the first value that is not missing is no number or `is_categorical` is set. With
  /// `known` categories, exactly these are used, in this order. They and the texts that mean `missing` must outlive
  /// this.
  EdgeFeature(std::string name, bool is_categorical, const std::vector<std::string>* known,
              std::span<const std::string> missing);

  /// Adds the value of the next edge; one that is missing means no category. Throws DataError for a value in a numeric
  /// column that is missing or not a finite number, and for more categories than an edge feature may have. A value that
  /// spells a known category in another way is that category (CategoryMatch).
  void add(std::string_view text, const std::string& path, std::uint64_t line);

  /// One per column of `write`: "years", "kind = friend".
  std::vector<std::string> names() const;
  /// Writes the columns of `features` starting at `first`.
  void write(Eigen::Index first, Matrix& features) const;

  const std::string& name() const { return name_; }
  bool is_categorical() const { return is_categorical_; }
  /// The known categories, or else all that were seen, sorted bytewise.
  std::vector<std::string> categories() const;
  /// Number of values that match none of the known categories.
  std::uint64_t unknown() const { return unseen_.count(); }
  /// See UnseenValues::check.
  void check_known(const std::string& path) const;

 private:
  bool is_missing(std::string_view text) const;
  void decide(std::string_view text, const std::string& path, std::uint64_t line);
  void add_category(std::string_view text, const std::string& path, std::uint64_t line);
  void add_known(std::string_view text);

  std::string name_;
  bool is_categorical_;
  std::span<const std::string> missing_;
  bool is_undecided_;  // all values so far are missing
  bool is_closed_;     // no new categories are added
  std::string first_text_;
  std::uint64_t first_line_ = 0;
  std::vector<float> numbers_;
  std::vector<std::int32_t> codes_;  // into texts_, -1 for none
  std::vector<std::string> texts_;
  std::unordered_map<std::string, std::int32_t> places_;
  std::optional<CategoryMatch> match_;  // of the known categories
  UnseenValues unseen_;
  std::uint64_t known_ = 0;  // values that are among the known categories
};

/// The feature for a column, using that column's known `categories`, if any.
EdgeFeature edge_feature(const std::string& column, bool is_categorical, const Categories& categories,
                         std::span<const std::string> missing);

/// Stores the features and their names in `edges`, which must not have any yet. Throws DataError for
/// the file `path` as EdgeFeature::check_known.
EdgeFeatureReport write_features(std::span<const EdgeFeature> features, const std::string& path,
                                 graph::EdgeList& edges);

}  // namespace edgewise::io::detail
