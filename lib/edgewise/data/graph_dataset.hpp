#pragma once

#include <optional>
#include <span>
#include <string>

#include "edgewise/data/catalogue.hpp"
#include "edgewise/data/graph_data.hpp"
#include "edgewise/io/tu_dataset.hpp"

namespace edgewise::data {

/// The only feature of nodes without features: 1 for each.
inline constexpr const char* kConstant = "constant";

/// Converts a set of the TU Dortmund collection (Morris et al. 2020) for a graph-level job.
/// - Nodes keep their names and their order within a graph; nodes of one graph that are scattered in the files are
///   brought together. Graphs are called "1", "2", ...; one without nodes stays, empty.
/// - The files list both directions of an edge. Here each edge is undirected and listed once, with the label and the
///   attributes of the row that came first; `graph.edge_count()` counts it once.
/// - Node features are dense: one-hot labels ("label 6"), then the attributes ("attribute 1") as in the file. They are
///   not standardised, since the scale may only be fitted to the training graphs of a split. A set with neither gets a
///   column of ones (`kConstant`). Edge features are built in the same way; a set may have none.
/// - `task` selects the target: classification of the graph labels, or regression of the graph attributes. By default
///   the labels are used if there are any. Throws DataError if the set lacks the target, unless `needs_labels` is
///   false; UsageError for another task.
///
/// O(nodes * features + edges * (edge features + log edges)).
GraphData to_graph_data(io::TuDataset&& set, std::optional<Task> task = std::nullopt, bool needs_labels = true);

/// Labels known to a model, in the order of its columns and outputs. If empty, the labels of the files are used.
struct KnownLabels {
  std::vector<std::string> nodes;
  std::vector<std::string> edges;
  std::vector<std::string> graphs;  ///< Classes.
};

/// Renumbers the labels of a set to match a model, so that each column means the same as in training. Nodes and edges
/// with labels unknown to the model get none; their counts are added to `notes`. If a graph has a class unknown to the
/// model, the classes of the files are kept. Throws ModelError, naming the file, if the labels of nodes or edges are
/// known but missing here.
void use_known_labels(const KnownLabels& known, io::TuDataset& set, std::vector<std::string>& notes);

/// Loads a catalogue set with one label or target per graph. The numbers of graphs, nodes, edges (each counted once),
/// node features, edge features, classes and labelled graphs are checked against the catalogue, unless a model defines
/// other labels. There are no given splits. `notes` are those of `use_known_labels`. Throws UsageError if the set has
/// another kind of task, DataError if a file is missing (listing the places searched) or unreadable, or the counts
/// differ.
GraphData load_graph_dataset(const Catalogue& catalogue, const CatalogueSet& dataset,
                             std::span<const std::string> data_directories, const KnownLabels& known = {},
                             std::vector<std::string>* notes = nullptr);

}  // namespace edgewise::data
