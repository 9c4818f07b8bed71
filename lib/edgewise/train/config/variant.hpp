#pragma once

#include <string>
#include <string_view>

#include "edgewise/train/config/model_traits.hpp"

namespace edgewise::train {

/// A model and how it is tried.
struct Variant {
  std::string model;  ///< The preset or baseline.
  int number = 1;     ///< Among models of one preset with different settings.
  bool with_labels = false;       ///< Labels of neighbours are input.
  /// What edges add is measured against it as well: other models without edges may be behind for other reasons.
  bool without_edges = false;
  bool without_features = false;  ///< A node is its own feature instead.
  bool with_words = false;        ///< The names of neighbours in kinds without columns are input, too.
  bool is_smoothed = false;       ///< Its predictions were refined by Correct and Smooth.

  /// "gcn", "gat (2)", "gcn + labels without edges + smooth".
  std::string name() const;
  bool uses_features() const { return !without_features && traits_of(model).uses_features; }
  bool uses_graph() const { return is_smoothed || (!without_edges && traits_of(model).uses_graph); }
  bool uses_attention() const { return !without_edges && traits_of(model).uses_attention; }
  bool is_network() const { return traits_of(model).is_network; }
  bool is_known() const { return traits_of(model).is_known; }
  /// It sees neither features nor, as a network would, labels of others as input: label propagation.
  bool only_spreads_labels() const { return !uses_features() && !is_network(); }

  friend bool operator==(const Variant&, const Variant&) = default;
};

/// The variant with this name; what the name does not say is as in the configuration.
Variant variant_named(std::string_view name);

}  // namespace edgewise::train
