#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "edgewise/core/json.hpp"
#include "edgewise/core/matrix.hpp"
#include "edgewise/data/molecule_profiles.hpp"
#include "edgewise/graph/graph.hpp"
#include "edgewise/train/baselines/kernel_map.hpp"

namespace edgewise::train {

/// How items compare to those that a model was trained on.
struct DomainReport {
  std::vector<float> similarity;     ///< Of molecules to the nearest training molecule, 0 to 1; NaN if unreadable.
  std::vector<std::string> reasons;  ///< Why the item is unlike all of training, in a few words; "" if it is not.

  /// Adds another reason, unless it is there already or there are many.
  void add(std::size_t item, const std::string& reason);
  /// The number of items with a reason.
  std::size_t unlike() const;
};

/// What is kept of the training items to tell which new ones are unlike all of them, beside the ranges and categories
/// of their features.
class ApplicabilityDomain {
 public:
  /// Of nothing: no item is compared.
  ApplicabilityDomain() = default;

  /// Molecules are unlike those of training if one in a thousand of these or fewer has such an atom (element and
  /// charge), or is as small or large or charged, or has as many parts; or if their Tanimoto similarity to the nearest
  /// one (Morgan fingerprints of 1,024 bits, radius 2) is lower than that of 99 % of the training molecules among each
  /// other. Of more than 100,000 molecules some are kept, evenly spaced. `with_novelty`: also keeps what `novelty`
  /// needs.
  static ApplicabilityDomain of_molecules(std::span<const std::string> smiles, bool with_novelty = false);

  /// Nodes without neighbours are unlike those of training if at most one in a hundred of these has none.
  static ApplicabilityDomain of_nodes(const graph::Graph& graph, std::span<const graph::Node> training);

  bool is_empty() const { return fingerprints_.empty() && !has_nodes_; }
  bool is_of_molecules() const { return !fingerprints_.empty(); }
  bool has_novelty() const { return !pivots_.empty(); }

  /// One entry per row. O(rows * training molecules).
  DomainReport compare(std::span<const std::string> smiles) const;
  /// One entry per node, without similarities. Loops are no neighbours.
  DomainReport compare(const graph::Graph& graph) const;

  /// [rows, 1]: `unexplained` by the Tanimoto similarity to at most 1,000 training molecules that stand for all: 0 for
  /// these, 1 for a molecule that has nothing in common with them, NaN for rows that cannot be read.
  Matrix novelty(std::span<const std::string> smiles) const;

  json::Value to_json() const;
  /// Throws ModelError if `value` was not made by `to_json`.
  static ApplicabilityDomain from_json(const json::Value& value);

 private:
  /// The usual values of a whole number.
  struct Range {
    int lowest = 0, highest = 0;

    static Range of(std::vector<int> values);
    bool holds(int value) const { return value >= lowest && value <= highest; }
    json::Value to_json() const;
    static Range from_json(const json::Value& value);
  };

  void add(const data::MoleculeBits& bits);
  double nearest(const data::MoleculeBits& bits, const data::MoleculeBits* except = nullptr) const;
  void keep_pivots(std::vector<graph::Node> pivots);
  std::string reason_against(const data::MoleculeProfile& profile, double similarity) const;

  // Molecules
  std::vector<data::MoleculeBits> fingerprints_;
  std::vector<std::size_t> counts_;           // of their bits
  std::vector<std::string> atoms_;            // ascending, those that are not rare
  Range sizes_, parts_, charges_;
  double least_similarity_ = 0;
  std::vector<graph::Node> pivots_;         // of fingerprints_, for novelty
  std::optional<KernelMap> similar_ = {};  // to the pivots
  // Nodes
  bool has_nodes_ = false;
  bool has_isolated_ = false;  // many training nodes have no neighbour
};

}  // namespace edgewise::train
