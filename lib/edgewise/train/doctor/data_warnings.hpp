#pragma once

#include <string>
#include <vector>

#include "edgewise/data/node_data.hpp"
#include "edgewise/graph/graph.hpp"
#include "edgewise/train/doctor/data_facts.hpp"
#include "edgewise/train/source/dataset.hpp"

/// @file
/// What looks wrong in what was read, before training.
namespace edgewise::train {

/// What the user should know (see `column_type_warning`) about node columns that are not ignored, or about the labels
/// of graphs.
std::vector<std::string> column_type_warnings(const Dataset& data,
                                              const std::vector<std::string>& split_columns = {});

/// What the user should check, one sentence each; empty if all looks right.
std::vector<std::string> edge_warnings(const graph::Graph& graph, const EdgeFacts& facts);
std::vector<std::string> label_warnings(const data::Labels& labels);
/// About labels that differ in nothing but case and blanks.
std::vector<std::string> spelling_warnings(const data::Labels& labels);
/// Why nothing can be learnt from some of the labels; empty if all is well.
std::vector<std::string> constant_labels(const data::Labels& labels);
/// What to know about classes that are more than a few whole numbers, which may be amounts; "" otherwise, and if the
/// task was asked for or belongs to the data.
std::string whole_number_classes(const Dataset& data);
/// Also for labels that are asked for but cannot be read.
std::vector<std::string> label_warnings(const Dataset& data);

}  // namespace edgewise::train
