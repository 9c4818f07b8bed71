#pragma once

#include <vector>

#include "edgewise/core/matrix.hpp"

namespace edgewise {

/// A column of its own for each row, such that the costs add up to the least: result[row] is its column. costs [R, C]
/// with R <= C. Shortest augmenting paths with potentials (Kuhn 1955; Jonker and Volgenant 1987), in time R^2 C and in
/// double; of equal solutions always the same one. Throws UsageError for more rows than columns and for costs that are
/// not finite.
std::vector<Eigen::Index> assign(ConstMatrixRef costs);

}  // namespace edgewise
