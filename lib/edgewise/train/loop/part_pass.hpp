#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "edgewise/autograd/part.hpp"
#include "edgewise/core/fiber.hpp"
#include "edgewise/nn/model.hpp"
#include "edgewise/train/loop/batches.hpp"
#include "edgewise/train/loop/held_parts.hpp"
#include "edgewise/train/loop/ranks.hpp"

/// @file
/// One pass of a model over all parts of a network. The parts that a process holds take turns, each in a fiber with a
/// tape of its own: one that waits for rows of others pauses. Whoever holds a part, it sees the same numbers in the
/// same order. A pass that is not recorded keeps of each part what its next blocks need. It has the rows of halos of
/// one part at a time, copied from those of the others once all have shown theirs.
namespace edgewise::train {

/// Rows that go between two parts: part `other` has `count` of them in the halo of a part, from row `begin` on.
struct HaloRows {
  std::size_t other;
  std::size_t begin, count;
  const graph::Node* nodes;  ///< Of the network.
};

/// The first part that process `rank` of `ranks` holds.
std::size_t first_part(std::size_t parts, std::size_t ranks, std::size_t rank);

/// Where the parts of a network are, and what goes between them.
struct PartMap {
  PartMap(const data::FrozenNetwork& network, const Ranks* ranks);

  std::size_t rank_of(std::size_t part) const;
  bool is_here(std::size_t part) const { return part >= first && part < first + count; }

  std::vector<graph::Node> boundaries;
  std::size_t items = 0;             ///< FrozenNetwork::item_count.
  std::size_t first = 0, count = 0;  ///< The parts that this process holds.
  std::size_t ranks = 1;
  /// By the parts that are here: the rows of its halo by their owners, and its own rows in the halos of others; both
  /// ascending by part.
  std::vector<std::vector<HaloRows>> imports, exports;
};

/// What passes over the parts keep between them.
struct PartTapes {
  autograd::ParameterGradients gradients;
  autograd::Tape tape;
  PartTapes(Workspace& workspace, HeldPart& part) : tape(gradients, workspace, part.is_spilled() ? &part : nullptr) {}
};

/// What all passes share.
struct PartShared {
  PartMap map;
  HeldParts parts;
  Ranks* ranks = nullptr;
  Workspace workspace = {};
  std::vector<std::vector<std::unique_ptr<PartTapes>>> free_tapes = {};  ///< By the parts that are here.
  std::uint64_t sent_bytes = 0;  ///< To other ranks.
  std::uint64_t columns = 0;     ///< Of the rows of halos, forward and back, since the last pass of a training began.
};

class PartPass {
 public:
  /// Runs forward. All arguments must outlive this. No items: all.
  PartPass(PartShared& shared, nn::Model& model, const PassOptions& options, std::span<const graph::Node> items);
  PartPass(const PartPass&) = delete;
  PartPass& operator=(const PartPass&) = delete;
  ~PartPass();

  /// Writes row i of items[i] to `outputs`.
  void take_outputs(MatrixMap outputs) const;
  /// Runs backward, and adds the gradients of the parameters to them, in the order of the parts.
  void backward(ConstMatrixMap upstream);

 private:
  class Member;
  /// Something that a part shows to the others, until all of them have read it.
  struct Post {
    const float* data;
    bool is_packed;  ///< By reader, instead of all own rows.
    std::size_t readers;
  };
  using Key = std::pair<std::uint64_t, std::size_t>;  // the number of the exchange, the part that shows

  enum class Stage { begun, forward, backward };
  void run(Stage stage);
  void add_gradients();

  PartShared& shared_;
  nn::Model& model_;
  PassOptions options_;
  std::size_t item_count_;
  std::vector<std::unique_ptr<Member>> members_;
  std::vector<std::vector<std::size_t>> places_;  // of the wanted rows of each part of the network, among the items
  std::map<Key, Post> posts_;
  autograd::BufferPool seen_;  // rows with those of their halo
  std::map<Key, std::vector<float>> sums_of_others_;  // received from other ranks
  std::map<Key, Ranks::Request> requests_of_sums_;
};

}  // namespace edgewise::train
