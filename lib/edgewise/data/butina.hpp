#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "edgewise/data/molecule_profiles.hpp"

namespace edgewise::data {

/// The least similarity of a molecule to the centre of its cluster, by default: that of DeepChem's split by clusters.
inline constexpr double kClusterSimilarity = 0.4;

/// Clusters by Butina, "Unsupervised Data Base Clustering Based on Daylight's Fingerprint and Tanimoto Similarity" (J.
/// Chem. Inf. Comput. Sci. 1999): the molecule with most others at least as similar to it becomes the centre of a
/// cluster with all of these that are in none yet, and so on; of equal ones the first. Returns the row of the centre
/// for each row. O(rows^2) time, O(rows) memory, parallel over rows.
std::vector<std::uint32_t> butina_clusters(std::span<const MoleculeBits> molecules,
                                           double similarity = kClusterSimilarity);

/// The same for SMILES. Rows that RDKit cannot read are a cluster.
std::vector<std::uint32_t> butina_clusters(std::span<const std::string> smiles,
                                           double similarity = kClusterSimilarity);

}  // namespace edgewise::data
