#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "edgewise/data/node_labels.hpp"
#include "edgewise/io/column.hpp"
#include "edgewise/train/config/data_config.hpp"
#include "edgewise/train/config/split_config.hpp"
#include "edgewise/train/loop/part_holding.hpp"
#include "edgewise/train/source/dataset.hpp"

/// @file
/// What decides how files are read, besides DataConfig.
namespace edgewise::train {

/// Columns with node names, with the ends of edges and with weights that a model does not need.
struct NamingColumns {
  std::string id;
  std::string source;
  std::string target;
  std::string weight;
};

struct LoadOptions {
  /// Whether `DataConfig::label` must exist. If false, labels are read if the table has them.
  bool needs_labels = true;
  /// A model's classes or labels and their task, if the data is for an existing model.
  std::vector<std::string> known_labels = {};
  std::string known_task = {};
  /// Number of sparse feature columns if fixed by a model; 0: as in the file.
  std::uint32_t sparse_columns = 0;
  std::string split_name = {};    ///< SplitConfig::name
  std::vector<std::string> split_columns = {};  ///< SplitConfig::columns
  bool has_split_file = false;                  ///< SplitConfig::file names one.
  std::string split_time = {};                  ///< SplitConfig::time
  /// Of a model of ties without kinds: whether they led from one side of nodes to another.
  std::optional<bool> has_two_sides = std::nullopt;
  /// Whether graphs have the labels, if the data is for an existing model; decides for collections.
  std::optional<bool> is_graph_level = std::nullopt;
  /// Label columns that are not features of rows even if there is nothing to learn.
  std::vector<std::string> label_columns = {};
  /// From a model's training; used if `DataConfig` names none and the files have them.
  NamingColumns naming_columns = {};
  /// Columns of nodes and of items whose spelling matters: a model's categories and labels, and what is kept.
  io::ReadAsText texts = {};
  /// False for an existing model that uses no edges: a collection may then lack the column for them.
  bool needs_edges = true;
  /// If set, it gets the edges of an edge list piece by piece, and the data is read without any.
  std::function<void(const graph::EdgeList& piece)> take_edges = {};
  /// For a frozen network, handed on with the data; DataConfig::memory comes first. Without a folder, the temporary
  /// file is beside the network.
  PartHolding parts = {};
  StartModel start = {};  ///< Handed on with the data, so that it is loaded once for all runs.

  /// Whether the data is for an existing model.
  bool is_for_model() const { return !known_labels.empty(); }
};

/// For data that is to be split in this way.
LoadOptions load_options_for(const SplitConfig& split);

/// The columns of nodes and of items to read as texts, whether or not the files have them.
io::ReadAsText read_as_text(const DataConfig& config, const LoadOptions& options);

/// The task in DataConfig::task; nothing for "auto".
std::optional<data::Task> task_of(const std::string& name);
/// The task of a model, if the data is for one, else the one that is asked for.
std::optional<data::Task> task_of(const DataConfig& config, const LoadOptions& options);

/// How to read the labels in DataConfig::label.
data::LabelOptions label_options(const DataConfig& config, std::optional<data::Task> task, const LoadOptions& options);

}  // namespace edgewise::train
