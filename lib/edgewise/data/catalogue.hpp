#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "edgewise/core/json.hpp"

namespace edgewise::data {

struct DatasetFile {
  std::string role;    ///< "edges", "features", "labels", "split", "nodes", "graph", "molecules", ..., "other".
  std::string path;    ///< Relative to the catalogue's directory or a data directory.
  std::string sha256;  ///< Of what it holds, without gzip.
  std::string split;   ///< For a "split" file: the name of the split.
};

/// A published result for a data set.
struct PublishedResult {
  std::string model;
  std::string metric;
  std::string value;  ///< As printed, such as "83.0 ± 0.7".
  std::string reference;
  std::string protocol;
  bool verified = false;  ///< Checked against the source, not quoted from memory.
};

/// An entry of the catalogue. See docs/datasets.md for the meaning of each member.
struct CatalogueSet {
  std::string name;
  std::string title;
  std::string task;      ///< "node classification", "node regression", "graph classification", "molecule ...", ...
  bool shipped = false;  ///< Shipped next to the catalogue.
  std::string format;    ///< "table", "rows", "musae", "gml", "tu", "molecules", "collection", "pairs".
  std::string label;   ///< Column of the labels; "" means the format's default.
  std::string id;      ///< Column of the node names; "" means the format's default.
  std::string smiles;  ///< Molecules: column of the SMILES.
  json::Value reading = json::Object{};  ///< Collections and pairs: members of "data" of a configuration.
  std::vector<std::string> targets;  ///< Molecules: columns to learn.
  bool directed = false;
  bool normalise_rows = false;         ///< The protocol divides each feature row by its sum.
  bool keeps_first_duplicate = false;  ///< If a node has two rows in the label file, the first counts.
  std::string split;                   ///< The protocol in words.
  std::vector<std::string> splits;     ///< Names of the given splits, default first.
  std::string metric;
  std::string source;
  std::string licence;
  std::vector<DatasetFile> files;
  std::vector<std::pair<std::string, std::size_t>> counts;  ///< "nodes", "edges", "features", "classes", ...
  std::vector<PublishedResult> published;

  /// The count, or nothing.
  std::optional<std::size_t> count(std::string_view what) const;
  /// The file with this role; among several splits, the one called `split`. nullptr if there is none.
  const DatasetFile* file(std::string_view role, std::string_view split = "") const;
  /// Whether `load_dataset` can load it: a "node ..." task.
  bool is_node_level() const { return task.starts_with("node ") && !is_collection(); }
  /// Whether `load_graph_dataset` can load it: a "graph ..." task, with one label per graph.
  bool is_graph_level() const { return task.starts_with("graph ") && !is_collection(); }
  /// Graphs whose nodes are rows of a table; the labels belong to nodes or graphs.
  bool is_collection() const { return format == "collection"; }
  /// A "pairs" task: sources and their targets.
  bool is_pairs() const { return format == "pairs"; }
  /// A "molecule ..." task: a table of SMILES and their attributes.
  bool is_molecules() const { return task.starts_with("molecule "); }
};

struct Catalogue {
  std::string directory;
  std::vector<CatalogueSet> datasets;
};

/// Reads `directory`/catalogue.json. Throws DataError or UsageError naming the invalid member.
Catalogue read_catalogue(const std::string& directory);

/// The catalogue's directory: EDGEWISE_DATASETS if set, else the one beside the folder of the program (or the shared
/// object), so that an installed copy can be moved; else the source tree this library was built from, else the
/// installation directory.
std::string default_catalogue_directory();
/// Directories of data sets that are not shipped: EDGEWISE_DATA, separated by colons.
std::vector<std::string> default_data_directories();

/// Throws UsageError suggesting the closest names if `name` is unknown.
const CatalogueSet& find_dataset(const Catalogue& catalogue, std::string_view name);

/// Locates a file: in the catalogue's directory, else in the first data directory that has it.
std::optional<std::string> locate(const Catalogue& catalogue, const DatasetFile& file,
                                  std::span<const std::string> data_directories);

/// The same for the file with a role; among several splits, the one called `split`. Throws DataError listing the places
/// searched.
std::string require_file(const Catalogue& catalogue, const CatalogueSet& dataset,
                         std::span<const std::string> data_directories, std::string_view role,
                         std::string_view split = "");

/// Throws DataError if a count differs from the catalogue's.
void check_counts(const CatalogueSet& dataset, std::span<const std::pair<std::string_view, std::size_t>> found);

enum class DatasetState { here, missing, damaged };
struct DatasetStatus {
  DatasetState state = DatasetState::missing;
  std::string detail;          ///< The first file that is missing or has a different checksum; "" if all is well.
  std::size_t bytes = 0;       ///< Total size of the files present.
};

/// Whether all files are present and unchanged since the catalogue was written.
DatasetStatus dataset_status(const Catalogue& catalogue, const CatalogueSet& dataset,
                             std::span<const std::string> data_directories);

}  // namespace edgewise::data
