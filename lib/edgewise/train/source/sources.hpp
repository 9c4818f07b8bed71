#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "edgewise/core/json.hpp"
#include "edgewise/data/catalogue.hpp"
#include "edgewise/train/config/data_config.hpp"
#include "edgewise/train/source/source.hpp"

/// @file
/// Which source a job reads, and which members of "data" belong to it.
namespace edgewise::train {

/// Whether "data" of a configuration has a member that names the source.
bool is_named(const Source& source, const json::Value& data);

/// Whether all members of `data` that name the source are settings of the other.
bool is_setting_of(const Source& other, const Source& source, const json::Value& data);

/// The sources that "data" of a configuration names, by rank.
std::vector<const Source*> named_sources(const json::Value& data);

/// The source that "data" of a configuration names; null if there is none. Of several it is a data set of the
/// catalogue, or a collection.
const Source* named_source(const json::Value& data);

/// The source of a job. Throws UsageError if none is given, several are, or members do not go together with it.
const Source& source_of(const DataConfig& config);

/// What the graphs of "data" are. Throws UsageError for an unknown data set.
DataShape shape_of(const json::Value& data);

/// The models to compare that its kind of source names; none for a network.
std::vector<std::string> candidates_of(const Dataset& data);

/// Throws UsageError for the first of `members`, which are given, that the source of `config` does not take.
void refuse_foreign_members(const DataConfig& config, std::span<const std::string_view> members);
/// As above for the configuration of a model, which keeps what was found in its training: not all sources take that,
/// but none of them takes what is for molecules only.
void refuse_foreign_members_of_model(const DataConfig& config);

/// Throws UsageError for the first member of `groups` that is given.
void refuse_groups(const DataConfig& config, const DataGroups& groups);

/// The source that reads a data set of the catalogue with such files; null for nodes and edges, which
/// data::load_dataset reads.
const Source* source_of(const data::CatalogueSet& set);

/// The rows of a table of molecules without their graphs: the result of `read_dataset` with empty graph, features and
/// labels. `make_molecules` then builds a few graphs at a time, so that a large table is never held with all its
/// features. `texts` is LoadOptions::texts. Nothing if `config` names no molecules.
std::optional<Dataset> read_molecule_rows(const DataConfig& config, const io::ReadAsText& texts = {});

}  // namespace edgewise::train
