#pragma once

#include <string>

#include "edgewise/core/json_fields.hpp"
#include "edgewise/nn/block.hpp"

/// @file
/// Which mask a block attends over, and which rows it gets: those of the nodes, of the graphs or links, or of another
/// node set.
namespace edgewise::nn {

/// The node set of the user's edges, with their features as rows (graph::edge_rows). Every data set has it.
inline constexpr const char* kEdges = "edges";

/// How many relations a block may have maps of.
inline constexpr int kMostRelations = 10'000;

/// The mask called `name`: one of ModelShape::masks, or made by a rule (graph::parse_mask). For an unknown name, throws
/// a UsageError that begins with `where`.
MaskShape find_mask(const std::string& name, const ModelShape& shape, const std::string& where);

/// The masks of each of so many relations, with `edge_columns` features of their edges after those of the relations.
std::vector<MaskShape> relation_masks(int relations, int edge_columns, const BuildContext& context);

/// A mask as a field of options, given by its name.
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

/// The mask named by the member "mask" of `config`, or else "edges", for a block that gets the rows of
/// BuildContext::node_set. Adds it to the masks that the model uses. Throws UsageError if there is no mask of this
/// name, if its rows are not those that the block gets, or if the rows that it attends to do not exist yet.
MaskShape use_mask(const json::Value& config, BuildContext& context);
/// As above, for a mask that was found before.
void use_mask(const json::Value& config, const MaskShape& mask, BuildContext& context);

/// The mask of a readout: from here on, blocks get one row per graph. Throws UsageError after another readout.
MaskShape begin_graph_level(const json::Value& config, BuildContext& context);

/// As `begin_graph_level`, without a mask: from here on, blocks get one row per link.
void begin_link_level(const json::Value& config, BuildContext& context);

/// The mask "readout", for a block that follows the order of the nodes in each graph and gives one row per node; for
/// another node set "x" that of ModelShape::masks called "x_order". Throws UsageError if the rows have no order.
MaskShape use_order(const json::Value& config, BuildContext& context);

/// The mask from the graphs to the rows of another node set that `member` names, for a block that gives one row per
/// node but uses rows of its graph. Throws UsageError for another mask, or if there are no such rows yet.
MaskShape use_graph_mask(const json::Value& config, const char* member, BuildContext& context);

/// For blocks that combine the output of `member` with their input: throws UsageError if there was a readout in it, so
/// that its rows are no longer those of `before`.
void expect_same_rows(const json::Value& config, const char* member, const std::string& before,
                      const BuildContext& context);

/// Columns of the rows attended to.
int key_width(const MaskShape& mask, const BuildContext& context);

/// The mask of this forward pass. Throws ModelError naming `block` if the context has none.
const graph::FrozenGraph& mask_of(const ForwardContext& context, const MaskShape& mask, const std::string& block);

/// The rows attended to: `input` itself, or those of the other node set. Throws ModelError as `mask_of`.
const NodeRows& key_rows(const ForwardContext& context, const MaskShape& mask, const NodeRows& input,
                         const std::string& block);

/// `mask_of` a readout. Keeps the rows of the nodes in the context, so that later blocks can attend to them.
const graph::FrozenGraph& begin_readout(ForwardContext& context, const NodeRows& input, const std::string& block);

/// One over the number of sources of a destination, for each slot; valid as long as the tape's record.
const float* mean_weights(autograd::Tape& tape, const graph::FrozenGraph& mask);

/// As `mean_weights`, but all 1.
const float* unit_weights(autograd::Tape& tape, const graph::FrozenGraph& mask);

}  // namespace edgewise::nn
