#include "edgewise/train/source/pretraining.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "edgewise/core/error.hpp"
#include "edgewise/core/random.hpp"
#include "edgewise/core/setting.hpp"
#include "edgewise/data/molecules.hpp"
#include "edgewise/data/split_file.hpp"
#include "edgewise/nn/block_table.hpp"
#include "edgewise/train/source/collection_data.hpp"
#include "edgewise/train/source/duplicate_items.hpp"

namespace edgewise::train {
namespace {

constexpr std::string_view kElement = "element = ";
constexpr std::uint64_t kMaskSeed = 0;

std::string for_molecules() {
  return fmt::format("data.task: masked_atoms is for molecules ({})", setting("data.molecules"));
}

std::string for_tokens() {
  return fmt::format("data.task: masked_tokens is for texts ({}), and for nodes with tokens ({})",
                     setting("data.texts"), setting("data.token_columns"));
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

/// Makes the atoms of a table of molecules the items: a collection of the molecular graphs.
void label_atoms(Dataset& data) {
  if (!data.graphs || !data.graphs->are_molecules) throw UsageError(for_molecules());
  data::Labels labels{.names = elements_of(data.reading.atom_features),
                      .classes = {},
                      .targets = {}};
  for (Eigen::Index atom = 0; atom < data.features.dense.rows(); ++atom)
    labels.classes.push_back(element_of(data.features.dense, atom, labels.names.size()));
  data.labels = std::move(labels);
  const auto columns = static_cast<Eigen::Index>(data::atom_feature_names(data.reading.atom_features).size());
  data.encodings = data.features.dense.rightCols(data.features.dense.cols() - columns);
  data.features.dense.conservativeResize(Eigen::NoChange, columns);
  duplicate_of(data);  // while the molecules are known
  Collection& atoms = data.collection.emplace();
  atoms.offsets = std::move(data.graphs->offsets);
  atoms.graphs = std::move(data.graphs->names);
  data.sign_columns = data.graphs->sign_columns;
  data.graphs.reset();
  data.table = {};
  data.splits.clear();
}

/// The most frequent categories of a column that occur more than once, as classes. A rare word has no class.
data::Labels labels_of_tokens(const io::Column& column) {
  std::vector<std::size_t> counts(column.categories.size(), 0);
  for (const std::int32_t code : column.codes)
    if (code >= 0) ++counts[static_cast<std::size_t>(code)];
  std::vector<std::size_t> order(counts.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::ranges::greater(), [&](std::size_t code) { return counts[code]; });
  data::Labels labels{.names = {}, .classes = {}, .targets = {}};
  std::vector<std::int32_t> classes(counts.size(), -1);
  for (const std::size_t code : order) {
    if (counts[code] < 2 || labels.names.size() == kMaxMaskedTokens) break;
    classes[code] = static_cast<std::int32_t>(labels.names.size());
    labels.names.push_back(column.categories[code]);
  }
  for (const std::int32_t code : column.codes)
    labels.classes.push_back(code < 0 ? -1 : classes[static_cast<std::size_t>(code)]);
  return labels;
}

/// Makes the nodes of a collection the items; they have no other features than their tokens.
void label_tokens(Dataset& data) {
  if (!data.collection || data.collection->tokens.empty()) throw UsageError(for_tokens());
  Collection& collection = *data.collection;
  if (data.graphs) {
    duplicate_of(data);  // while the texts are known
    if (data.table.find("split") != nullptr)
      data.splits = {spread_over_nodes(data::split_from_column(data.table, "split"), collection.offsets)};
    data.table = std::move(collection.nodes);
    data.graphs.reset();
  }
  data.labels = labels_of_tokens(data.table.at(collection.tokens.front()));
  if (data.labels.names.size() < 2)
    throw DataError(fmt::format("{}: expected two or more tokens that occur twice, to predict those that are hidden",
                                data.table.file));
  data.reading.ignore.clear();
  for (const io::Column& column : data.table.columns) {
    const bool is_feature = std::ranges::count(collection.tokens, column.name) > 0;
    if (!is_feature && column.name != "split") data.reading.ignore.push_back(column.name);
  }
}

}  // namespace

void check_pretraining(const DataConfig& config) {
  if (!config.label.empty())
    throw UsageError(fmt::format("data.label: {} learns what is hidden, not a column", config.task));
  const bool is_set = !config.dataset.empty();
  if (config.task == kMaskedTokens) {
    if (!is_set && config.texts.empty() && config.graph_column.empty()) throw UsageError(for_tokens());
    return;
  }
  if (!is_set && config.molecules.empty()) throw UsageError(for_molecules());
  if (!config.descriptors.empty() || config.encodings.distances > 0)
    throw UsageError("data.task: masked_atoms uses only the graphs of molecules, without descriptors or distances");
}

void label_masked(Dataset& data) {
  if (data.reading.task == kMaskedAtoms)
    label_atoms(data);
  else
    label_tokens(data);
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

json::Value without_readout(const ModelConfig& model) {
  const bool has_default = model.is_preset() && !model.has("readout");
  const json::Value expanded = nn::expand_model(has_default ? model.with("readout", "mean").json() : model.json());
  json::Array blocks;
  for (const json::Value& block : expanded.at("blocks").as_array()) {
    if (!nn::is_readout(block.at("type").as_string())) {
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
