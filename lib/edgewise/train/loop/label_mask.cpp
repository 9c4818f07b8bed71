#include "edgewise/train/loop/label_mask.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "edgewise/core/random.hpp"

namespace edgewise::train {

std::vector<graph::Node> draw_hidden(const MaskedLabels& labels, std::vector<graph::Node> items, std::uint64_t seed,
                                     std::uint64_t epoch) {
  if (items.empty()) return items;
  Random random(seed, Stream::shuffle, epoch);
  shuffle(std::span(items), random);
  const auto shown = static_cast<std::size_t>(std::llround(labels.share * static_cast<double>(items.size())));
  items.resize(std::max<std::size_t>(items.size() - std::min(shown, items.size()), 1));
  std::ranges::sort(items);
  return items;
}

void hide_labels(std::span<const graph::Node> rows, std::size_t columns, data::Features& features) {
  const auto first = static_cast<Eigen::Index>(features.columns() - columns);
  for (const graph::Node row : rows) {
    if (!features.is_sparse) {
      features.dense.row(row).tail(static_cast<Eigen::Index>(columns)).setZero();
      continue;
    }
    for (SparseMatrix::InnerIterator entry(features.sparse, row); entry; ++entry)
      if (entry.col() >= first) entry.valueRef() = 0;
  }
}

LabelMask::LabelMask(const data::Features& features, const autograd::SparseInput* sparse, std::size_t columns)
    : features_(features), sparse_(sparse), columns_(static_cast<Eigen::Index>(columns)) {
  if (sparse_ == nullptr) {
    dense_ = features.dense;
    return;
  }
  row_values_ = sparse_->by_row.values;
  column_values_ = sparse_->by_column.values;
  places_.resize(row_values_.size());
  for (std::size_t at = 0; at < places_.size(); ++at)  // entries are numbered in `by_row` order
    places_[sparse_->by_column.elements[at]] = static_cast<std::uint32_t>(at);
}

void LabelMask::hide(std::vector<graph::Node> rows) {
  for (const graph::Node row : hidden_) {
    if (sparse_ != nullptr)
      set_sparse(row, true);
    else
      dense_.row(row).tail(columns_) = features_.dense.row(row).tail(columns_);
  }
  hidden_ = std::move(rows);
  for (const graph::Node row : hidden_) {
    if (sparse_ != nullptr)
      set_sparse(row, false);
    else
      dense_.row(row).tail(columns_).setZero();
  }
}

/// The labels are the last entries of a row, and a row is one slot: only `by_column` is split into panels.
void LabelMask::set_sparse(graph::Node row, bool is_shown) {
  const CompressedRows& by_row = sparse_->by_row;
  const auto first = static_cast<std::uint32_t>(sparse_->columns() - columns_);
  for (std::uint32_t entry = by_row.offsets[row + 1]; entry-- > by_row.offsets[row];) {
    if (by_row.columns[entry] < first) return;
    row_values_[entry] = column_values_[places_[entry]] = is_shown ? by_row.values[entry] : 0;
  }
}

nn::NodeRows LabelMask::rows(autograd::Tape& tape) const {
  if (sparse_ == nullptr) return {.dense = tape.constant(dense_)};
  return {.dense = {},
          .sparse = {.input = sparse_, .row_values = row_values_.data(), .column_values = column_values_.data()}};
}

}  // namespace edgewise::train
