#include "edgewise/train/source/masked_atoms.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "edgewise/core/error.hpp"
#include "edgewise/core/random.hpp"
#include "edgewise/core/setting.hpp"
#include "edgewise/data/molecules.hpp"
#include "edgewise/train/source/repeats.hpp"

namespace edgewise::train {
namespace {

constexpr std::string_view kElement = "element = ";
constexpr std::uint64_t kMaskSeed = 0;
std::string for_molecules() {
  return fmt::format("data.task: masked_atoms is for molecules ({})", setting("data.molecules"));
}

/// Names of the elements, which are the first feature columns.
std::vector<std::string> elements_of(const std::string& atom_features) {
  std::vector<std::string> elements;
  for (const std::string& name : data::atom_feature_names(atom_features))
    if (name.starts_with(kElement)) elements.push_back(name.substr(kElement.size()));
  return elements;
}

/// The index of the first column that is 1; -1 for a virtual node.
std::int32_t element_of(const Matrix& features, Eigen::Index atom, std::size_t elements) {
  for (std::size_t i = 0; i < elements; ++i)
    if (features(atom, static_cast<Eigen::Index>(i)) == 1) return static_cast<std::int32_t>(i);
  return -1;
}

}  // namespace

bool is_pretraining(const DataConfig& config) { return config.task == kMaskedAtoms; }

void check_pretraining(const DataConfig& config) {
  if (config.molecules.empty() && config.dataset.empty()) throw UsageError(for_molecules());
  if (!config.label.empty())
    throw UsageError("data.label: masked_atoms learns the elements of atoms, not a column");
  if (!config.descriptors.empty() || config.encodings.distances > 0)
    throw UsageError("data.task: masked_atoms uses only the graphs of molecules, without descriptors or distances");
}

void label_atoms(Dataset& data) {
  if (!data.graphs || !data.graphs->are_molecules) throw UsageError(for_molecules());
  data::Labels labels{.task = data::Task::classification,
                      .names = elements_of(data.reading.atom_features),
                      .classes = {},
                      .targets = {}};
  for (Eigen::Index atom = 0; atom < data.features.dense.rows(); ++atom)
    labels.classes.push_back(element_of(data.features.dense, atom, labels.names.size()));
  data.labels = std::move(labels);
  first_equals(data);  // while the molecules are known
  Collection& atoms = data.collection.emplace();
  atoms.offsets = std::move(data.graphs->offsets);
  atoms.graphs = std::move(data.graphs->names);
  data.sign_columns = data.graphs->sign_columns;
  data.graphs.reset();
  data.table = {};
  data.splits.clear();
  data.reading.label.clear();
}

data::Split masked_split(const data::Split& split) {
  data::Split masked = split;
  Random random(kMaskSeed, Stream::split);
  for (data::Role& role : masked) {
    const bool is_hidden = random.uniform() < kMaskedShare;
    if (role != data::Role::train && !is_hidden) role = data::Role::none;
  }
  return masked;
}

json::Value without_readout(const json::Value& model) {
  json::Value whole = model;
  if (model.find("preset") != nullptr && model.find("readout") == nullptr) whole.set("readout", "mean");
  const json::Value expanded = nn::expand_model(whole);
  json::Array blocks;
  for (const json::Value& block : expanded.at("blocks").as_array()) {
    const std::string& type = block.at("type").as_string();
    if (!type.ends_with("readout") && type != "set2set") {
      blocks.push_back(block);
      continue;
    }
    blocks.emplace_back(json::Object{{"type", "linear"}, {"width", "outputs"}});
    json::Value body = expanded;
    body.set("blocks", std::move(blocks));
    return body;
  }
  throw UsageError("model: expected one with a readout; the layers before it are pretrained");
}

}  // namespace edgewise::train
