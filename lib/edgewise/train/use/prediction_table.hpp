#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "edgewise/core/matrix.hpp"
#include "edgewise/io/predictions.hpp"
#include "edgewise/train/model/applicability_domain.hpp"
#include "edgewise/train/source/dataset.hpp"

/// @file
/// Predictions as a table, with the columns beside them: what is written, and answered.
namespace edgewise::train {

/// Columns written next to the predictions.
struct ExtraColumns {
  std::vector<io::TextColumn> kept = {};    ///< Before them. Replaces a column of `known` with the same name.
  std::vector<io::TextColumn> domain = {};  ///< After them: whether the items are like those of training.
  std::vector<io::TextColumn> known = {};   ///< After these.
};

/// The columns "similarity" (of molecules) and "unlike"; none if nothing was compared.
std::vector<io::TextColumn> domain_columns(DomainReport domain_report);

/// The table of predictions [items, names], or of only the `selected` items. The columns beside them have one cell per
/// item.
io::Predictions prediction_table(const Dataset& data, data::Task task, const std::vector<std::string>& names,
                                 const Matrix& predictions, const Matrix& deviations, ExtraColumns extra,
                                 std::vector<graph::Node> selected = {});

/// The rows at these places.
io::Predictions rows_at(const std::vector<std::size_t>& places, const io::Predictions& table);

/// Rows of a model as a table of the columns e1, e2, ..., for `nodes` or, if there are none, for all items.
io::Predictions embeddings_table(std::string key, Matrix rows, std::vector<graph::Node> nodes = {});

}  // namespace edgewise::train
