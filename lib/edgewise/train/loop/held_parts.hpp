#pragma once

#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "edgewise/autograd/sparse_linear.hpp"
#include "edgewise/autograd/tape.hpp"
#include "edgewise/core/spill_file.hpp"
#include "edgewise/data/frozen_network.hpp"
#include "edgewise/nn/block.hpp"

namespace edgewise::train {

/// A part of a network while passes go over it: its mask and its features, and the memory of the tapes that run on it.
/// With a spill file the memory is mapped from there, and can be put away.
class HeldPart : public autograd::BufferSource {
 public:
  HeldPart(const data::FrozenNetwork& network, std::size_t index, SpillFile* spill);

  std::size_t index() const { return index_; }
  const data::FrozenPart& part() const { return part_; }
  /// The one made or brought back last.
  const graph::FrozenGraph& mask() const { return is_forward_ ? forward_mask_ : mask_; }
  void make_mask(const graph::FreezeOptions& options, data::MaskUse use);
  nn::NodeRows input(autograd::Tape& tape) const;

  bool is_spilled() const { return spill_ != nullptr; }
  float* take(std::size_t bytes) override;
  void give_back(float* data, std::size_t bytes) override;
  /// What it takes while it is here.
  std::uint64_t bytes() const;

  /// Of a spilled part. The arrays of a mask both ways are kept in the file, another one is made anew by `bring_back`.
  void save_mask(const graph::FreezeOptions& options);
  void forget_saved_mask() { saved_mask_.clear(); }
  void put_away();
  void bring_back(const graph::FreezeOptions& options, data::MaskUse use);
  /// Starts to read what `bring_back` will need.
  void request(data::MaskUse use) const;
  /// Takes the pages out of this process that others have read.
  void give_back_blocks() const;

 private:
  struct Block {
    std::byte* data;
    std::size_t bytes;
  };
  /// An array of the mask, in the file.
  struct Saved {
    std::uint64_t begin;
    std::size_t bytes;
  };
  void give_back_file() const;
  template <class Visit>
  void visit_mask(const Visit& visit);

  std::size_t index_;
  data::FrozenPart part_;
  graph::FrozenGraph mask_, forward_mask_;
  bool is_forward_ = false;
  std::uint64_t mask_bytes_ = 0;  // what it took, with the blocks of its edges, before it was put away
  data::FrozenFeatures features_;
  std::unique_ptr<autograd::SparseInput> sparse_;  // or dense
  SpillFile* spill_;
  std::vector<Block> blocks_;
  Block rest_{nullptr, 0};  // of the last block
  std::map<float*, std::size_t> taken_;
  std::uint64_t taken_bytes_ = 0;
  std::multimap<std::size_t, float*> free_;  // given back; they take no space
  std::vector<Saved> saved_mask_;
};

/// The parts that this process holds, a range of those of the network. If they do not fit in `memory` bytes, those that
/// were used last stay, and the others wait in a temporary file; 0: all stay.
class HeldParts {
 public:
  HeldParts(const data::FrozenNetwork& network, std::size_t first, std::size_t count, std::uint64_t memory,
            const std::string& folder);

  std::size_t size() const { return parts_.size(); }
  HeldPart& operator[](std::size_t i) { return *parts_[i]; }
  bool are_spilled() const { return spill_ != nullptr; }
  /// Makes the masks, unless they are made.
  void prepare(const graph::FreezeOptions& options, data::MaskUse use);
  /// Has the part here until another is used; `next` is likely to be used then.
  void use(std::size_t i, std::size_t next);
  /// For a part of which rows were read while another is in use.
  void leave(std::size_t i) const;
  /// The most space that the temporary file has taken so far.
  std::uint64_t spilled_bytes() const { return spill_ != nullptr ? spill_->peak_bytes() : 0; }

 private:
  std::uint64_t memory_;
  std::unique_ptr<SpillFile> spill_;
  std::vector<std::unique_ptr<HeldPart>> parts_;
  std::optional<graph::FreezeOptions> options_;
  data::MaskUse mask_use_ = data::MaskUse::forward;
  std::list<std::size_t> here_;  // the one used last comes first
};

}  // namespace edgewise::train
