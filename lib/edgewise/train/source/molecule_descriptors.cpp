#include "edgewise/train/source/molecule_descriptors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "edgewise/data/append_columns.hpp"
#include "edgewise/data/descriptors.hpp"

namespace edgewise::train {
namespace {

/// RDKit's descriptors are called "rdkit: tpsa" and so on, to avoid clashes with columns of a table.
std::vector<std::string> rdkit_names(const GraphItems& items) {
  std::vector<std::string> names;
  const std::vector<std::string> described =
      items.are_reactions ? data::reaction_descriptor_names()
      : items.mixtures    ? data::mixture_descriptor_names(items.mixtures->size(), items.mixtures->is_sum)
                          : data::descriptor_names();
  for (const std::string& descriptor : described)
    names.push_back(fmt::format("{}: {}", kRdkitDescriptors, descriptor));
  return names;
}

Matrix numbers_of(const Dataset& rows, const io::Column& column, std::size_t first, std::size_t count) {
  Matrix values(static_cast<Eigen::Index>(count), 1);
  for (std::size_t i = 0; i < count; ++i)
    values(static_cast<Eigen::Index>(i), 0) = rows.table.number(column, first + i);
  return values;
}

}  // namespace

bool wants_rdkit(const DataConfig& config) { return std::ranges::count(config.descriptors, kRdkitDescriptors) > 0; }

GraphDescriptors describe_molecules(const Dataset& rows, std::size_t first, std::size_t count, const Matrix& rdkit) {
  GraphDescriptors made;
  made.values.resize(static_cast<Eigen::Index>(count), 0);
  for (const std::string& name : rows.reading.descriptors) {
    if (name == kRdkitDescriptors) {
      data::append_columns(rdkit, made.values);
      std::ranges::copy(rdkit_names(*rows.graphs), std::back_inserter(made.names));
    } else if (const io::Column* column = rows.table.find(name)) {
      data::append_columns(numbers_of(rows, *column, first, count), made.values);
      made.names.push_back(name);
    }
  }
  return made;
}

GraphDescriptors table_descriptors(const GraphItems& molecules) {
  const std::vector<std::string> of_rdkit = rdkit_names(molecules);
  const GraphDescriptors& all = molecules.descriptors;
  GraphDescriptors made{.names = {}, .values = Matrix(static_cast<Eigen::Index>(molecules.smiles.size()), 0)};
  for (std::size_t i = 0; i < all.names.size(); ++i) {
    if (std::ranges::count(of_rdkit, all.names[i]) > 0) continue;
    made.names.push_back(all.names[i]);
    data::append_columns(Matrix(all.values.col(static_cast<Eigen::Index>(i))), made.values);
  }
  return made;
}

const GraphDescriptors& rdkit_descriptors(const GraphItems& molecules) {
  return molecules.rdkit.get([&] {
    return GraphDescriptors{.names = rdkit_names(molecules), .values = rdkit_values(molecules, molecules.smiles)};
  });
}

Matrix rdkit_values(const GraphItems& kind, std::span<const std::string> texts) {
  if (kind.are_reactions) return data::reaction_descriptors(texts).values;
  if (kind.mixtures) return data::mixture_descriptors(texts, kind.mixtures->size(), kind.mixtures->is_sum).values;
  return data::molecule_descriptors(texts).values;
}

}  // namespace edgewise::train
