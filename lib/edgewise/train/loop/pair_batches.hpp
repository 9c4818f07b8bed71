#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "edgewise/autograd/sparse_linear.hpp"
#include "edgewise/train/loop/batches.hpp"

/// @file
/// Pairs of a source and a target as graphs with two node sets. The nodes are the tokens of the targets, each of which
/// attends to those up to itself (`causal`) and predicts the next one; the set "source" holds the tokens of the
/// sources.
///
/// | mask | from | to | who sees whom |
/// |---|---|---|---|
/// | `source_complete` | source | source | every token all of its source |
/// | `source` | nodes | source | every token of a target all of the source |
/// | `source_order` | graphs | source | the order of the tokens |
/// | `source_first` | graphs | source | the first token only |
namespace edgewise::train {

inline constexpr const char* kSource = "source";

/// One side of many pairs: tokens by number, or rows of numbers. Those of pair p are offsets[p] ... offsets[p + 1] - 1.
struct PairSide {
  std::vector<graph::Node> offsets = {0};
  std::vector<std::int32_t> tokens = {};  ///< Unless there are rows.
  Matrix rows = {};                       ///< Such as the frames of a recording.
  int columns = 0;                        ///< Of the rows, or how many tokens are known.

  std::size_t size() const { return offsets.size() - 1; }
  std::size_t size_of(std::size_t pair) const { return offsets[pair + 1] - offsets[pair]; }
  void add(std::span<const std::int32_t> more);
  /// Some pairs, in this order.
  PairSide select(std::span<const graph::Node> pairs) const;
};

/// The rows of a side: one column per token, with a 1 for that of each row, or the numbers. Kept while a tape refers to
/// them.
class SideRows {
 public:
  explicit SideRows(const PairSide& side);
  nn::NodeRows on(autograd::Tape& tape) const;

 private:
  const PairSide& side_;
  std::unique_ptr<autograd::SparseInput> sparse_;
};

/// What a model for such pairs is built for.
nn::ModelShape pair_shape(const PairSide& source, const PairSide& target);

/// The masks of `model` that only depend on the sources: all but those from the nodes.
void add_source_masks(const nn::Model& model, std::span<const graph::Node> offsets,
                      std::map<std::string, graph::FrozenGraph>& masks);

struct PairBatchOptions {
  std::size_t batch_size = 64;                     ///< Maximum pairs per step.
  std::size_t batch_slots = std::size_t{1} << 20;  ///< Maximum slots of a mask per step; one pair may have more.
  std::size_t batch_outputs = std::size_t{1} << 24;  ///< Maximum numbers of outputs per step, likewise.
};

/// Batches of pairs; the items are the nodes, the tokens of the targets. Both sides must outlive this.
class PairBatches : public Batches {
 public:
  /// Throws UsageError unless there are as many sources as targets.
  PairBatches(const PairSide& source, const PairSide& target, const PairBatchOptions& options = {});

  std::size_t item_count() const override { return target_.offsets.back(); }
  void check_fits(const nn::Model& model) const override;
  std::vector<std::vector<graph::Node>> training_batches(const nn::Model& model, std::vector<graph::Node> items,
                                                         std::uint64_t seed, std::uint64_t epoch) override;
  std::vector<std::vector<graph::Node>> of_evaluation(const nn::Model& model,
                                                      std::span<const graph::Node> items) const override;
  autograd::Variable forward(nn::Model& model, const PassOptions& pass, std::span<const graph::Node> items) override;
  bool keeps_outputs() const override { return false; }

 private:
  /// Kept while the tape refers to it.
  struct Batch {
    PairSide source;
    PairSide target;
    std::unique_ptr<SideRows> source_rows;
    std::unique_ptr<SideRows> target_rows;
    std::map<std::string, graph::FrozenGraph> masks;
    std::vector<graph::Node> rows;  ///< Those of the requested items.
  };
  struct Group {
    std::size_t pair;
    std::vector<graph::Node> items;
  };
  std::vector<Group> groups_of(std::span<const graph::Node> items) const;
  std::vector<std::vector<graph::Node>> cut(const nn::Model& model, std::vector<Group> groups) const;
  void fill(const nn::Model& model, std::span<const graph::Node> items);

  const PairSide& source_;
  const PairSide& target_;
  PairBatchOptions options_;
  Batch batch_;
};

}  // namespace edgewise::train
