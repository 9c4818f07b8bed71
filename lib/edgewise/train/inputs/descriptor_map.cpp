#include "edgewise/train/inputs/descriptor_map.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "edgewise/core/error.hpp"
#include "edgewise/core/sparse_columns.hpp"
#include "edgewise/data/fingerprints.hpp"
#include "edgewise/data/molecules.hpp"
#include "edgewise/train/source/molecule_descriptors.hpp"

namespace edgewise::train {
namespace {

/// One line for each descriptor that is missing for some readable molecules, for the first few.
std::vector<std::string> missing_notes(const Dataset& data, const GraphDescriptors& descriptors) {
  constexpr std::size_t kShown = 3;
  std::vector<std::string> notes;
  for (std::size_t i = 0; i < descriptors.names.size() && notes.size() < kShown; ++i) {
    std::size_t missing = 0;
    for (std::size_t row = 0; row < data.items().size(); ++row)
      missing += data.graphs->problems[row].empty() &&
                 !std::isfinite(descriptors.values(static_cast<Eigen::Index>(row), static_cast<Eigen::Index>(i)));
    if (missing > 0)
      notes.push_back(fmt::format("descriptor \"{}\": missing for {} of {} molecules; replaced by the mean",
                                  descriptors.names[i], missing, data.items().size()));
  }
  return notes;
}

/// Throws ModelError if there are none.
const GraphItems& molecules_of(const Dataset& data) {
  if (!data.graphs || !data.graphs->are_molecules)
    throw ModelError(fmt::format("{}: the model is made for molecules, but there are none", data.name));
  return *data.graphs;
}

}  // namespace

SparseMatrix fingerprints_of(const Dataset& data, std::size_t columns) {
  const bool stereo = data::has_all_stereo(data.reading.atom_features);
  return data::morgan_fingerprints(molecules_of(data).smiles, {.bits = columns, .counts = true, .stereo = stereo})
      .features.sparse;
}

SparseMatrix tree_features(const Matrix& scaled, const Dataset& data) {
  return side_by_side(with_all_entries(scaled), fingerprints_of(data, kTreeFingerprintColumns));
}

DescriptorMap DescriptorMap::fit(const Dataset& data, std::span<const graph::Node> train_items) {
  DescriptorMap map;
  if (data.reading.descriptors.empty() || !data.graphs) return map;
  map = fit(data.graphs->descriptors, train_items);
  map.notes_ = missing_notes(data, data.graphs->descriptors);
  return map;
}

DescriptorMap DescriptorMap::fit(const GraphDescriptors& descriptors, std::span<const graph::Node> train_items) {
  DescriptorMap map;
  map.names_ = descriptors.names;
  map.scaler_ = data::ColumnScaler::fit(descriptors.values, train_items);
  return map;
}

/// The descriptors this was fitted to: at any position in `data`, or RDKit's, which a baseline adds to those of the
/// job.
GraphDescriptors DescriptorMap::find(const Dataset& data) const {
  const GraphDescriptors none;
  const GraphDescriptors& found = data.graphs ? data.graphs->descriptors : none;
  if (found.names == names_) return found;
  const bool has_rdkit = data.graphs && data.graphs->are_molecules;
  GraphDescriptors wanted{.names = names_,
                          .values = Matrix(static_cast<Eigen::Index>(data.items().size()),
                                           static_cast<Eigen::Index>(names_.size()))};
  for (std::size_t i = 0; i < names_.size(); ++i) {
    const bool is_found = std::ranges::count(found.names, names_[i]) > 0;
    const GraphDescriptors& from = is_found || !has_rdkit ? found : rdkit_descriptors(*data.graphs);
    const auto place = std::ranges::find(from.names, names_[i]);
    if (place == from.names.end())
      throw ModelError(fmt::format("{}: the model needs the column \"{}\" of the {}, but there is none", data.name,
                                   names_[i], data.noun().many));
    wanted.values.col(static_cast<Eigen::Index>(i)) = from.values.col(place - from.names.begin());
  }
  return wanted;
}

Matrix DescriptorMap::apply(const Dataset& data) const {
  if (columns() == 0) return {};
  const Matrix scaled = names_.empty() ? Matrix() : scale(find(data));
  if (kernel_ && kernel_->is_tanimoto()) return kernel_->apply(fingerprints_of(data, kFingerprintColumns), scaled);
  if (kernel_)
    return kernel_->apply(Matrix(scaled.leftCols(scaled.cols() - kernel_->further_columns())),
                          Matrix(scaled.rightCols(kernel_->further_columns())));
  return trees_ ? trees_->apply(tree_features(scaled, data)) : scaled;
}

std::vector<std::string> DescriptorMap::far_notes(const io::NodeTable& table) const {
  std::vector<std::string> notes;
  for (std::size_t i = 0; i < names_.size(); ++i) {
    const std::optional<data::ValueRange>& range = scaler_.range(i);
    const io::Column* column = table.find(names_[i]);
    if (!range || column == nullptr || !column->is_numeric) continue;
    data::FarValues far;
    for (std::size_t row = 0; row < column->size(); ++row) far.add(column->numbers[row], row, *range);
    if (far.are_odd())
      notes.push_back(fmt::format("descriptor \"{}\": {}", names_[i],
                                  to_string(far, *range, fmt::format("row {}", far.row + 1))));
  }
  return notes;
}

void DescriptorMap::find_unlike(const io::NodeTable& table,
                                const std::function<void(std::size_t row, const std::string& reason)>& on_row) const {
  for (std::size_t i = 0; i < names_.size(); ++i) {
    const std::optional<data::ValueRange>& range = scaler_.range(i);
    const io::Column* column = table.find(names_[i]);
    if (!range || column == nullptr || !column->is_numeric) continue;
    for (std::size_t row = 0; row < column->size(); ++row)
      if (range->is_far(column->numbers[row]))
        on_row(row, fmt::format("{} {:.6g}, in training {:.6g} to {:.6g}", names_[i], column->numbers[row],
                                range->smallest, range->largest));
  }
}

json::Value DescriptorMap::to_json() const {
  json::Value value = scaler_.to_json();
  value.set("names", names_);
  if (kernel_) value.set("kernel", kernel_->to_json());
  if (trees_) value.set("trees", trees_->to_json());
  return value;
}

DescriptorMap DescriptorMap::from_json(const json::Value& value) {
  DescriptorMap map;
  map.scaler_ = data::ColumnScaler::from_json(value);
  try {
    map.names_ = value.at("names").as_strings();
  } catch (const UsageError& error) {
    throw ModelError(fmt::format("descriptors: {}", error.what()));
  }
  if (map.names_.size() != map.scaler_.columns())
    throw ModelError(fmt::format("descriptors: {} names, but {} columns", map.names_.size(), map.scaler_.columns()));
  if (const json::Value* kernel = value.find("kernel")) map.kernel_ = KernelMap::from_json(*kernel);
  if (const json::Value* trees = value.find("trees")) map.trees_ = TreeMap::from_json(*trees);
  return map;
}

}  // namespace edgewise::train
