#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "edgewise/core/json.hpp"
#include "edgewise/data/catalogue.hpp"
#include "edgewise/io/column.hpp"
#include "edgewise/train/config/data_config.hpp"
#include "edgewise/train/source/dataset.hpp"
#include "edgewise/train/source/load_options.hpp"

/// @file
/// A kind of source that data is read from: a row in a file of its own, in kinds/.
namespace edgewise::train {

/// What the graphs of a source are, which decides the defaults of a job.
enum class DataShape { network, graphs, molecules, collection, pairs };

using DataGroups = std::vector<DataGroup>;

/// A saved model, and the data that it is to be used on.
struct Reuse {
  const std::string& path;     ///< Of the model, for messages.
  const DataConfig& trained;   ///< How the data of its training was read.
  const json::Value& given;    ///< "data" of the request, an object.
  bool sees_edges = true;      ///< Whether its predictions depend on edges.

  bool gives(std::string_view member) const { return given.find(member) != nullptr; }
};

/// A kind of source. What is not given below `read` is as for a network of nodes and edges.
struct Source {
  std::string_view noun;  ///< "a table of molecules"
  /// The members of "data" that name it: at least one of them is given.
  std::vector<std::string_view> named_by;
  /// The groups of members that it takes, besides DataGroup::any and what names it.
  DataGroups takes;
  /// What a source that is named later does not keep of an earlier configuration, although it takes it.
  std::vector<std::string_view> replaces;
  /// What its graphs are, by "data" of a configuration.
  DataShape (*shape)(const json::Value& data);
  /// Throws UsageError for members that do not go together.
  void (*check)(const DataConfig& config);
  /// Reads what is requested. Throws UsageError for a request that is incomplete, DataError for errors in the files.
  Dataset (*read)(const DataConfig& request, const LoadOptions& options);

  /// @name Beside other sources
  /// @{
  int rank = 0;  ///< Of several that are named, the one of the highest rank is read.
  /// Members that name another source, but are settings of this one if both are named.
  std::vector<std::string_view> settings = {};
  /// If it only says how to read what another source names: naming it later replaces none.
  bool is_setting = false;
  /// Members that a later configuration names other files of it by.
  std::vector<std::string_view> renewed_by = {};
  /// Members that mean something else with it: a source that replaces it does not keep them.
  std::vector<std::string_view> own_meaning = {};
  /// What it keeps of the earlier configuration `base` although it takes no such members.
  bool (*keeps)(const json::Value& base, std::string_view member) = nullptr;
  /// What is said if another source is named, too; empty: that one of the two can be given.
  std::string_view alone = {};
  /// @}

  /// @name Sets of the catalogue
  /// @{
  bool (*suits)(const data::CatalogueSet& set) = nullptr;  ///< Whether `read_set` reads it.
  /// Completes `data`, of which `reading` is the request. Throws as `read`.
  void (*read_set)(const data::Catalogue& catalogue, const data::CatalogueSet& set, const LoadOptions& options,
                   Dataset& data) = nullptr;
  /// @}

  /// @name Models
  /// @{
  /// What a configuration leaves open.
  json::Value (*defaults)(const json::Value& given) = nullptr;
  /// The models to compare on data of this kind, simple ones first; none for other data.
  std::vector<std::string> (*candidates)(const Dataset& data) = nullptr;
  /// The rows alone, from which a few items at a time are made; nothing if it cannot be read so.
  std::optional<Dataset> (*read_rows)(const DataConfig& request, const io::ReadAsText& texts) = nullptr;
  /// Throws ModelError for data that a model of such data cannot be used on.
  void (*check_reuse)(const Reuse& reuse) = nullptr;
  /// Completes how a model of such data reads what was requested. Throws ModelError if it does not fit.
  void (*adapt)(const Reuse& reuse, DataConfig& data, std::vector<std::string>& notes) = nullptr;
  /// @}
};

}  // namespace edgewise::train
