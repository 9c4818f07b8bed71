#include "edgewise/train/source/row_weights.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "edgewise/core/error.hpp"
#include "edgewise/data/splits.hpp"
#include "edgewise/io/text_reader.hpp"
#include "edgewise/train/source/atom_items.hpp"

namespace edgewise::train {

std::vector<float> read_row_weights(const Dataset& data) {
  const std::string& name = data.reading.row_weight;
  if (name.empty()) return {};
  if (data.table.file.empty())
    throw UsageError(fmt::format("data.row_weight: names a column of a table, but {} has none", data.name));
  if (std::ranges::count(data.reading.label, name) > 0)
    throw UsageError(fmt::format("data.row_weight: \"{}\" is a label", name));
  const io::NodeTable& table = data.atoms ? data.atoms->rows : data.table;
  const io::Column& column = table.at(name);
  std::vector<float> weights(data.items().size(), 0.0F);
  bool counts = false;
  for (const graph::Node item : data::labelled_nodes(data.labels)) {
    const std::size_t row = data.atoms ? molecule_of(*data.atoms, item) : item;
    const float weight = table.number(column, row);
    if (!(weight >= 0 && std::isfinite(weight)))
      throw DataError(table.where(row), fmt::format("column \"{}\": expected a weight of at least 0, got {}", name,
                                                    io::quote(column.is_missing(row) ? "" : column.text(row))));
    weights[item] = weight;
    counts = counts || weight > 0;
  }
  if (!counts)
    throw UsageError(fmt::format("data.row_weight: no item with a label has a weight above 0 in \"{}\"", name));
  return weights;
}

}  // namespace edgewise::train
