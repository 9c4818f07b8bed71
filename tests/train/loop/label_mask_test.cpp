#include "edgewise/train/loop/label_mask.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <numeric>
#include <set>

#include "edgewise/autograd/sparse_linear.hpp"
#include "edgewise/core/random.hpp"

using namespace edgewise;
using namespace edgewise::train;

namespace {

constexpr Eigen::Index kRows = 7, kLabelColumns = 3;

/// Two feature columns, and a label in each row except the last.
data::Features labelled_features(bool is_sparse) {
  Random random(2, Stream::generate);
  data::Features features;
  features.dense = Matrix::Zero(kRows, 2 + kLabelColumns);
  for (Eigen::Index v = 0; v < kRows; ++v) {
    features.dense(v, v % 2) = static_cast<float>(random.normal());
    if (v + 1 < kRows) features.dense(v, 2 + v % kLabelColumns) = 1;
  }
  features.is_sparse = is_sparse;
  if (is_sparse) {
    features.sparse = features.dense.sparseView();
    features.sparse.makeCompressed();
  }
  return features;
}

Matrix without_labels(Matrix rows, const std::vector<graph::Node>& hidden) {
  for (const graph::Node v : hidden) rows.row(v).tail(kLabelColumns).setZero();
  return rows;
}

}  // namespace

TEST_CASE("labels are hidden in some rows and shown again", "[train][label_mask]") {
  const bool is_sparse = GENERATE(false, true);
  const data::Features features = labelled_features(is_sparse);
  const Matrix all = labelled_features(false).dense;
  std::optional<autograd::SparseInput> sparse;
  if (is_sparse) sparse.emplace(features.sparse);
  LabelMask mask(features, is_sparse ? &*sparse : nullptr, kLabelColumns);
  autograd::Parameter weight{"weight", Matrix::Identity(2 + kLabelColumns, 2 + kLabelColumns)};
  for (const std::vector<graph::Node>& hidden : {std::vector<graph::Node>{1, 4}, {0, 4, 6}, {}}) {
    mask.hide(hidden);
    autograd::Tape tape(true);
    const nn::NodeRows rows = mask.rows(tape);
    const Matrix expected = without_labels(all, hidden);
    if (!is_sparse) {
      CHECK(Matrix(autograd::Variable(rows.dense).value()) == expected);
      continue;
    }
    // The forward pass reads rows, the backward pass columns.
    weight.gradient.setZero(weight.value.rows(), weight.value.cols());
    const autograd::Variable out = autograd::sparse_linear(rows.sparse, tape.parameter(weight));
    CHECK(Matrix(out.value()) == expected);
    CHECK(out.needs_gradient());
  }
  data::Features without = features;
  hide_labels(std::vector<graph::Node>{2, 3}, kLabelColumns, without);
  CHECK((is_sparse ? Matrix(without.sparse) : without.dense) == without_labels(all, {2, 3}));
}

TEST_CASE("a share of the items is hidden, different ones in each epoch", "[train][label_mask]") {
  std::vector<graph::Node> items(100);
  std::iota(items.begin(), items.end(), graph::Node{50});
  const MaskedLabels labels{.columns = 2, .share = 0.7};
  const std::vector<graph::Node> first = draw_hidden(labels, items, 5, 0);
  CHECK(first.size() == 30);
  CHECK(std::ranges::is_sorted(first));
  CHECK(first == draw_hidden(labels, items, 5, 0));
  CHECK(first != draw_hidden(labels, items, 6, 0));
  std::set<graph::Node> hidden;
  for (std::uint64_t epoch = 0; epoch < 60; ++epoch)
    for (const graph::Node item : draw_hidden(labels, items, 5, epoch)) hidden.insert(item);
  CHECK(hidden.size() == 100);
  CHECK(draw_hidden({.columns = 2, .share = 0.95}, {7}, 1, 1) == std::vector<graph::Node>{7});
}
