#pragma once

#include <optional>
#include <span>
#include <string>

#include "edgewise/data/catalogue.hpp"
#include "edgewise/data/node_data.hpp"
#include "edgewise/data/node_encoder.hpp"
#include "edgewise/io/node_table.hpp"

namespace edgewise::data {

struct LoadOptions {
  /// Which of the data set's given splits to use; empty: the first. Throws UsageError if it does not exist.
  std::string split = {};
  /// Whether to divide the rows of sparse features by their sum; by default, as the catalogue says.
  std::optional<bool> normalise_rows = std::nullopt;
};

/// A data set ready for training.
struct LoadedDataset {
  NodeData data;
  /// Set if the features come from the columns of a table; fitted on the training rows of the first split.
  std::optional<NodeEncoder> encoder;
  /// The table, if the set is a table of attributes; else without rows.
  io::NodeTable table;
};

/// Loads a data set with one label per node. Nodes are in the order of the label file. Sets without features get the
/// identity: each node is its own feature. Undirected edges are stored once in the files and give two arcs. The numbers
/// of nodes, edges, features, classes and labelled nodes are checked against the catalogue. Throws UsageError if the
/// set has another kind of task, DataError if a file is missing (listing the places searched) or unreadable, or the
/// counts differ.
LoadedDataset load_dataset(const Catalogue& catalogue, const CatalogueSet& dataset,
                           std::span<const std::string> data_directories, const LoadOptions& options = {});

}  // namespace edgewise::data
