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
#include "edgewise/io/edge_list.hpp"

namespace edgewise::io::detail {

/// A column of an edge list, or an attribute of the edges of a graph file, that becomes features of the edges: a
/// number, or a column of 0 and 1 for each category.
class EdgeFeature {
 public:
  /// Of numbers, or of categories when the first value is no number, or when `is_categorical`. With `known` categories
  /// there are these and no others, in this order.
  EdgeFeature(std::string name, bool is_categorical, const std::vector<std::string>* known);

  /// The value of the next edge; an empty text is no category. Throws DataError for what is not a finite number in a
  /// column of numbers, and for more categories than a feature of edges may have.
  void add(std::string_view text, const std::string& path, std::uint64_t line);

  /// One a column of `write`: "years", "kind = friend".
  std::vector<std::string> names() const;
  /// Into the columns of `features` from `first` on.
  void write(Eigen::Index first, Matrix& features) const;

  const std::string& name() const { return name_; }
  bool is_categorical() const { return is_categorical_; }
  /// Those that are known, or all that were seen, by their bytes.
  std::vector<std::string> categories() const;
  /// Values that are none of the known categories.
  std::uint64_t unknown() const { return unknown_; }

 private:
  void add_category(std::string_view text, const std::string& path, std::uint64_t line);

  std::string name_;
  bool is_categorical_;
  bool is_closed_;  // no category is added
  std::vector<float> numbers_;
  std::vector<std::int32_t> codes_;  // into texts_, -1 for none
  std::vector<std::string> texts_;
  std::unordered_map<std::string, std::int32_t> places_;
  std::uint64_t unknown_ = 0;
};

/// The feature of a column, with the known `categories` of that column if there are any.
EdgeFeature edge_feature(const std::string& column, bool is_categorical, const Categories& categories);

/// Features and their names into `edges`, which have none yet.
EdgeFeatureReport write_features(std::span<const EdgeFeature> features, graph::EdgeList& edges);

}  // namespace edgewise::io::detail
