#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "edgewise/data/catalogue.hpp"
#include "edgewise/data/graph_data.hpp"
#include "edgewise/io/tu_dataset.hpp"

namespace edgewise::data {

/// The only feature of nodes of which nothing is known: 1 for each.
inline constexpr const char* kConstant = "constant";

/// A set of the TU Dortmund collection (Morris et al. 2020) as a graph-level job takes it.
/// - Nodes keep their names and, within a graph, their order; those of one graph are put together where the files
///   have them apart. Graphs are called "1", "2", ...; one without nodes stays, empty.
/// - The files list both directions of an edge. Here an edge is undirected and listed once, with the label and the
///   attributes of the row that came first; `graph.edge_count()` counts it once.
/// - Node features, dense: the labels one-hot ("label 6"), then the attributes ("attribute 1") as they are in the file.
///   They are not standardised, since only the training graphs of a split may say how. A set with neither gets a
///   column of ones (`kConstant`). Edge features are made in the same way; a set may have none.
/// - `task` says what is learnt: classification of the graph labels, or regression of the graph attributes; not given,
///   the labels where there are any. Throws DataError when the set does not have it, unless `needs_labels` is false;
///   UsageError for another task.
/// O(nodes * features + edges * (edge features + log edges)).
GraphData to_graph_data(io::TuDataset&& set, std::optional<Task> task = std::nullopt, bool needs_labels = true);

/// Labels that a model knows, in the order of its columns and outputs. Empty: those of the files.
struct KnownLabels {
  std::vector<std::string> nodes;
  std::vector<std::string> edges;
  std::vector<std::string> graphs;  ///< Classes.
};

/// Numbers the labels of a set as a model knows them, so that each column means what it meant in training. A node or an
/// edge with a label that the model does not know has none; how many there are of which goes to `notes`. Where a graph
/// has a class that the model does not know, the classes stay those of the files.
void use_known_labels(const KnownLabels& known, io::TuDataset& set, std::vector<std::string>& notes);

/// Loads a catalogue set with one label or target a graph. The numbers of graphs, nodes, edges (each once), node
/// features, edge features, classes and labelled graphs are compared with the catalogue's, unless a model knows other
/// labels. There are no given splits. `notes`: of `use_known_labels`.
/// Throws UsageError when the set has another kind of task, DataError when a file is missing (saying where it was
/// looked for), unreadable, or the counts differ.
GraphData load_graph_dataset(const Catalogue& catalogue, const Dataset& dataset,
                             std::span<const std::string> data_directories, const KnownLabels& known = {},
                             std::vector<std::string>* notes = nullptr);

/// The same by name, from the default catalogue.
GraphData load_graph_dataset(std::string_view name, std::span<const std::string> data_directories);

}  // namespace edgewise::data
