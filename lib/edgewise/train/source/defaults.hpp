#pragma once

#include "edgewise/core/json.hpp"

/// @file
/// What a configuration leaves open, by the kind of its data: "split", "model" and "training".
namespace edgewise::train {

/// Whether "data.task" is one of pretraining.
bool asks_to_pretrain(const json::Value& given);

/// Whether "data.task" is links.
bool asks_for_links(const json::Value& given);

/// For the ties of a network, which are as many as its edges.
json::Value link_defaults(const json::Value& given);

/// For labels of edges.
json::Value edge_label_defaults(const json::Value& given);

/// For molecules: small steps, and a model that sees edge features. Any other preset gets the same size and readout, so
/// that models can be compared.
json::Value molecule_defaults(const json::Value& given);

/// The same for other graphs, whose attributes and encodings may have any scale.
json::Value graph_defaults(const json::Value& given);

/// For collections of words, frames or pixels. The model has a readout if the labels belong to graphs.
json::Value collection_defaults(const json::Value& given);

/// For pairs. A preset of another kind keeps the size.
json::Value pair_defaults(const json::Value& given);

}  // namespace edgewise::train
