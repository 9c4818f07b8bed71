#pragma once

#include <string>
#include <vector>

#include "edgewise/core/matrix.hpp"

namespace edgewise::io {

/// Which parts of a source were looked at for each part of a target.
struct Alignment {
  std::vector<std::string> sources;
  std::vector<std::string> targets;
  std::vector<std::string> layers;
  std::vector<Matrix> weights;  ///< Of each layer: [targets, sources], rows with the sum 1; the mean over its heads.

  /// The mean over the layers.
  Matrix mean() const;
};

/// Writes a picture (.svg) of the mean over the layers, or all weights as .csv or .jsonl, also with .gz: layer,
/// target_place, target, source_place, source, weight, with places counted from 1. Throws UsageError for another name.
void write_alignment(const std::string& path, const Alignment& alignment);

/// Throws UsageError if `write_alignment` does not know the format.
void check_alignment_path(const std::string& path);

}  // namespace edgewise::io
