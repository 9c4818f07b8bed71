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
  std::string path;    ///< Below the catalogue's directory or a data directory.
  std::string sha256;  ///< Of the bytes on the disk.
  std::string split;   ///< Of a "split" file: what the split is called.
};

/// A number that was published for a set.
struct PublishedResult {
  std::string model;
  std::string metric;
  std::string value;  ///< As printed, such as "83.0 ± 0.7".
  std::string reference;
  std::string protocol;
  bool verified = false;  ///< Read in a source, not remembered.
};

/// An entry of the catalogue. docs/datasets.md says what each member means.
struct Dataset {
  std::string name;
  std::string title;
  std::string task;      ///< "node classification", "node regression", "graph classification", "molecule ...", ...
  bool shipped = false;  ///< Lies beside the catalogue.
  std::string format;    ///< "table", "rows", "musae", "gml", "tu", "molecules", "listops", "collection".
  std::string label;   ///< Column of the labels; "" means the format's own.
  std::string id;      ///< Column of the node names; "" means the format's own.
  std::string smiles;  ///< Molecules: their column of SMILES.
  json::Value reading = json::Object{};  ///< Collections: members of "data" of a configuration.
  std::vector<std::string> targets;  ///< Molecules: columns to be learnt.
  bool directed = false;
  bool normalise_rows = false;         ///< The protocol divides each row of the features by its sum.
  bool keeps_first_duplicate = false;  ///< For nodes with two rows in the label file, the first row counts.
  std::string split;                   ///< The protocol in words.
  std::vector<std::string> splits;     ///< Names of the given splits, the default first.
  std::string metric;
  std::string source;
  std::string licence;
  std::vector<DatasetFile> files;
  std::vector<std::pair<std::string, std::size_t>> counts;  ///< "nodes", "edges", "features", "classes", ...
  std::vector<PublishedResult> published;

  /// The count, or nothing.
  std::optional<std::size_t> count(std::string_view what) const;
  /// The file of a role; of several splits the one called `split`. Nothing when there is none.
  const DatasetFile* file(std::string_view role, std::string_view split = "") const;
  /// Whether `load_node_dataset` can load it: a "node ..." task.
  bool is_node_level() const { return task.starts_with("node ") && !is_collection(); }
  /// Whether `load_graph_dataset` can load it: a "graph ..." task, which has one label a graph.
  bool is_graph_level() const { return task.starts_with("graph ") && !is_collection(); }
  /// Graphs of nodes that stand in a table; nodes or graphs have the labels.
  bool is_collection() const { return format == "collection"; }
  /// A "molecule ..." task: a table of SMILES and what is known of each.
  bool is_molecules() const { return task.starts_with("molecule "); }
};

struct Catalogue {
  std::string directory;
  std::vector<Dataset> datasets;
};

/// Reads `directory`/catalogue.json. Throws DataError or UsageError that names the member which is wrong.
Catalogue read_catalogue(const std::string& directory);

/// Where the catalogue is: EDGEWISE_DATASETS when set, else the source tree that this library was built from, else
/// where it was installed to.
std::string default_catalogue_directory();
/// Directories of data that is not shipped: EDGEWISE_DATA, several of them parted by colons.
std::vector<std::string> default_data_directories();

/// Throws UsageError that suggests the names nearest to `name` when it is none.
const Dataset& find_dataset(const Catalogue& catalogue, std::string_view name);

/// Where a file is: below the catalogue's directory, or else below the first data directory that has it.
std::optional<std::string> locate(const Catalogue& catalogue, const DatasetFile& file,
                                  std::span<const std::string> data_directories);

/// The same for the file of a role; of several splits the one called `split`. Throws DataError that says where it was
/// looked for.
std::string require_file(const Catalogue& catalogue, const Dataset& dataset,
                         std::span<const std::string> data_directories, std::string_view role,
                         std::string_view split = "");

/// Throws DataError when the catalogue has another number for something that was counted.
void check_counts(const Dataset& dataset, std::span<const std::pair<std::string_view, std::size_t>> found);

enum class DatasetState { here, missing, damaged };
struct DatasetStatus {
  DatasetState state = DatasetState::missing;
  std::string detail;          ///< The first file that is missing or has another checksum; "" when all is well.
  std::size_t bytes = 0;       ///< Of the files that are here.
};

enum class Verify { presence, checksums };
/// Whether all files are here and, when asked, hold what they held when the catalogue was written.
DatasetStatus dataset_status(const Catalogue& catalogue, const Dataset& dataset,
                             std::span<const std::string> data_directories, Verify verify = Verify::checksums);

}  // namespace edgewise::data
