#pragma once

#include <string>

#include "edgewise/core/json_fields.hpp"
#include "edgewise/nn/block.hpp"

/// @file
/// Which mask a block attends over, and which rows it gets: those of the nodes, of the graphs, or of another node set.
namespace edgewise::nn {

/// The node set of the user's edges, with their features as rows (graph::edge_rows). Every data set has it.
inline constexpr const char* kEdges = "edges";

/// The mask called `name`: one of ModelShape::masks, or made by a rule (graph::parse_mask). Throws UsageError that
/// begins with `where` for an unknown one.
MaskShape find_mask(const std::string& name, const ModelShape& shape, const std::string& where);

/// A mask as a field of options: by its name.
struct MaskName {
  static constexpr json::FieldType kType = json::FieldType::text;
  static MaskShape read(const json::Value& config, std::string_view name, const ModelShape& shape,
                        const MaskShape& fallback) {
    const json::Value* value = config.find(name);
    if (value == nullptr) return find_mask(fallback.name, shape, config.path());
    return find_mask(value->as_string(), shape, value->path());
  }
  static json::Value write(const MaskShape& mask) { return mask.name; }
};

/// The mask that `config` names by its member "mask", else `fallback`, for a block that gets the rows of
/// BuildContext::node_set; the model is told that it is used. Throws UsageError when there is none of this name, its
/// rows are not those that the block gets, or there is nothing yet of what it attends to.
MaskShape use_mask(const json::Value& config, BuildContext& context, const char* fallback = "edges");
/// As above for a mask that was found before.
void use_mask(const json::Value& config, const MaskShape& mask, BuildContext& context);

/// The mask of a readout: from here on blocks get one row per graph. Throws UsageError after another readout.
MaskShape begin_graph_level(const json::Value& config, BuildContext& context);

/// The mask "readout", for a block that goes along the order of the nodes of each graph and gives a row a node. Throws
/// UsageError for rows that are not those of the nodes.
MaskShape use_order(const json::Value& config, BuildContext& context);

/// For blocks with a way past `member`: throws UsageError when there was a readout in it, so that its rows are no
/// longer those of `before`.
void expect_same_rows(const json::Value& config, const char* member, const std::string& before,
                      const BuildContext& context);

/// Columns of the rows that are attended to.
int key_width(const MaskShape& mask, const BuildContext& context);

/// The mask of this forward pass. Throws ModelError naming `block` when the context has none.
const graph::FrozenGraph& mask_of(const ForwardContext& context, const MaskShape& mask, const std::string& block);

/// The rows that are attended to: `input` itself, or those of the other node set. Throws ModelError as `mask_of`.
const NodeRows& key_rows(const ForwardContext& context, const MaskShape& mask, const NodeRows& input,
                         const std::string& block);

/// `mask_of` a readout. Leaves the rows of the nodes in the context, where later blocks may attend to them.
const graph::FrozenGraph& begin_readout(ForwardContext& context, const NodeRows& input, const std::string& block);

/// One over the number of sources of a destination, for each slot; lives as long as the tape's record.
const float* mean_weights(autograd::Tape& tape, const graph::FrozenGraph& mask);

/// As `mean_weights`, all 1.
const float* unit_weights(autograd::Tape& tape, const graph::FrozenGraph& mask);

}  // namespace edgewise::nn
