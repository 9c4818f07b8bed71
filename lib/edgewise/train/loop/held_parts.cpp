#include "edgewise/train/loop/held_parts.hpp"

#include <algorithm>

#include "edgewise/core/memory.hpp"

namespace edgewise::train {
namespace {

constexpr std::size_t kSmallestBlock = std::size_t{1} << 20;  // the system maps a limited number

std::size_t whole_pages(std::size_t bytes) { return (bytes + page_bytes() - 1) / page_bytes() * page_bytes(); }

bool are_equal(const graph::FreezeOptions& a, const graph::FreezeOptions& b) {
  const auto scale = [](const graph::FreezeOptions& options) {
    return options.weight_scale ? std::pair(options.weight_scale->mean, options.weight_scale->scale)
                                : std::pair(0.0, 0.0);
  };
  return a.flow == b.flow && a.self_loops == b.self_loops && a.kept == b.kept &&
         a.weight_as_feature == b.weight_as_feature && a.weight_scale.has_value() == b.weight_scale.has_value() &&
         scale(a) == scale(b);
}

/// So many undefined values, and no memory for more.
template <class T>
void set_count(std::vector<T>& list, std::size_t count) {
  std::vector<T>(count).swap(list);
}

/// In rows.
void set_count(Matrix& values, std::size_t count) {
  const Eigen::Index columns = values.cols();
  values.resize(columns == 0 ? 0 : static_cast<Eigen::Index>(count) / columns, columns);
}

}  // namespace

HeldPart::HeldPart(const data::FrozenNetwork& network, std::size_t index, SpillFile* spill)
    : index_(index), part_(network.part(index)), features_(network.features(index)), spill_(spill) {
  if (network.has_sparse_features()) {
    const Eigen::Map<const SparseMatrix> rows(static_cast<Eigen::Index>(part_.rows()), network.feature_count(),
                                              static_cast<Eigen::Index>(features_.values.size()),
                                              features_.offsets.data(), features_.columns.data(),
                                              features_.values.data());
    sparse_ = std::make_unique<autograd::SparseInput>(SparseMatrix(rows));
  }
  if (is_spilled()) give_back_file();  // it was read to compare its checksums
}

nn::NodeRows HeldPart::input(autograd::Tape& tape) const {
  if (sparse_ != nullptr) return {.dense = {}, .sparse = {.input = sparse_.get()}};
  if (!features_.is_half()) return {.dense = tape.constant(features_.dense)};
  const autograd::Variable wide = tape.make(features_.half.rows(), features_.half.cols(), false);
  wide.value() = features_.half.cast<float>();
  return {.dense = wide};
}

void HeldPart::make_mask(const graph::FreezeOptions& options, data::MaskUse use) {
  is_forward_ = use == data::MaskUse::forward;
  forward_mask_ = {};
  (is_forward_ ? forward_mask_ : mask_) = data::mask_of(part_, options, use);
  mask_bytes_ = 0;
}

/// Calls visit(list) for each array of the mask both ways.
template <class Visit>
void HeldPart::visit_mask(const Visit& visit) {
  visit(mask_.incoming.offsets);
  visit(mask_.incoming.columns);
  visit(mask_.outgoing.offsets);
  visit(mask_.outgoing.columns);
  visit(mask_.outgoing_slot);
  visit(mask_.incoming_position);
  visit(mask_.edge);
  visit(mask_.edge_features);
}

void HeldPart::save_mask(const graph::FreezeOptions& options) {
  if (!saved_mask_.empty()) return;
  make_mask(options, data::MaskUse::both_ways);
  visit_mask([&](const auto& list) {
    const std::size_t bytes = static_cast<std::size_t>(list.size()) * sizeof(*list.data());
    saved_mask_.push_back({spill_->append(list.data(), bytes), bytes});
  });
}

float* HeldPart::take(std::size_t bytes) {
  bytes = whole_pages(bytes);
  float* taken = nullptr;
  if (const auto found = free_.find(bytes); found != free_.end()) {
    taken = found->second;
    free_.erase(found);
  } else {
    if (bytes > rest_.bytes) {
      const std::size_t size = std::max(bytes, kSmallestBlock);
      rest_ = {spill_->map(size), size};
      blocks_.push_back(rest_);
    }
    taken = reinterpret_cast<float*>(rest_.data);
    rest_ = {rest_.data + bytes, rest_.bytes - bytes};
  }
  spill_->claim(taken, bytes);
  taken_[taken] = bytes;
  taken_bytes_ += bytes;
  return taken;
}

void HeldPart::give_back(float* data, std::size_t bytes) {
  bytes = whole_pages(bytes);
  taken_.erase(data);
  taken_bytes_ -= bytes;
  spill_->drop(data, bytes);
  free_.emplace(bytes, data);
}

void HeldPart::give_back_file() const {
  give_back_pages(part_.offsets.data(), part_.offsets.size_bytes());
  give_back_pages(part_.columns.data(), part_.columns.size_bytes());
  give_back_pages(part_.weights.data(), part_.weights.size_bytes());
  give_back_pages(part_.edge_features.data(), static_cast<std::size_t>(part_.edge_features.size()) * sizeof(float));
  give_back_pages(features_.dense_data(), features_.dense_bytes());
}

std::uint64_t HeldPart::bytes() const {
  return std::max<std::uint64_t>(mask_bytes_, mask().bytes()) + taken_bytes_ + features_.dense_bytes();
}

void HeldPart::give_back_blocks() const {
  for (const Block& block : blocks_) give_back_pages(block.data, block.bytes);
}

void HeldPart::put_away() {
  mask_bytes_ = std::max<std::uint64_t>(mask_bytes_, mask().bytes());
  mask_.blocks.drop();
  visit_mask([](auto& list) { set_count(list, 0); });
  forward_mask_ = {};
  give_back_blocks();
  give_back_file();
}

void HeldPart::bring_back(const graph::FreezeOptions& options, data::MaskUse use) {
  if (use == data::MaskUse::forward) return make_mask(options, use);
  is_forward_ = false;
  std::size_t next = 0;
  visit_mask([&](auto& list) {
    const auto [begin, bytes] = saved_mask_[next++];
    set_count(list, bytes / sizeof(*list.data()));
    spill_->read(begin, list.data(), bytes);
  });
}

void HeldPart::request(data::MaskUse use) const {
  if (use == data::MaskUse::forward)
    request_pages(part_.columns.data(), part_.columns.size_bytes());
  else
    for (const auto& [begin, bytes] : saved_mask_) spill_->request(begin, bytes);
  for (const auto& [data, bytes] : taken_) request_pages(data, bytes);
  request_pages(features_.dense_data(), features_.dense_bytes());
}

HeldParts::HeldParts(const data::FrozenNetwork& network, std::size_t first, std::size_t count, std::uint64_t memory,
                     const std::string& folder)
    : memory_(memory) {
  if (memory > 0) spill_ = std::make_unique<SpillFile>(folder);
  for (std::size_t i = 0; i < count; ++i)
    parts_.push_back(std::make_unique<HeldPart>(network, first + i, spill_.get()));
}

void HeldParts::prepare(const graph::FreezeOptions& options, data::MaskUse use) {
  const bool are_others = !options_ || !are_equal(*options_, options);
  const bool is_enough = use == mask_use_ || (use == data::MaskUse::forward && !are_spilled());
  if (!are_others && is_enough) return;
  options_ = options;
  mask_use_ = use;
  here_.clear();
  for (const auto& part : parts_) {
    if (!are_spilled()) {
      part->make_mask(options, use);
      continue;
    }
    if (are_others) part->forget_saved_mask();
    if (use == data::MaskUse::both_ways) part->save_mask(options);
    part->put_away();
  }
}

void HeldParts::use(std::size_t i, std::size_t next) {
  if (!are_spilled()) return;
  const auto found = std::ranges::find(here_, i);
  if (found == here_.end()) {
    parts_[i]->bring_back(*options_, mask_use_);
    here_.push_front(i);
  } else {
    here_.splice(here_.begin(), here_, found);
  }
  std::uint64_t sum = 0;
  for (const std::size_t part : here_) sum += parts_[part]->bytes();
  while (here_.size() > 1 && sum > memory_) {
    sum -= parts_[here_.back()]->bytes();
    parts_[here_.back()]->put_away();
    here_.pop_back();
  }
  if (std::ranges::find(here_, next) == here_.end() && sum + parts_[next]->bytes() <= memory_)
    parts_[next]->request(mask_use_);
}

void HeldParts::leave(std::size_t i) const {
  if (are_spilled() && std::ranges::find(here_, i) == here_.end()) parts_[i]->give_back_blocks();
}

}  // namespace edgewise::train
